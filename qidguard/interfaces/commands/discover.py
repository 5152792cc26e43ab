"""``qidguard discover``: search a table for its quasi-identifiers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.errors import ExitCode, NotMeasurable, PluginError, UserError
from qidguard.core.guard import PluginCode
from qidguard.interfaces import discover_options as given
from qidguard.interfaces.discover_writing import check_policy_file, write_policy
from qidguard.interfaces.options import format_option, output_option, quiet_option
from qidguard.interfaces.plot_files import KINDS, check_plot_folder, file_names, saved
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.reading import Reading, reading_options
from qidguard.interfaces.screen import check_output, console, forget_old, say, write_report

if TYPE_CHECKING:
    from qidguard.discovering.discovery import Discovery
    from qidguard.measuring.cost import SubsetPlan
    from qidguard.policy import Policy


INTERRUPTED = 130
"""Exit code after Ctrl-C, and 143 after SIGTERM; the best sets seen until then are printed."""


@click.command("discover", short_help="Search a table for its quasi-identifiers.")
@click.argument("data", required=False)
@click.option(
    "--policy", "-p", metavar="FILE", help="Its roles say what is searched, its discovery section how."
)
@click.option(
    "--strategy",
    "-s",
    metavar="NAME[width=5,...]",
    help="Search strategy, parameters in brackets.  [default: by the number of columns]",
)
@click.option(
    "--objective",
    callback=given.read(given.objective),
    metavar="NAME|METRIC=WEIGHT,...",
    help="What is to be as high as possible.  [default: recognition]",
)
@click.option(
    "--weight",
    "weights",
    callback=given.read(given.weights, "--weight"),
    metavar="METRIC=WEIGHT",
    multiple=True,
    help="Change a weight of the objective; repeat it.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="Seed of the random numbers.  [default: 0]"
)
@click.option(
    "--budget",
    "budget_seconds",
    type=float,
    metavar="SECONDS",
    help="When the search stops; inf for never.  [default: 60]",
)
@click.option(
    "--largest", type=click.IntRange(min=1), metavar="N", help="Columns that a set may have at most."
)
@click.option(
    "--candidates",
    callback=given.read(given.columns, "--candidates"),
    metavar="A,B,...",
    help="The columns to search.  [default: all that may be QIDs]",
)
@click.option("--target", metavar="COLUMN", help="The column that users of the data predict.")
@click.option("--treatment", metavar="COLUMN", help="The column whose effect users study.")
@click.option(
    "--sensitive",
    callback=given.read(given.sensitive),
    metavar="A,B,...",
    help="The columns that nobody should learn of a person.",
)
@click.option(
    "--truth",
    callback=given.read(given.truth),
    metavar="A,B,...|FILE",
    help="The true QIDs, to score what is found: names, a list, a policy.",
)
@click.option(
    "--top",
    "ranked",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Sets that are shown.",
)
@click.option(
    "--prefer-known/--no-prefer-known",
    default=None,
    help="Prefer what outsiders can plausibly know.  [default: among more than 15 columns]",
)
@click.option(
    "--pareto",
    "is_pareto",
    is_flag=True,
    help="Show the Pareto front, and search for it if the strategy can.",
)
@click.option(
    "--explain", is_flag=True, help="Say before the search how figures will be measured, and why so."
)
@click.option("--plots", metavar="FOLDER", help="Write plots of the search into a folder.")
@click.option("--write", metavar="POLICY", help="Add the QIDs found to a policy, or draft a new one.")
@format_option()
@output_option()
@quiet_option
@reading_options
def discover_command(  # noqa: PLR0913 - one argument for each option that is no part of the search
    *,
    data: str | None,
    policy: str | None,
    explain: bool,
    plots: str | None,
    write: str | None,
    kind: str,
    output: str | None,
    quiet: bool,
    reading: Reading,
    **asked: Any,
) -> int:
    """Search the table DATA for the sets of columns that single people out most, and say why these.

    A search sees codes and counts. It cannot know which columns an outsider knows: a person decides that.
    Ctrl-C, and the end of the budget, give the best sets seen until then.

    With --write the columns found are added to roles.quasi_identifiers; nothing is taken away.

    Exit code: 0 found, 2 a mistake in what was given, 3 a plugin or qidguard itself failed, 130 after Ctrl-C,
    143 after SIGTERM.
    """
    from qidguard.policy import load_policy
    from qidguard.trials.read_places import other_sources

    rules = None if policy is None else load_policy(policy)
    check_output(output, *(() if rules is None else other_sources(rules)))
    if write is not None:
        check_policy_file(write, data, output)
    if plots is not None:
        check_folder(plots)
    asked["on_plan"] = _say_plan if explain else None
    forget_old(output)
    found = _found(data, rules, reading, asked, is_quiet=quiet)
    _show(found, kind, output, has_front=asked["is_pareto"], has_plan=explain)
    is_interrupted = found.search.stopped_by.value == "interrupted"
    if plots is not None:
        for sentence in save_plots(found, plots):
            say(sentence)
    if write is not None and is_interrupted:
        say(f"{write}: nothing was written, because the search was interrupted.")
    elif write is not None:
        for sentence in write_policy(write, found, reading.options(rules)):
            say(sentence)
    if is_interrupted:
        say("Interrupted before the end: these are the best sets seen until then.")
        return INTERRUPTED
    if found.search.stopped_by.value == "budget" and not quiet:
        say("The budget ended the search: these are the best sets seen until then.")
    return ExitCode.PASSED


def _found(
    data: str | None, rules: "Policy | None", reading: Reading, asked: dict[str, Any], *, is_quiet: bool
) -> "Discovery":
    from qidguard.discovering.discover import discover

    with progress_bar(is_quiet=is_quiet) as progress:
        try:
            return discover(
                data,
                policy=rules,
                read=reading.options(rules),
                settings=reading.settings(rules),
                progress=progress,
                **asked,
            )
        except NotMeasurable as reason:
            raise UserError(f"nothing could be found: {reason}") from None


def _show(found: "Discovery", kind: str, output: str | None, *, has_front: bool, has_plan: bool) -> None:
    if kind == "json":
        write_report(found.to_json(), output)
        return
    from qidguard.discovering.console import console_text, parts

    if output not in {None, "-"}:
        write_report(console_text(found, has_front=has_front, has_plan=has_plan), output)
        return
    screen = console()
    is_ascii = screen.options.ascii_only
    for part in parts(
        found, min(screen.width, 120), is_ascii=is_ascii, has_front=has_front, has_plan=has_plan
    ):
        screen.print(part)


def _say_plan(plan: "SubsetPlan") -> None:
    say(f"Figures are measured by {plan.path.value}: {plan.reason}")
    if plan.seconds:
        estimates = ", ".join(f"{path.value} {seconds:.3g} s" for path, seconds in plan.seconds.items())
        say(f"Estimated: {estimates}; {plan.bytes / 1e6:,.0f} MB beside the engine's own.")


def check_folder(folder: str) -> None:
    """Check before a search that plots can be made and where.

    Example:
        >>> check_folder(".")
    """
    from qidguard.host import load_host

    host = load_host()
    if not host.search_plots and not host.search_strategies:
        raise UserError("--plots: no loaded plugin draws a search; qidguard plugins lists what is loaded")
    check_plot_folder(folder)


def save_plots(found: "Discovery", folder: str) -> tuple[str, ...]:
    """Save every plot of a search."""
    from qidguard.host import load_host

    host = load_host()
    check_plot_folder(folder)
    said = []
    for name, plot in host.search_plots.items():
        owner = host.owner("search_plots", name)
        try:
            with PluginCode(owner, f"plot {name!r}"):
                drawn = plot.draw(found.search)
            if not callable(getattr(drawn, "save", None)):
                kind = type(drawn).__name__
                raise PluginError(f"{owner}: plot {name!r} drew {kind}, not Plot; mend the plugin")
            said += [str(drawn.save(Path(folder) / f"{name}.{kind}")) for kind in KINDS]
        except NotMeasurable as reason:
            said.append(f"{name}: {reason}")
    owner = host.owner("search_strategies", found.strategy)
    named = file_names(found.strategy, found.plots, set(host.search_plots))
    said += saved(named, folder, owner, f"plot of search strategy {found.strategy!r}")
    return tuple(said) or ("nothing was drawn: neither a plugin nor the strategy has a plot of this search",)
