"""``qidguard hybrid_dp noise``: what noise on one column does, without a table."""

from fractions import Fraction
from typing import TYPE_CHECKING

import click

from qidguard.sdk import NotMeasurable, UserError, output_options

if TYPE_CHECKING:
    from qidguard.sdk import ResultOutput

FINE = "fine"
BOTH = "both"
FAILED = 1
_LONGEST = 100


@click.command("noise")
@click.option("--bounds", metavar="LOW,HIGH", required=True, help="What the column may hold, declared.")
@click.option("--epsilon", metavar="E", default="3", show_default=True, help="ε, such as 3 or 1/10.")
@click.option(
    "--scale",
    type=click.Choice([BOTH, "range", "unit"]),
    default=BOTH,
    show_default=True,
    help="What the noise is made for.",
)
@click.option(
    "--step",
    metavar="S",
    default="1",
    show_default=True,
    help=f"How far values lie apart; {FINE} is for decimal numbers.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=0),
    metavar="N",
    default=100_000,
    show_default=True,
    help="Draws of the test for each of two values; 0 leaves it out.",
)
@output_options
def noise_command(
    *, bounds: str, epsilon: str, scale: str, step: str, draws: int, output: "ResultOutput"
) -> int:
    """Show what noise on a column with these bounds does to its values, and test its ε on OpenDP.

    No table is read, and nothing is charged. The exit code is 1 where the test of ε fails.
    """
    from qidguard.sdk import ValueType
    from qidguard_hybrid_dp.noise.column import NoiseScale, noised_column
    from qidguard_hybrid_dp.noise.figures import figures_of, figures_table
    from qidguard_hybrid_dp.noise.plots import density_plot
    from qidguard_hybrid_dp.noise.receipt import written

    low, high = _two(bounds)
    asked = exact(epsilon, "--epsilon")
    scales = tuple(NoiseScale) if scale == BOTH else (NoiseScale(scale),)
    try:
        width = None if step == FINE else exact(step, "--step")
        column = noised_column("the column", ValueType.NUMBER, (low, high), width)
        with output.progress() as progress:
            figures = [
                figures_of(
                    column,
                    asked,
                    one,
                    draws=draws,
                    tell=lambda done, of, name=one.value: progress.step(f"noise at {name} scale", done, of),  # type: ignore[misc]  # mypy sees no type in a default
                )
                for one in scales
            ]
        possible = [one.scale for one in figures if not one.refused]
        if not possible:
            raise UserError(figures[0].refused)
        plots = {"noise": density_plot(column, asked, possible)} if output.plots else {}
    except NotMeasurable as reason:
        raise UserError(str(reason)) from None
    is_failed = any(one.test and not (one.test.is_claim_kept and one.test.is_scale_right) for one in figures)
    verdict = "not tested" if not draws else "FAILED" if is_failed else "passed"
    shown = f"{written(low)}..{written(high)} in steps of {written(column.step)}, ε = {written(asked)}"
    output.show(figures_table(figures), text=f"NOISE  {shown}: {verdict}", plots=plots)
    for one in figures:
        if one.refused:
            output.remark(f"no {one.scale.value} scale: {one.refused}")
    return FAILED if is_failed else 0


def exact(text: str, option: str) -> Fraction:
    """Return a number as it is typed.

    Example:
        >>> exact("0.1", "--epsilon"), exact("1/3", "--epsilon")
        (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        if len(text) <= _LONGEST:
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise UserError(f"{option} takes a number such as 3, 0.1 or 1/3; not {text[:_LONGEST]!r}")


def _two(text: str) -> tuple[Fraction, Fraction]:
    low, comma, high = text.partition(",")
    if not comma:
        raise UserError(f"--bounds takes two numbers with a comma between them, such as 17,90; not {text!r}")
    return exact(low.strip(), "--bounds"), exact(high.strip(), "--bounds")
