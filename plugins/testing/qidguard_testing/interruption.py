"""Ctrl-C at any step ends the work at once: the source stays, no file, no thread and no process is left."""

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pathlib import Path

from qidguard_testing.sample import Sample
from qidguard_testing.subject import Subject
from qidguard_testing.trial import KitTrial, tried, work
from qidguard_testing.violation import Listener, Violation

_WATCHDOG = "qidguard-watchdog"
"""The host's own thread, which ends by itself."""
_GRACE_SECONDS = 2.0
"""How long threads that are ending may take to end."""


def interruption(subject: Subject, sample: Sample) -> Iterator[Violation]:
    """Yield violations of runs that are interrupted at the first, the middle and the last step of one."""
    with (
        tempfile.TemporaryDirectory(prefix="conformance-") as name,
        temporary_files_in(Path(name)) as place,
        # what is made once for all runs, such as compiled code, is made by this first one
        tried(subject, sample, folder=place) as whole,
    ):
        steps = len(whole.listener.steps)
        for at in sorted({0, steps // 2, steps - 1} & set(range(steps))):
            for sentence in interrupted(whole, at, place):
                yield Violation(
                    check="interruption",
                    sample=sample.name,
                    sentence=f"Ctrl-C at step {at + 1} of {steps}: {sentence}",
                )


def interrupted(whole: KitTrial, at: int, place: Path) -> Iterator[str]:
    """Yield what is wrong after Ctrl-C at one step of another run on the same source."""
    before = whole.source.content_digest(whole.source.names)
    files = set(place.rglob("*"))
    running: set[threading.Thread | BaseProcess] = {*threading.enumerate(), *active_children()}
    if not _ended(whole, at):
        yield "it went on; let KeyboardInterrupt pass"
    if left := sorted(path.name for path in set(place.rglob("*")) - files):
        yield f"files are left behind: {', '.join(left)}"
    if started := _still_running(running):
        yield f"threads or processes are left behind: {', '.join(started)}"
    if whole.source.content_digest(whole.source.names) != before:
        yield "the source is not what it was"


def _ended(whole: KitTrial, at: int) -> bool:
    """Run again, and return whether Ctrl-C at a step ended it; one of fewer steps is interrupted earlier."""
    while True:
        listener = Listener(interrupt_at=at)
        again = replace(
            whole,
            task=replace(whole.task, progress=listener),
            listener=listener,
            answer=None,
            run=None,
            error=None,
        )
        try:
            work(again)
        except KeyboardInterrupt:
            return True
        finally:
            if again.run is not None:
                again.run.close()
        if at < (steps := len(listener.steps)):
            return False
        if not steps:
            return True
        at = steps // 2


@contextmanager
def temporary_files_in(place: Path) -> Iterator[Path]:
    """Let every temporary file of this process be made in a folder."""
    before = tempfile.tempdir
    tempfile.tempdir = str(place)
    try:
        yield place
    finally:
        tempfile.tempdir = before


def _still_running(before: set[threading.Thread | BaseProcess]) -> list[str]:
    """Return the names of threads and processes that were not there before and do not end."""
    ends = time.monotonic() + _GRACE_SECONDS
    while True:
        started = {t for t in threading.enumerate() if t.name != _WATCHDOG} - before
        alive = [thread.name for thread in started if thread.is_alive()]
        alive += [child.name for child in active_children() if child not in before]
        if not alive or time.monotonic() > ends:
            return sorted(alive)
        time.sleep(0.05)
