"""``qidguard history``: what was audited, released, blocked, approved and spent."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from qidguard.core.errors import ExitCode
from qidguard.interfaces.screen import console, say

if TYPE_CHECKING:
    from qidguard.releasing.history.timeline import Event


@click.command("history", short_help="What was audited, released, blocked, approved and spent.")
@click.argument("name", required=False)
@click.option("--check", is_flag=True, help="Check that no row of the ledger was changed.")
@click.option("--ledger", metavar="URL", help="SQLite file or PostgreSQL URL.  [default: QIDGUARD_LEDGER]")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["console", "json"]),
    default="console",
    show_default=True,
    help="How the history is written.",
)
def history_command(*, name: str | None, check: bool, ledger: str | None, kind: str) -> ExitCode:
    """Show the history of the data set NAME, or of all, oldest first.

    With --check every row of the ledger is compared with the chain of hashes: exit code 0 when nothing was
    changed, 1 when something was.
    """
    from qidguard.evidence.home import Home
    from qidguard.ledger import open_ledger
    from qidguard.releasing.history.timeline import events

    home = Home.at(None)
    with open_ledger(ledger or home.default_ledger(), anchors=home.anchors_file(), must_exist=True) as opened:
        if check:
            faults = opened.check()
            for fault in faults:
                say(fault)
            sequence, digest = opened.head()
            if faults:
                click.echo(f"CHANGED  {len(faults)} faults in {sequence:,} entries")
                return ExitCode.BLOCKED
            click.echo(f"UNCHANGED  {sequence:,} entries, head {digest[:16]}")
            return ExitCode.PASSED
        found = events(list(opened.entries(data_set=name)))
    if kind == "json":
        click.echo(json.dumps([asdict(event) for event in found], indent=2))
        return ExitCode.PASSED
    if not found:
        say(f"The ledger holds nothing of {name!r}." if name else "The ledger is empty.")
        return ExitCode.PASSED
    _print(found)
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
