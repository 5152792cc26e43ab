"""``qidguard show``: the whole record of one audit."""

import json
from typing import TYPE_CHECKING, Any

import click

from qidguard.core.errors import ExitCode, UserError
from qidguard.interfaces.home_ledger import home_ledger
from qidguard.interfaces.options import format_option, ledger_option
from qidguard.interfaces.screen import console

if TYPE_CHECKING:
    from qidguard.ledger import Entry

_MOST_ON_A_LINE = 5
_LONGEST_LINE = 120
"""A mapping with more fields, or longer words, takes a line for each field."""


@click.command("show", short_help="The whole record of one audit.")
@click.argument("audit_id")
@ledger_option
@format_option("record")
def show_command(*, audit_id: str, ledger: str | None, kind: str) -> ExitCode:
    """Show the record of AUDIT_ID, which may also be the id of a release or of any entry of the ledger.

    The record is internal: it holds the seed of the record order, and is not to be published.
    """
    from qidguard.ledger import read_any

    with home_ledger(ledger, is_to_look=True) as opened:
        named = [entry for entry in opened.entries() if audit_id in _names(entry)]
        if not named:
            raise UserError(f"The ledger holds no {audit_id!r}; see: qidguard history")
        found: dict[str, Any] = {"entries": [_entry(e) for e in named], "record": None}
        verdicts = [read_any(e).payload for e in named if e.kind in {"audited", "checked"}]
        records = [verdict.record for verdict in verdicts if verdict.record]
        if records:
            found["record"] = json.loads(opened.attachment(records[-1]))
    if kind == "json":
        click.echo(json.dumps(found, indent=2))
        return ExitCode.PASSED
    _print(found)
    return ExitCode.PASSED


def _names(entry: "Entry") -> set[str | None]:
    """Return what an entry may be asked for by."""
    from qidguard.ledger import read_any

    said = read_any(entry).payload
    return {entry.id, getattr(said, "audit_id", None), getattr(said, "release_id", None)}


def _entry(entry: "Entry") -> dict[str, Any]:
    return {
        "sequence": entry.sequence,
        "id": entry.id,
        "kind": entry.kind,
        "data_set": entry.data_set,
        "at": entry.at.isoformat(),
        "hash": entry.hash,
        "payload": dict(entry.payload),
    }


def _print(found: dict[str, Any]) -> None:
    from rich.text import Text
    from rich.tree import Tree

    from qidguard.rendering.printable import visible
    from qidguard.rendering.receipt import receipt_lines

    tree = Tree(Text(visible(str(found["entries"][0]["data_set"])), style="bold"))
    for entry in found["entries"]:
        branch = tree.add(Text(visible(f"{entry['sequence']}  {entry['kind']}  {entry['at']}"), style="bold"))
        if entry["kind"] not in {"audited", "checked"} or found["record"] is None:
            _grow(branch, entry["payload"])
    if found["record"] is not None:
        record = dict(found["record"])
        receipt = record.pop("suppression", None)
        record.pop("advice", None)  # its lines say it
        _grow(tree.add(Text("record", style="bold")), record)
        if receipt:
            branch = tree.add(Text("receipt", style="bold"))
            for line in receipt_lines(receipt):
                branch.add(Text(line))
            _grow(branch, {"seed": receipt["seed"], "plugin": receipt["plugin"]})
    for title, *lines in filter(None, map(_advice, found["entries"])):
        branch = tree.add(Text(visible(title), style="bold"))
        for line in lines:
            branch.add(Text(visible(line.removeprefix("  "))))
    console().print(tree)


def _advice(entry: dict[str, Any]) -> list[str]:
    """Return the lines of advice that an entry keeps, as they were told; none of an entry without."""
    lines: list[str] = (entry["payload"].get("advice") or {}).get("lines", [])
    return lines


def _grow(branch: Any, value: Any) -> None:
    """Add a value's parts below a branch, on one line where they fit; what is empty is left out."""
    from rich.text import Text

    from qidguard.rendering.printable import visible

    pairs = value.items() if isinstance(value, dict) else ((str(i + 1), item) for i, item in enumerate(value))
    for name, item in pairs:
        if item in (None, "", [], {}):
            continue
        line = _line(item)
        if line is None:
            _grow(branch.add(Text(visible(str(name)))), item)
        else:
            branch.add(Text(visible(f"{name}: {line}")))


def _line(item: Any) -> str | None:
    """Return a value on one line, or None where it takes more."""
    if isinstance(item, list):
        return None if any(isinstance(i, (dict, list)) for i in item) else ", ".join(map(str, item))
    if isinstance(item, dict) and "sentence" in item:
        return str(item["sentence"])
    if isinstance(item, dict):
        parts = {k: v for k, v in item.items() if v not in (None, "", [], {})}
        is_flat = len(parts) <= _MOST_ON_A_LINE and not any(
            isinstance(v, (dict, list)) for v in parts.values()
        )
        text = ", ".join(f"{k} {v}" for k, v in parts.items())
        return text if is_flat and len(text) <= _LONGEST_LINE else None
    return str(item)
