"""``qidguard qir classify``: the columns of a table by their risk, on the command line."""

from typing import TYPE_CHECKING

from qidguard.sdk import Preprocessing, Spelling, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

    from qidguard.sdk import Reading, ResultOutput


def classify_command() -> "click.Command":
    """Return the command ``classify``."""
    import click

    from qidguard.sdk import output_options, reading_options

    @click.command("classify")
    @click.argument("data")
    @click.option("--alpha", type=float, metavar="%", help="Risk above which a column is sensitive (SA).")
    @click.option("--beta", type=float, metavar="%", help="Risk from which a column is a QID.")
    @click.option("--of", "only", metavar="NAME", multiple=True, help="Classify this column; repeat it.")
    @click.option("--without", metavar="NAME", multiple=True, help="Leave this column out; repeat it.")
    @click.option("--entity", metavar="NAME", help="The column whose values are the persons.")
    @click.option(
        "--g",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Class size of g-distinct, persons.",
    )
    @click.option(
        "--as-one",
        metavar="NAME=WAY,...",
        multiple=True,
        help=f"Take values that differ only so as one: {', '.join(Spelling)}; repeat it.",
    )
    @click.option(
        "--round",
        "rounded",
        metavar="NAME=PLACES",
        multiple=True,
        help="Round numbers: 0 to whole ones, -1 to tens; repeat it.",
    )
    @reading_options
    @output_options
    def classify_columns(  # noqa: PLR0913 - one argument for each option of the command
        *,
        data: str,
        alpha: float | None,
        beta: float | None,
        only: tuple[str, ...],
        without: tuple[str, ...],
        entity: str | None,
        g: int,
        as_one: tuple[str, ...],
        rounded: tuple[str, ...],
        reading: "Reading",
        output: "ResultOutput",
    ) -> int:
        """Classify the columns of the table DATA by their re-identification risk.

        Sensitive above alpha, quasi-identifier from beta to alpha, neither below (Mansour et al. 2021,
        Algorithm 1). Without thresholds both are proposed. Nothing of the table is written.
        """
        from qidguard_qir.classification import classify

        found = classify(
            data,
            only or None,
            without=without,
            alpha=alpha,
            beta=beta,
            entity=entity,
            g=g,
            preprocessing=preparations(as_one, rounded),
            read=reading.options(),
            settings=reading.settings(),
        )
        plots = {"risk": found.plot()} if output.plots is not None else {}
        output.show(*found.tables(), text=found.headline, plots=plots)
        return 0

    return classify_columns


def preparations(as_one: "Sequence[str]", rounded: "Sequence[str]") -> dict[str, Preprocessing]:
    """Return column → how it is prepared, from the texts of the options.

    Example:
        >>> preparations(["town=case,blanks"], ["age=-1"])["age"].decimals
        -1
    """
    spellings: dict[str, tuple[Spelling, ...]] = {}
    decimals: dict[str, int] = {}
    for text in as_one:
        name, ways = _parted(text, "--as-one", "town=case,blanks")
        try:
            spellings[name] = tuple(Spelling(way.strip()) for way in ways.split(","))
        except ValueError:
            known = ", ".join(Spelling)
            raise UserError(f"--as-one knows the ways {known}; not {ways!r}") from None
    for text in rounded:
        name, places = _parted(text, "--round", "age=-1")
        try:
            decimals[name] = int(places)
        except ValueError:
            raise UserError(f"--round takes a whole number of places, such as age=-1; not {text!r}") from None
    return {
        name: Preprocessing(spellings=spellings.get(name, ()), decimals=decimals.get(name))
        for name in (*spellings, *(name for name in decimals if name not in spellings))
    }


def _parted(text: str, option: str, example: str) -> tuple[str, str]:
    name, equals, rest = text.rpartition("=")
    if not (name and equals and rest.strip()):
        raise UserError(f"{option} takes a column and what to do, such as {example}; not {text!r}")
    return name, rest
