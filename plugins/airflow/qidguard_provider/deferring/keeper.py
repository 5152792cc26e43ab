"""The process that watches over the work: says that it is alive, ends it, and answers where it cannot.

It does no work of its own, so that it counts on while an engine keeps every thread of the worker waiting.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from qidguard_provider.deferring.folder import UNWATCHED_SECONDS, SignWatch, WorkFolder
from qidguard_provider.verdicts import STOPPED, Failure

_LOOK_SECONDS = 0.25
_GRACE_SECONDS = 15.0
"""For so long a worker that is stopped may remove its copies."""


def main(place: str, limit_seconds: float) -> None:
    """Let the work go on by itself; the caller is free as soon as it has begun."""
    if os.fork():  # so that nobody has to wait for this process
        return
    stopped: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda caught, _frame: stopped.append(caught))
    folder = WorkFolder(Path(place))
    folder.beat(0)
    worker = _started(folder)
    failure = _kept(folder, worker, limit_seconds, stopped)
    if folder.is_stopped():
        folder.remove()  # nobody will read an answer
    elif not folder.has_answer():
        _leave(folder, failure)


def _started(folder: WorkFolder) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - this interpreter, and a module of ours
        [sys.executable, "-P", "-m", f"{__package__}.worker", str(folder.path), str(os.getpid())],
        stdin=None,  # what the task says, keys among it, is for the worker alone
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def _kept(
    folder: WorkFolder, worker: "subprocess.Popen[bytes]", limit_seconds: float, stopped: list[int]
) -> Failure:
    """Watch until the work has ended, and return what is to be said where it left no answer."""
    count, began = 0, time.monotonic()
    unwatched = SignWatch(UNWATCHED_SECONDS)
    while worker.poll() is None:
        count += 1
        with suppress(OSError):
            folder.beat(count)
        if limit_seconds and time.monotonic() - began > limit_seconds:
            _end(worker)
            return Failure(
                sentence=f"The work took longer than the task's execution_timeout of {limit_seconds:,.0f} s"
                " and was stopped; its temporary copies are removed."
            )
        if stopped or folder.is_stopped() or unwatched.is_over(folder.watched()):
            _end(worker)
            return STOPPED
        time.sleep(_LOOK_SECONDS)
    return Failure(
        sentence=f"The process that did the work ended without an answer ({_ended(worker.returncode)}), so"
        " nothing was let through; where it was short of memory, give it more, or try again."
    )


def _ended(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _end(worker: "subprocess.Popen[bytes]") -> None:
    """End the worker with all that it started: in order, and without asking where that does not help."""
    for number, patience in ((signal.SIGTERM, _GRACE_SECONDS), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(worker.pid, number)
        with suppress(subprocess.TimeoutExpired):
            worker.wait(patience)
            return


def _leave(folder: WorkFolder, failure: Failure) -> None:
    from qidguard_provider.deferring.answer import written

    with suppress(OSError):
        folder.answer(written(failure))


def _arguments() -> tuple[Any, ...]:
    return sys.argv[1], float(sys.argv[2])


if __name__ == "__main__":
    main(*_arguments())
