"""``qidguard compare``, and the solutions that ``qidguard anonymize --pareto`` shows."""

from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from qidguard.sdk import MethodRequest, NotMeasurable, ResultOutput, method_options, output_options
from qidguard_comparison.comparing import choices, compare
from qidguard_comparison.page import comparison_page
from qidguard_comparison.pareto_front import pareto
from qidguard_comparison.row import AVERAGE_RISK, HIGHEST_RISK

if TYPE_CHECKING:
    from qidguard.sdk import Policy, Reading
    from qidguard_comparison.comparison import Comparison

INTERRUPTED = 130
"""Exit code after Ctrl-C; the rows that were done are printed."""


@click.command("compare", short_help="Compare methods: the risk left beside what was lost.")
@method_options
@click.option(
    "--with",
    "--anonymizers",
    "--anonymizer",
    "-a",
    "anonymizers",
    metavar="A,B[k=5],...|all",
    multiple=True,
    help="Their names, parameters in brackets; all: each that can take k from the policy. Repeat it."
    "  [default: those that suit most tables]",
)
@click.option("--plot", metavar="FILE", help="Draw risk and loss into a .svg, .png or .html file.")
@click.option(
    "--risk",
    type=click.Choice(["average", "highest"]),
    default="average",
    show_default=True,
    help="The risk that --plot draws.",
)
@output_options(has_tables=False)
def compare_command(
    *,
    asked: MethodRequest,
    anonymizers: tuple[str, ...],
    plot: str | None,
    risk: str,
    output: ResultOutput,
) -> int:
    """Run several methods on a private copy of the table DATA and hold the results beside one another.

    Each result is judged by the policy from scratch. A method that cannot meet the policy, or that fails, is
    a row that says so. Nothing of the table is written. --plots draws what each method draws of its result.

    Exit code: 0 the policy holds on at least one result, 1 on none, 2 a mistake in what was given, 3 a plugin
    or qidguard itself failed, 130 after Ctrl-C, which shows what is done so far.
    """
    if plot is not None:
        asked.check_plot(plot, output.output)
    named = choices(",".join(anonymizers)) if anonymizers else None
    with output.progress() as progress:
        found = compare(
            asked.source,
            asked.policy,
            anonymizers=named,
            has_plots=output.plots is not None,
            progress=progress,
            **asked.measured,
        )
    output.show_page(comparison_page(found), found.to_json)
    if plot is not None:
        _draw(found, plot, AVERAGE_RISK if risk == "average" else HIGHEST_RISK, output)
    if output.plots is not None:
        taken = set[str]()
        for row in found.methods:
            output.save_drawn(row.label, row.method, row.plots, taken)
        if not taken:
            click.echo("--plots: nothing was drawn, for none of these methods draws anything.", err=True)
    if found.is_interrupted:
        click.echo("Interrupted before the end: these are the methods that were done until then.", err=True)
        return INTERRUPTED
    return found.exit_code


def _draw(found: "Comparison", path: str, risk: str, output: ResultOutput) -> None:
    try:
        output.remark(str(found.plot(risk=risk).save(path)))
    except NotMeasurable as reason:
        click.echo(f"--plot: nothing was drawn, for {reason}.", err=True)


def show_front(
    source: str, policy: "Policy", *, reading: "Reading", output: ResultOutput, **asked: Any
) -> int:
    """Show all solutions; no table is written. 0 where the chosen one meets the policy in memory, else 1."""
    read, settings = reading.options(policy), reading.settings(policy)
    with output.progress() as progress:
        front = pareto(source, policy, read=read, settings=settings, progress=progress, **asked)
    if output.plots is not None:
        try:
            output.save_plots({"pareto": front.plot()})
        except NotMeasurable as reason:
            click.echo(f"No front is drawn: {reason}.", err=True)
        output.save_drawn(front.anonymizer, front.anonymizer, front.own_plots, {"pareto"})
    if output.kind == "json":
        click.echo(front.to_json().removesuffix("\n"))
    else:
        screen = Console()
        click.echo("\n".join(front.lines(screen.width, is_ascii=screen.options.ascii_only)))
        click.echo("\nNOT WRITTEN  Name a file with --to and the chosen one is made, audited and written.")
    return 1 if front.choice.solutions[front.choice.chosen].is_met is False else 0
