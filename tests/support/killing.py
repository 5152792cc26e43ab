"""Releases in a process of their own that is killed without warning."""

import multiprocessing
import os
import signal
import time
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


def _run(
    root: str, release_id: str, at: tuple[str, int] | None, month: int | None, started: Connection
) -> None:
    started.send("ready")
    started.recv()
    more = {} if at is None else {"progress": KillAt(*at)}
    if month is None:
        Place(Path(root)).release(source(), rules(), release_id=release_id, **more)
    else:
        release_month(Place(Path(root)), month, release_id=release_id, **more)
    started.send("done")


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
        after_seconds: float | None = None,
        month: int | None = None,
    ) -> tuple[int, float]:
        """Run a release, killed at a step or after a time; return its exit code and how long it ran.

        ``month`` takes that of a small series in the place of the table that it else is.
        """
        mine, theirs = self._context.Pipe()
        process = self._context.Process(target=_run, args=(str(root), release_id, at, month, theirs))
        process.start()
        theirs.close()
        assert mine.recv() == "ready"
        began = time.perf_counter()
        mine.send("go")
        if after_seconds is not None:
            time.sleep(after_seconds)
            process.kill()
        process.join(60)
        took = time.perf_counter() - began
        assert process.exitcode is not None
        mine.close()
        return process.exitcode, took
