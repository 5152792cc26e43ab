"""``qidguard compare``: methods beside one another, the risk left beside what was lost."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import UserError
from qidguard.interfaces.options import (
    format_option,
    judging_policy,
    loss_options,
    output_option,
    quiet_option,
    repeating_seed,
)
from qidguard.interfaces.plot_files import can_draw, check_plot_folder, file_names, saved
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, losses_named, reading_options
from qidguard.interfaces.screen import check_output, console, forget_old, say, write_report

if TYPE_CHECKING:
    from qidguard.trials.comparing.comparison import Comparison

INTERRUPTED = 130
"""Exit code after Ctrl-C; the rows that were done are printed."""
_KINDS = (".svg", ".png", ".html")


@click.command("compare", short_help="Compare methods: the risk left beside what was lost.")
@click.argument("data", required=False)
@judging_policy
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
@repeating_seed()
@loss_options
@click.option("--plot", metavar="FILE", help="Draw risk and loss into a .svg, .png or .html file.")
@click.option("--plots", metavar="FOLDER", help="Write what each method draws into a folder.")
@click.option(
    "--risk",
    type=click.Choice(["average", "highest"]),
    default="average",
    show_default=True,
    help="The risk that --plot draws.",
)
@format_option()
@output_option()
@quiet_option
@reading_options
def compare_command(  # noqa: PLR0913 - one argument for each option of the command
    *,
    data: str | None,
    policy: str,
    anonymizers: tuple[str, ...],
    seed: int | None,
    attacks: tuple[str, ...],
    utility: str,
    losses: str | None,
    plot: str | None,
    plots: str | None,
    risk: str,
    kind: str,
    output: str | None,
    quiet: bool,
    reading: Reading,
) -> int:
    """Run several methods on a private copy of the table DATA and hold the results beside one another.

    Each result is judged by the policy from scratch. A method that cannot meet the policy, or that fails, is
    a row that says so. Nothing of the table is written.

    Exit code: 0 the policy holds on at least one result, 1 on none, 2 a mistake in what was given, 3 a plugin
    or qidguard itself failed, 130 after Ctrl-C, which shows what is done so far.
    """
    from qidguard.auditing.context import source_of
    from qidguard.policy import load_policy
    from qidguard.trials.comparing.compare import compare
    from qidguard.trials.comparing.comparison import choices
    from qidguard.trials.comparing.row import AVERAGE_RISK, HIGHEST_RISK
    from qidguard.trials.read_places import other_sources

    rules = load_policy(policy)
    source = source_of(data, rules)
    read = (source, policy, *other_sources(rules))
    check_output(output, *read)
    if plot is not None:
        _check_plot(plot)
        check_output(plot, *read, option="--plot")
        if output is not None and Path(output).absolute() == Path(plot).absolute():
            raise UserError(f"--output and --plot both name {plot!r}; name two files")
    if plots is not None:
        check_plot_folder(plots)
    named = choices(",".join(anonymizers)) if anonymizers else None
    forget_old(output)
    with progress_bar(is_quiet=quiet) as progress:
        found = compare(
            source,
            policy=rules,
            anonymizers=named,
            seed=seed,
            attacks=attacks,
            losses=losses_named(losses),
            has_models=utility == "models",
            has_plots=plots is not None,
            read=reading.options(rules),
            settings=reading.settings(rules),
            progress=progress,
        )
    _show(found, kind, output)
    if plot is not None:
        _draw(found, plot, AVERAGE_RISK if risk == "average" else HIGHEST_RISK)
    if plots is not None:
        _draw_each(found, plots)
    if found.is_interrupted:
        say("Interrupted before the end: these are the methods that were done until then.")
        return INTERRUPTED
    return found.exit_code


def _check_plot(path: str) -> None:
    """Check before the work that a plot can be drawn."""
    if Path(path).suffix.lower() not in _KINDS:
        raise UserError(f"--plot: a plot is saved as .png, .svg or .html, not {path!r}; name one")
    if not can_draw():
        raise UserError("--plot: plots are drawn by altair and vl-convert-python; install qidguard[plots]")


def _draw(found: "Comparison", path: str, risk: str) -> None:
    from qidguard.core.errors import NotMeasurable

    try:
        say(str(found.plot(risk=risk).save(path)))
    except NotMeasurable as reason:
        say(f"--plot: nothing was drawn, for {reason}.")


def _draw_each(found: "Comparison", folder: str) -> None:
    from qidguard.host import load_host

    host, taken, is_any = load_host(), set[str](), False
    for row in found.methods:
        owner = host.owner("anonymizers", row.method)
        for path in saved(
            file_names(row.label, row.plots, taken), folder, owner, f"plots of anonymizer {row.method!r}"
        ):
            say(path)
            is_any = True
    if not is_any:
        say("--plots: nothing was drawn, for none of these methods draws anything.")


def _show(found: "Comparison", kind: str, output: str | None) -> None:
    if kind == "json":
        write_report(found.to_json(), output)
        return
    from qidguard.trials.comparing.console import console_text, parts

    if output not in {None, "-"}:
        write_report(console_text(found), output)
        return
    screen = console()
    for part in parts(found, min(screen.width, 120), is_ascii=screen.options.ascii_only):
        screen.print(part)
