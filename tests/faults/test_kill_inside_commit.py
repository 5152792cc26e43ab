"""A process that is killed inside SQLite's commit, where no event of Python's tells of the writes.

SQLite tells when it begins to commit; from there a timer of the system runs, whose signal ends the process in
the middle of whatever C code it is in: writing to the log, flushing it, or copying it back when it is closed.
"""

import multiprocessing
import os
import signal
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from qidguard.ledger import NewEntry, open_ledger
from seeds import drawing

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer"),
]

COMMITS_KILLED = int(os.environ.get("QIDGUARD_KILLS", "30"))
FIRST_SPAN_SECONDS = 0.01


def entry(name: str) -> NewEntry:
    """Return an entry that takes more than a page."""
    payload = {"text": "x" * 6000}
    return NewEntry(
        id=name, kind="audited", data_set="d", at=datetime(2026, 11, 22, tzinfo=UTC), payload=payload
    )


def end_after(delay: float) -> None:
    """Let the process end by a signal, wherever it is by then; without a delay, here."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if not delay:
        signal.raise_signal(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, delay)


def append(folder: Path, name: str, delay: float, said: str, *, is_closing: bool) -> None:
    """Append an entry and say that it is kept; ``delay`` seconds after commit or closing began all ends."""

    def hear(statement: str) -> None:
        if statement.startswith("COMMIT") and not is_closing:
            end_after(delay)

    event.listen(Engine, "connect", lambda connection, _: connection.set_trace_callback(hear))
    with open_ledger(str(folder / "ledger.db"), anchors=folder / "anchors.jsonl") as ledger:
        ledger.append(entry(name), attachments=[name.encode() * 5000])
        if is_closing:
            end_after(delay)
    Path(said).touch()
    signal.setitimer(signal.ITIMER_REAL, 0)


class Killing:
    """Appends to one ledger, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(["qidguard.ledger", "qidguard.ledger.opening", "sqlalchemy"])

    def append(self, name: str, delay: float, *, is_closing: bool) -> tuple[int, bool]:
        """Return how the process ended, and whether it said that the entry is kept."""
        said = self.folder / f"{name}.kept"
        process = self.context.Process(
            target=append, args=(self.folder, name, delay, str(said)), kwargs={"is_closing": is_closing}
        )
        process.start()
        process.join(250)
        assert process.exitcode is not None, "it hangs"
        return process.exitcode, said.exists()


def check_whole(killing: Killing, name: str, *, is_kept: bool) -> bool:
    """Hold that chain and file are whole, and what was reported is there; return whether the entry is."""
    folder = killing.folder
    with open_ledger(str(folder / "ledger.db"), anchors=folder / "anchors.jsonl") as ledger:
        assert ledger.check() == ()
        is_there = name in {found.id for found in ledger.entries()}
        assert is_there or not is_kept
        again = ledger.append(entry(name), attachments=[name.encode() * 5000])
        assert [found.id for found in ledger.entries()].count(name) == 1
        assert ledger.head()[0] == again.sequence
        assert ledger.check() == ()
    with closing(sqlite3.connect(folder / "ledger.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return is_there


def kill_in_commits(folder: Path, rounds: int) -> tuple[int, int]:
    """Kill at moments drawn over commits and closing; return how many left no entry, and how many one.

    The first ends where a commit begins, and each tenth where closing does, so both counts grow on any
    machine. The span that the others are drawn from follows the kills: it grows while no entry is left.
    """
    killing, draw, span = Killing(folder), drawing("kills in commits"), FIRST_SPAN_SECONDS
    counts = {False: 0, True: 0}
    for i in range(rounds):
        is_closing = i % 10 == 1
        delay = draw.uniform(1e-6, span) if i and not is_closing else 0.0
        code, is_kept = killing.append(f"e{i}", delay, is_closing=is_closing)
        assert code in {0, -signal.SIGALRM}, code
        is_there = check_whole(killing, f"e{i}", is_kept=is_kept)
        if code and not is_kept:
            counts[is_there] += 1
        if delay:
            span *= 0.8 if is_there else 1.25
    return counts[False], counts[True]


@pytest.mark.timeout(3600)
def test_killed_inside_many_commits(tmp_path):
    """``QIDGUARD_KILLS`` of them, before and after the moment from which the entry is there."""
    lost, kept = kill_in_commits(tmp_path, COMMITS_KILLED)
    print(f"{lost} kills before the entry was there, {kept} after")  # noqa: T201 - the count of a long run
    assert lost > 0 < kept
