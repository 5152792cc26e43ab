"""A process of its own that writes to a ledger; tests run several of them, and kill some.

It prints ``ready`` when everything is imported, then waits for a line on its input.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

import qidguard.ledger.opening  # noqa: F401 - imported before "ready", so that all begin at the same time
from qidguard.core.errors import QidguardError
from qidguard.ledger import NewEntry, Reader, open_ledger


class OverBudgetError(Exception):
    """The guard's own refusal."""


def say(line: str) -> None:
    """Tell the test, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def entry(entry_id: str, kind: str = "audited") -> NewEntry:
    """Return an entry to write."""
    return NewEntry(id=entry_id, kind=kind, data_set="visits", at=datetime.now(UTC), payload={"by": entry_id})


def opening(url: str, name: str) -> str:
    """Open a ledger that may not exist yet and write once."""
    with open_ledger(url) as ledger:
        return str(ledger.append(entry(name)).id)


def appending(url: str, name: str, times: str, anchors: str) -> str:
    """Write so many entries."""
    with open_ledger(url, anchors=Path(anchors)) as ledger:
        for i in range(int(times)):
            ledger.append(entry(f"{name}-{i}"), attachments=[b"the same for all", f"{name}-{i}".encode()])
    return times


def endless(url: str, name: str) -> str:
    """Write until killed, saying each entry that was kept."""
    with open_ledger(url) as ledger:
        i = 0
        while True:
            kept = ledger.append(entry(f"{name}-{i}"), attachments=[f"{name}-{i}".encode() * 3000])
            say(kept.id)
            i += 1


def spending(url: str, name: str, budget: str) -> str:
    """Spend 1 of a budget if there is one left."""

    def guard(reader: Reader) -> None:
        if sum(1 for _ in reader.entries(data_set="visits", kinds={"spent"})) >= int(budget):
            raise OverBudgetError

    with open_ledger(url) as ledger:
        try:
            ledger.append(entry(name, "spent"), guard=guard)
        except OverBudgetError:
            return "refused"
        return "spent"


def reporting(url: str, name: str) -> str:
    """Try to write once and say the error."""
    try:
        return opening(url, name)
    except QidguardError as error:
        return f"{type(error).__name__} {int(error.exit_code)}: {error}"


COMMANDS = {f.__name__: f for f in (opening, appending, endless, spending, reporting)}

if __name__ == "__main__":
    say("ready")
    sys.stdin.readline()
    say(COMMANDS[sys.argv[1]](*sys.argv[2:]))
