"""Work is started outside of the worker slot, and watched over: said to be alive, ended, answered for.

The process that watches does no work of its own, so that it counts on while an engine keeps every thread of
the worker waiting.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard import QidguardError
from qidguard_provider.deferring.folder import UNWATCHED_SECONDS, SignWatch, WorkFolder
from qidguard_provider.verdicts import STOPPED, Failure

if TYPE_CHECKING:
    from qidguard.sdk import RunAccess
    from qidguard_provider.work import TaskWork

_LOOK_SECONDS = 0.25
_FIRST_LOOK_SECONDS = 0.02
_PATIENCE_SECONDS = 60.0
_GRACE_SECONDS = 15.0
"""For so long a worker that is stopped may remove its copies."""


def start(work: "TaskWork", access: "RunAccess", *, limit_seconds: float = 0.0) -> WorkFolder:
    """Start work in a process of its own, which no signal to this one reaches; return where it answers.

    Args:
        work: What is to be done.
        access: Ledger and keys; they pass through a pipe, and stand in no file, argument or environment.
        limit_seconds: After so long it ends; 0 sets no limit.
    """
    folder = WorkFolder.new(tuple(work.origin.values()))
    asked = {"work": {**asdict(work), "origin": dict(work.origin)}, "access": asdict(access)}
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, and a module of ours
            [sys.executable, "-P", "-m", f"{__package__}.keeper", str(folder.path), str(limit_seconds)],
            input=json.dumps(asked).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
        _wait_for_life(folder, done.returncode == 0)
    except BaseException:
        folder.stop()
        raise
    return folder


def _wait_for_life(folder: WorkFolder, is_started: bool) -> None:  # noqa: FBT001 - says itself
    end = time.monotonic() + _PATIENCE_SECONDS
    while is_started and not folder.pulse() and time.monotonic() < end:
        time.sleep(_FIRST_LOOK_SECONDS)
    if not folder.pulse():
        raise StartError("The process outside of the worker slot did not begin; try again.")


class StartError(QidguardError):
    """No process could be started."""

    is_transient = True


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
