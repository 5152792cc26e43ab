"""The triggers by which SQLite refuses to change what stands in the ledger."""

from typing import Final

_REFUSE = "SELECT RAISE(ABORT, 'the ledger is append-only');"

_CLASHES = {
    "entry": (
        "SELECT 1 FROM entry WHERE sequence = NEW.sequence OR id = NEW.id"
        " OR previous_hash = NEW.previous_hash OR hash = NEW.hash"
    ),
    "attachment": "SELECT 1 FROM attachment WHERE digest = NEW.digest",
}
"""INSERT OR REPLACE deletes without a trigger, so a row that is there already is refused on its way in."""


def _triggers(table: str, clash: str) -> dict[str, str]:
    return {
        f"{table}_no_update": (
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} BEGIN {_REFUSE} END"
        ),
        f"{table}_no_delete": (
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN {_REFUSE} END"
        ),
        f"{table}_no_replace": (
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table}"
            f" WHEN EXISTS ({clash}) BEGIN {_REFUSE} END"
        ),
    }


CREATE_TRIGGERS: Final = {
    name: statement
    for table, clash in _CLASHES.items()
    for name, statement in _triggers(table, clash).items()
}
"""Name → statement, which SQLite keeps to the letter."""
