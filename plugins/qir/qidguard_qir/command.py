"""``qidguard qir``: the classes, the dimension, and QIR beside SQI, on the command line."""

from typing import TYPE_CHECKING, Any

from qidguard.sdk import Command, UserError, listed_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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

    from qidguard.sdk import output_options, reading_options, seed_option

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
    def dimension(
        *,
        data: str,
        qids: str | None,
        k: str,
        sizes: str,
        samples: int,
        reading: "Reading",
        output: "ResultOutput",
        **asked: Any,
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
                k=numbers(k, "--k"),
                sizes=shares(sizes, "--sizes"),
                seeds=samples,
                read=reading.options(),
                settings=reading.settings(),
                progress=progress,
                **asked,
            )
        plots = {} if found.dimension is None else dict(zip(_DIMENSION_PLOTS, found.plots(), strict=True))
        output.show(*found.tables(), text=found.headline, plots=plots)
        return _exit_code(is_interrupted=found.is_interrupted, has_result=found.dimension is not None)

    return dimension


_DIMENSION_PLOTS = ("gain_by_dimension", "stability_of_choice")


def _compare() -> "click.Command":
    import click

    from qidguard.sdk import output_options, reading_options, seed_option

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
        nominated: str | None,
        others: tuple[str, ...],
        k: str,
        sizes: str,
        sizes_k: str,
        reading: "Reading",
        output: "ResultOutput",
        **asked: Any,
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
                others=dict(named(one) for one in others),
                nominated=None if nominated is None else listed_names(nominated, "--nominated"),
                k=numbers(k, "--k"),
                sizes=shares(sizes, "--sizes"),
                sizes_k=numbers(sizes_k, "--sizes-k"),
                read=reading.options(),
                settings=reading.settings(),
                progress=progress,
                **asked,
            )
        has_figures = any(run.gain is not None for run in (*found.by_k, *found.by_size))
        plots = found.plots() if has_figures else {}
        output.show(*found.tables(), text=found.headline, plots=plots)
        return _exit_code(is_interrupted=found.is_interrupted, has_result=has_figures)

    return compare


def _asked(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """Give a command the table, the thresholds, the entity, the quasi-identifiers and the anonymizer."""
    import click

    from qidguard_qir.gain import ANONYMIZER

    options = (
        click.argument("data"),
        click.option("--alpha", type=float, metavar="%", help="Sensitive above it.  [default: proposed]"),
        click.option("--beta", type=float, metavar="%", help="QID from it on.  [default: proposed]"),
        click.option("--entity", metavar="NAME", help="The column whose values are the persons."),
        click.option("--qids", metavar="A,B,...", help="The quasi-identifiers.  [default: by risk]"),
        click.option(
            "--anonymizer",
            metavar="NAME[...]",
            default=ANONYMIZER,
            show_default=True,
            help="The anonymizer inside, parameters in brackets.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Return the whole numbers in a list with commas.

    Example:
        >>> numbers("5, 15", "--k")
        (5, 15)
    """
    try:
        return tuple(int(one) for one in text.split(","))
    except ValueError:
        raise UserError(
            f"{option} takes whole numbers with commas between them, such as 5,15; not {text!r}"
        ) from None


def shares(text: str, option: str) -> "Sequence[float | None]":
    """Return the shares of a list of percents with commas; 100 percent is the whole table as it stands.

    Example:
        >>> shares("10, 2.5%, 100", "--sizes")
        (0.1, 0.025, None)
    """
    try:
        percents = [float(one.strip().removesuffix("%")) for one in text.split(",")]
    except ValueError:
        percents = [0.0]
    if not all(0 < percent <= 100 for percent in percents):  # noqa: PLR2004 - percent
        raise UserError(
            f"{option} takes percents above 0 and up to 100 with commas between them, such as 10,50; not"
            f" {text!r}"
        )
    return tuple(None if percent == 100 else percent / 100 for percent in percents)  # noqa: PLR2004 - percent


def named(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and the columns of a choice.

    Example:
        >>> named("mine=age,sex")
        ('mine', ('age', 'sex'))
    """
    name, equals, columns = text.partition("=")
    if not name.strip() or not equals:
        raise UserError(f"--set takes a name and columns, such as mine=age,sex; not {text!r}")
    return name.strip(), listed_names(columns, "--set")
