"""Releases in a process of their own that is killed without warning."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pandas as pd

from qidguard import Release
from released_series import host, moment, months, present
from released_series import rules as series_rules
from releases import Place, judged, people

STEPS = (
    "settling",
    "copying",
    "loading",
    "measuring",
    "remedy",
    "deciding",
    "writing",
    "attesting",
    "recording",
    "publishing",
    "confirming",
)
"""Every named step of a release, in order."""

PRELOADED = [
    "releases",
    "qidguard.releasing.run",
    "qidguard.engines.duckdb.engine",
    "qidguard.evidence.verify",
    "qidguard.ledger",
    "qidguard_checks.plugin",
    "qidguard_standard.plugin",
    "pandas",
    "pyarrow",
]


def source() -> pd.DataFrame:
    """Return a table with a class that is too small, so that the remedy runs too."""
    return pd.concat([people(), people(groups=1, size=2, first=900).assign(age=99)], ignore_index=True)


def rules() -> dict[str, Any]:
    """Return a policy that looks at earlier releases and suppresses what is in small classes."""
    remedy = {"anonymizer": "small_class_suppression", "parameters": {"k": 5, "most_suppressed": 0.2}}
    return judged(remedy=remedy)


class KillAt:
    """Kills its own process when a step is reached."""

    def __init__(self, title: str, done: int) -> None:
        self._at = (title, done)

    def step(self, title: str, done: int, total: int) -> None:
        """Die, if this is the step: ``done`` 0 is its beginning, 1 its end."""
        if (title, min(done, 1)) == self._at and (self._at[1] == 0 or done == total):
            os.kill(os.getpid(), signal.SIGKILL)


class KillAtCall:
    """Counts what Python calls in each step, and kills its own process at one of the calls after one began.

    Args:
        step: The step; None lets the process live.
        number: The number of that call, from 1.
    """

    def __init__(self, step: str | None = None, number: int = 0) -> None:
        self.calls = dict.fromkeys(STEPS, 0)
        self._step, self._left, self._now = step, number, ""

    def step(self, title: str, _done: int, _total: int) -> None:
        """Hear that a step began; what comes of it counts as its own until the next one begins."""
        self._now = title if title in self.calls else self._now

    def __call__(self, _frame: object, happening: str, _given: object) -> None:
        """Hear of a call before it happens, or of what comes of it."""
        if not self._now or happening not in {"call", "c_call"}:
            return
        self.calls[self._now] += 1
        if self._step is not None and self.calls[self._step]:
            self._left -= 1
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)


def killed(run: Callable[..., object], *given: Any) -> None:
    """Run something in a process of its own, and check that it was killed."""
    process = multiprocessing.get_context("forkserver").Process(target=run, args=given)
    process.start()
    process.join(250)
    assert process.exitcode == -signal.SIGKILL


def _run(
    root: str,
    release_id: str,
    at: tuple[str, int] | None,
    at_call: tuple[str, int] | None,
    month: int | None,
    counted: Connection,
) -> None:
    calls = KillAtCall(*(at_call or ()))
    progress = calls if at is None else KillAt(*at)
    if at is None:
        sys.setprofile(calls)
    if month is None:
        Place(Path(root)).release(source(), rules(), release_id=release_id, progress=progress)
    else:
        release_month(Place(Path(root)), month, release_id=release_id, progress=progress)
    sys.setprofile(None)
    counted.send(calls.calls)


def release_month(place: Place, month: int, **options: Any) -> Release:
    """Release one month of a small series whose leavers a state keeps."""
    tables = list(months(24, month + 1, turnover=0.1))
    kept = series_rules(state=str(place.root / "private"))
    return place.release(present(tables[month]), kept, host=host(), now=moment(month), seed=1, **options)


class Runner:
    """Starts releases in processes that have everything imported already."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(PRELOADED)

    def run(
        self,
        root: Path,
        release_id: str,
        *,
        at: tuple[str, int] | None = None,
        at_call: tuple[str, int] | None = None,
        month: int | None = None,
    ) -> tuple[int, dict[str, int]]:
        """Run a release, killed at a step, or at a call after a step began; return its exit code.

        Beside it stands what each step called, where the process lived and no step was named. ``month`` takes
        that of a small series in the place of the table that it else is.
        """
        mine, theirs = self._context.Pipe()
        given = (str(root), release_id, at, at_call, month, theirs)
        process = self._context.Process(target=_run, args=given)
        process.start()
        theirs.close()
        process.join(120)
        assert process.exitcode is not None
        calls = {} if process.exitcode else mine.recv()
        mine.close()
        return process.exitcode, calls
