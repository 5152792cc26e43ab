"""``qidguard anonymize --pareto``: the solutions of a method on a screen, as JSON and as plots."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode, NotMeasurable
from qidguard.interfaces.plot_files import KINDS, file_names, saved
from qidguard.interfaces.progress_bar import progress_bar
from qidguard.interfaces.screen import console, say

if TYPE_CHECKING:
    from qidguard.interfaces.reading import Reading
    from qidguard.policy import Policy
    from qidguard.trials.pareto.pareto_front import ParetoFront


def show_front(  # noqa: PLR0913 - what a person may say of it
    source: str,
    policy: "Policy",
    *,
    anonymizer: str | None,
    choose: str | None,
    seed: int | None,
    reading: "Reading",
    plots: str | None,
    kind: str,
    is_quiet: bool,
) -> ExitCode:
    """Show all solutions; no table is written. 0 where the chosen one meets the policy in memory, else 1."""
    from qidguard.trials.pareto.run import pareto

    with progress_bar(is_quiet=is_quiet) as progress:
        front = pareto(
            source,
            policy=policy,
            anonymizer=anonymizer,
            choose=choose,
            seed=seed,
            read=reading.options(policy),
            settings=reading.settings(policy),
            progress=progress,
        )
    files = [] if plots is None else _drawn(front, plots)
    if kind == "json":
        click.echo(front.to_json().removesuffix("\n"))
    else:
        screen = console()
        click.echo("\n".join(front.lines(screen.width, is_ascii=screen.options.ascii_only)))
        click.echo("\nNOT WRITTEN  Name a file with --to and the chosen one is made, audited and written.")
    if not is_quiet:
        for file in files:
            say(f"Written to {file}.")
    chosen = front.choice.solutions[front.choice.chosen]
    return ExitCode.BLOCKED if chosen.is_met is False else ExitCode.PASSED


def _drawn(front: "ParetoFront", folder: str) -> list[str]:
    """Write the front, and what the method draws of it, into a folder; return the files."""
    files = []
    try:
        plot = front.plot()
    except NotMeasurable as reason:
        say(f"No front is drawn: {reason}.")
    else:
        files += [str(plot.save(Path(folder) / f"pareto.{kind}")) for kind in KINDS]
    named = file_names(front.anonymizer, front.own_plots, {"pareto"})
    return [*files, *saved(named, folder, front.anonymizer, "a plot of its solutions")]
