"""A process that is killed inside SQLite's commit, where no event of Python's tells of the writes.

SQLite tells when it begins to commit; from there a timer of the system runs, whose signal ends the process in
the middle of whatever C code it is in: writing to the log, flushing it, or copying it back when it is closed.
"""

import multiprocessing
import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from qidguard.ledger import NewEntry, open_ledger

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer"),
]

COMMITS_KILLED = int(os.environ.get("QIDGUARD_KILLS", "30"))
SEED = 20261122


def entry(name: str) -> NewEntry:
    """Return an entry that takes more than a page."""
    payload = {"text": "x" * 6000}
    return NewEntry(
        id=name, kind="audited", data_set="d", at=datetime(2026, 11, 22, tzinfo=UTC), payload=payload
    )


def end_after(delay: float) -> None:
    """Let the process end by a signal, wherever it is by then."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(delay, 1e-6))


def append(folder: Path, name: str, delay: float | None, marks: str, *, is_closing: bool) -> None:
    """Append an entry; ``delay`` seconds after a commit or closing began the process ends; marks say when."""
    handle = os.open(marks, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def mark(statement: str) -> None:
        if statement.startswith("COMMIT"):
            os.write(handle, b"C %d\n" % time.perf_counter_ns())
            if delay is not None and not is_closing:
                end_after(delay)

    event.listen(Engine, "connect", lambda connection, _: connection.set_trace_callback(mark))
    with open_ledger(str(folder / "ledger.db"), anchors=folder / "anchors.jsonl") as ledger:
        ledger.append(entry(name), attachments=[name.encode() * 5000])
        if delay is not None and is_closing:
            end_after(delay)
    os.write(handle, b"D %d\n" % time.perf_counter_ns())
    signal.setitimer(signal.ITIMER_REAL, 0)


class Killing:
    """Appends to one ledger, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(["qidguard.ledger", "qidguard.ledger.migration", "sqlalchemy"])

    def append(
        self, name: str, delay: float | None, *, is_closing: bool = False
    ) -> tuple[int, dict[str, int]]:
        """Return how the process ended, and when its first commit began and its entry was kept."""
        marks = self.folder / f"{name}.marks"
        process = self.context.Process(
            target=append,
            args=(self.folder, name, delay, str(marks)),
            kwargs={"is_closing": is_closing},
        )
        process.start()
        process.join(60)
        assert process.exitcode is not None, "it hangs"
        lines = [line.split() for line in marks.read_text().splitlines()] if marks.exists() else []
        return process.exitcode, {kind: int(moment) for kind, moment in reversed(lines)}


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


def kill_in_commits(tmp_path: Path, rounds: int) -> tuple[int, int]:
    """Kill at moments drawn over commits and closing; return how many left no entry, and how many one."""
    killing = Killing(tmp_path)
    lasting = []
    for i in range(3):
        code, marks = killing.append(f"whole{i}", None)
        assert code == 0
        lasting.append((marks["D"] - marks["C"]) / 1e9)
    longest, generator = sorted(lasting)[1] * 1.2, random.Random(SEED)  # noqa: S311 - moments, no secrets
    counts = {False: 0, True: 0}
    for i in range(rounds):
        delay = generator.uniform(0, longest) if i else 0.0
        # between the entry and the end of closing may be hardly any time: one in ten ends there for sure
        is_closing = i % 10 == 1
        code, marks = killing.append(f"e{i}", 0.0 if is_closing else delay, is_closing=is_closing)
        assert code in {0, -signal.SIGALRM}, code
        is_there = check_whole(killing, f"e{i}", is_kept="D" in marks)
        if code and "D" not in marks:
            counts[is_there] += 1
    return counts[False], counts[True]


@pytest.mark.timeout(3600)
def test_killed_inside_many_commits(tmp_path):
    """``QIDGUARD_KILLS`` of them, before and after the moment from which the entry is there."""
    lost, kept = kill_in_commits(tmp_path, COMMITS_KILLED)
    print(f"{lost} kills before the entry was there, {kept} after")  # noqa: T201 - the count of a long run
    assert lost + kept > 0
    assert lost > 0 < kept or COMMITS_KILLED < 30
