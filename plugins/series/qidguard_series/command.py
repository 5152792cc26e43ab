"""``qidguard series``: plan releases of the same people, one after the other."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qidguard.sdk import (
    NotMeasurable,
    Reading,
    ResultOutput,
    UserError,
    document_options,
    reading_options,
    visible,
)

if TYPE_CHECKING:
    from qidguard_series.plan import SeriesPlan


INTERRUPTED = 130
"""Exit code after Ctrl-C; the ways that were done are printed."""
_SHARE = click.FloatRange(0, 1)


@click.command("plan", short_help="Simulate a series, and see what keeping it costs.")
@click.argument("data", required=False)
@click.option("--policy", "-p", metavar="FILE", required=True, help="The policy of the series.")
@click.option("--leave", metavar="SHARE", type=_SHARE, help="Who leaves from one release to the next: 0.02.")
@click.option("--come", metavar="SHARE", type=_SHARE, help="Who comes, as a share of who is there.")
@click.option(
    "--change", metavar="SHARE", type=_SHARE, help="Who stays and has a quasi-identifier drawn anew."
)
@click.option("--come-back", metavar="SHARE", type=_SHARE, help="Who returns, of those who left.")
@click.option("--erase", metavar="SHARE", type=_SHARE, help="Who leaves and has to be deleted at once.")
@click.option(
    "--releases",
    metavar="N",
    type=click.IntRange(2, 1000),
    default=12,
    show_default=True,
    help="Releases of the series, the first one counted.",
)
@click.option(
    "--earlier", metavar="FILE", multiple=True, help="An earlier file, the oldest first; repeat it."
)
@click.option(
    "--first", metavar="N", type=click.IntRange(1), help="Persons of the first release; others come."
)
@click.option(
    "--stay",
    metavar="0,6,12,until_k",
    help="How long last values of leavers stay, in releases.  [default: 0,6,12,until_k]",
)
@click.option("--wait", metavar="0,3,...", help="How long newcomers wait, in releases.")
@click.option("--group-size", metavar="1,6,...", help="Smallest first groups, in times of k.")
@click.option(
    "--exits",
    type=click.Choice(["unknown", "known", "both"]),
    default="unknown",
    show_default=True,
    help="Whether it is known when each person will leave.",
)
@click.option(
    "--with", "anonymizer", metavar="NAME[...]", help="The anonymizer.  [default: the one for a series]"
)
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, (1 << 63) - 1),
    default=0,
    show_default=True,
    help="Seeds who moves, and the anonymizer.",
)
@document_options("plan", plots="Draw loss and stale records into a folder.")
@reading_options
def plan_command(
    *,
    data: str | None,
    policy: str,
    stay: str | None,
    wait: str | None,
    group_size: str | None,
    earlier: tuple[str, ...],
    output: ResultOutput,
    reading: Reading,
    **said: Any,
) -> int:
    """Simulate the releases of a series from the table DATA, and show what each way of keeping it costs.

    Persons leave, come and change by the shares that are stated, or as earlier files tell. Each way is
    measured release by release, by what all releases tell together. Nothing of the table is written, and
    nothing is published.

    Exit code: 0 a way keeps the series, 1 none does, 2 a mistake in what was given, 3 a plugin or qidguard
    itself failed, 130 after Ctrl-C, which shows what is done so far.
    """
    from qidguard.sdk import load_policy
    from qidguard_series.planning import plan_series

    rules = load_policy(policy)
    tried: dict[str, Any] = {
        "leavers_stay": _tried(stay, "--stay", _number_or_word),
        "newcomers_wait": _tried(wait, "--wait", int),
        "group_size": _tried(group_size, "--group-size", float),
    }
    output.begin(rules, data, policy, *earlier)
    with output.progress() as progress:
        plan = plan_series(
            data,
            rules,
            earlier=earlier,
            read=reading.options(rules),
            settings=reading.settings(rules),
            progress=progress,
            **tried,
            **said,
        )
    output.show_page(plan.page(), plan.to_json)
    if output.plots is not None:
        _draw(plan, output.plots)
    if plan.is_interrupted:
        _say("Interrupted before the end: these are the ways that were done until then.")
        return INTERRUPTED
    return plan.exit_code


def _number_or_word(written: str) -> int | str:
    return int(written) if written.isdecimal() else written


def _tried(written: str | None, option: str, read: Any) -> tuple[Any, ...] | None:
    """Return the values of a list, None where it is not given.

    Example:
        >>> _tried("0, until_k", "--stay", _number_or_word)
        (0, 'until_k')
    """
    if written is None:
        return None
    parts = [part.strip() for part in written.split(",")]
    try:
        values = tuple(read(part) for part in parts)
    except ValueError:
        values = ()
    if not values or not all(parts):
        raise UserError(f"{option} takes numbers with commas between them, not {written!r}")
    return values


def _draw(plan: "SeriesPlan", folder: str) -> None:
    try:
        plot = plan.plot()
    except NotMeasurable as reason:
        _say(f"--plots: nothing was drawn, for {reason}.")
        return
    for kind in ("svg", "png"):
        _say(str(plot.save(Path(folder) / f"series_plan.{kind}")))


def _say(sentence: str) -> None:
    click.echo(visible(sentence), err=True)


@click.group("series", short_help="Plan a series of releases.")
def series_group() -> None:
    """Plan releases of the same people, one after the other."""


series_group.add_command(plan_command)
