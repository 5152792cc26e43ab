"""``qidguard qir``: the classes, the dimension, and QIR beside SQI, on the command line."""

from typing import TYPE_CHECKING, Any

from qidguard.sdk import Command
from qidguard_qir.listed import named, numbers, shares

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from qidguard.sdk import Reading, ResultOutput

INTERRUPTED = 130
"""Exit code after Ctrl-C; what was done is shown."""

NOTHING = 1
"""Exit code where nothing was chosen, or no figure exists; each reason is shown."""


def _exit_code(*, is_interrupted: bool, has_result: bool) -> int:
    return INTERRUPTED if is_interrupted else 0 if has_result else NOTHING


def _make() -> "click.Group":
    import click

    from qidguard_qir.classify_command import classify_command

    group = click.Group(
        "qir",
        help="Classify columns by their re-identification risk, find how many to anonymize, and compare.",
    )
    group.add_command(classify_command())
    group.add_command(_dimension())
    group.add_command(_compare())
    return group


QIR = Command(name="qir", title="Classify columns by risk, and find how many QIDs to anonymize.", make=_make)
"""The command ``qidguard qir``."""


def _dimension() -> "click.Command":
    import click

    from qidguard.sdk import listed_names, output_options, reading_options, seed_option

    @click.command("dimension")
    @_asked
    @click.option(
        "--k", metavar="K,...", default="5,15,25", show_default=True, help="Smallest classes, persons."
    )
    @click.option(
        "--sizes", metavar="%,...", default="10", show_default=True, help="Samples, percent of persons."
    )
    @click.option(
        "--samples",
        metavar="N",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="How many samples of each size are drawn.",
    )
    @seed_option
    @reading_options
    @output_options
    def dimension(  # noqa: PLR0913 - one argument for each option of the command
        *,
        data: str,
        qids: str | None,
        alpha: float | None,
        beta: float | None,
        entity: str | None,
        anonymizer: str,
        k: str,
        sizes: str,
        samples: int,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Find how many of the quasi-identifiers of the table DATA to anonymize.

        They join in the order of falling risk. On each sample the dimension is chosen by privacy gain and the
        information kept (Mansour et al. 2021, Algorithm 2). Exit code 1 where none can be chosen. Nothing of
        the table is written.
        """
        from qidguard_qir.calls import find_dimension

        with output.progress() as progress:
            found = find_dimension(
                data,
                None if qids is None else listed_names(qids, "--qids"),
                alpha=alpha,
                beta=beta,
                anonymizer=anonymizer,
                k=numbers(k, "--k"),
                sizes=shares(sizes, "--sizes"),
                seeds=samples,
                seed=seed,
                entity=entity,
                read=reading.options(),
                settings=reading.settings(),
                progress=progress,
            )
        plots = {} if found.dimension is None else dict(zip(_DIMENSION_PLOTS, found.plots(), strict=True))
        output.show(*found.tables(), text=found.headline, plots=plots)
        return _exit_code(is_interrupted=found.is_interrupted, has_result=found.dimension is not None)

    return dimension


_DIMENSION_PLOTS = ("gain_by_dimension", "stability_of_choice")


def _compare() -> "click.Command":
    import click

    from qidguard.sdk import listed_names, output_options, reading_options, seed_option

    @click.command("compare")
    @_asked
    @click.option(
        "--nominated", metavar="A,B,...", help="What SQI chooses from.  [default: the 8 of most values]"
    )
    @click.option("--set", "others", metavar="NAME=A,B", multiple=True, help="A further choice; repeat it.")
    @click.option(
        "--k",
        metavar="K,...",
        default="4,6,10,17,20,26,29,35",
        show_default=True,
        help="Smallest classes on all records, persons.",
    )
    @click.option(
        "--sizes",
        metavar="%,...",
        default="10,20,30,40,50,60,70,80,90",
        show_default=True,
        help="Sizes of the data, percent of persons.",
    )
    @click.option(
        "--sizes-k", metavar="K,...", default="10,20", show_default=True, help="Smallest classes on those."
    )
    @seed_option
    @reading_options
    @output_options
    def compare(  # noqa: PLR0913 - one argument for each option of the command
        *,
        data: str,
        qids: str | None,
        alpha: float | None,
        beta: float | None,
        entity: str | None,
        anonymizer: str,
        nominated: str | None,
        others: tuple[str, ...],
        k: str,
        sizes: str,
        sizes_k: str,
        seed: int,
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Compare QIR's choice of columns with SQI's on the table DATA, over several k and sizes of the data.

        As in section 4.3 of Mansour et al. 2021, and beside it what an attacker gains who knows every
        quasi-identifier. Nothing of the table is written.
        """
        from qidguard_qir.calls import compare_choices

        with output.progress() as progress:
            _, found = compare_choices(
                data,
                None if qids is None else listed_names(qids, "--qids"),
                alpha=alpha,
                beta=beta,
                others=dict(named(one) for one in others),
                nominated=None if nominated is None else listed_names(nominated, "--nominated"),
                anonymizer=anonymizer,
                k=numbers(k, "--k"),
                sizes=shares(sizes, "--sizes"),
                sizes_k=numbers(sizes_k, "--sizes-k"),
                seed=seed,
                entity=entity,
                read=reading.options(),
                settings=reading.settings(),
                progress=progress,
            )
        has_figures = any(run.gain is not None for run in (*found.by_k, *found.by_size))
        plots = found.plots() if has_figures else {}
        output.show(*found.tables(), text=found.headline, plots=plots)
        return _exit_code(is_interrupted=found.is_interrupted, has_result=has_figures)

    return compare


def _of_table(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """Give a command the table, the thresholds and the entity."""
    import click

    options = (
        click.argument("data"),
        click.option("--alpha", type=float, metavar="%", help="Sensitive above it.  [default: proposed]"),
        click.option("--beta", type=float, metavar="%", help="QID from it on.  [default: proposed]"),
        click.option("--entity", metavar="NAME", help="The column whose values are the persons."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _asked(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """Give a command the table, its quasi-identifiers and the anonymizer."""
    import click

    from qidguard_qir.rehearsal import ANONYMIZER

    command = click.option(
        "--anonymizer",
        metavar="NAME[...]",
        default=ANONYMIZER,
        show_default=True,
        help="The anonymizer inside, parameters in brackets.",
    )(command)
    qids = click.option("--qids", metavar="A,B,...", help="The quasi-identifiers.  [default: by risk]")
    return _of_table(qids(command))
