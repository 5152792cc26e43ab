"""``qidguard history``: what was audited, released, blocked, approved and spent."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.home_ledger import home_ledger
from qidguard.interfaces.options import format_option, ledger_option
from qidguard.interfaces.screen import console, say

if TYPE_CHECKING:
    from qidguard.ledger import Ledger
    from qidguard.releasing.history.timeline import Event


@click.command("history", short_help="What was audited, released, blocked, approved and spent.")
@click.argument("data_set", required=False)
@click.option("--check", is_flag=True, help="Check that no row of the ledger was changed.")
@click.option(
    "--accept",
    metavar="WORDS",
    help="Take the ledger for sound although this machine cannot tell, and record why: where anchors, or the"
    " ledger's end, were lost.",
)
@ledger_option
@format_option("history")
def history_command(
    *, data_set: str | None, check: bool, accept: str | None, ledger: str | None, kind: str
) -> ExitCode:
    """Show the history of the data set DATA_SET, or of all, oldest first.

    With --check every row of the ledger is compared with the chain of hashes: exit code 0 when nothing was
    changed, 1 when something was, or the ledger is gone. Releases look at what is new before they decide, and
    every seven days at all of it.
    """
    from qidguard.ledger.error import LostError
    from qidguard.releasing.history.timeline import events

    if accept is not None:
        return _accepted(ledger, accept)
    try:
        with home_ledger(ledger, is_to_look=not check) as opened:
            if check:
                return _checked(opened)
            found = events(list(opened.entries(data_set=data_set)))
    except LostError as error:
        if not check:
            raise
        say(str(error))
        click.echo("CHANGED  the ledger is gone")
        return ExitCode.BLOCKED
    if kind == "json":
        click.echo(json.dumps([asdict(event) for event in found], indent=2))
        return ExitCode.PASSED
    if not found:
        say(f"The ledger holds nothing of {data_set!r}." if data_set else "The ledger is empty.")
        return ExitCode.PASSED
    _print(found)
    return ExitCode.PASSED


def _checked(ledger: "Ledger") -> ExitCode:
    faults = ledger.check()
    for fault in faults:
        say(fault)
    if faults:
        click.echo(f"CHANGED  {len(faults):,} {'fault' if len(faults) == 1 else 'faults'}")
        return ExitCode.BLOCKED
    sequence, digest = ledger.head()
    click.echo(f"UNCHANGED  {sequence:,} entries, head {digest[:16]}")
    return ExitCode.PASSED


def _accepted(url: str | None, words: str) -> ExitCode:
    from datetime import UTC, datetime

    from qidguard.evidence.home import Home
    from qidguard.ledger import open_ledger
    from qidguard.releasing.context import responsible

    home = Home.at()
    address = url or home.default_ledger()
    with open_ledger(address, anchors=home.anchors_file(), is_accepting=True) as ledger:
        entry = ledger.accept(words, by=responsible({"door": "command"}), at=datetime.now(UTC))
    click.echo(f"ACCEPTED  as it stood at entry {entry.sequence - 1:,}; the ledger says why in {entry.id}")
    return ExitCode.PASSED


def _print(found: "list[Event]") -> None:
    from rich.table import Table
    from rich.text import Text

    from qidguard.rendering.printable import visible

    colors = {"published": "green", "blocked": "red", "failed": "red"}
    colors |= {"audit passed": "green", "audit blocked": "red"}
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("when (UTC)", "data set", "what", "id", "detail"):
        table.add_column(title, overflow="fold", no_wrap=title == "when (UTC)")
    for event in found:
        words = Text(event.what, style=colors.get(event.what, "yellow"))
        table.add_row(
            Text(event.at),
            Text(visible(event.data_set)),
            words,
            Text(visible(event.id)),
            Text("\n".join(visible(words) for words in (event.detail, event.advice) if words)),
        )
    console().print(table)
