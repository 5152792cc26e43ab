"""The process that does the work: it hears of its task on its standard input, and leaves one answer."""

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from qidguard_provider.deferring.folder import WorkFolder
from qidguard_provider.verdicts import Failure, Stopped, failure_of

_LOOK_SECONDS = 1.0
_WAIT_SECONDS = 0.1


class _Said:
    """Progress that those who wait can read."""

    def __init__(self, folder: WorkFolder) -> None:
        self._folder, self._at = folder, 0.0

    def step(self, title: str, done: int, total: int) -> None:
        """Say how far the work is, at most once a second unless a piece of it is done."""
        if done != total and time.monotonic() - self._at < _LOOK_SECONDS:
            return
        self._at = time.monotonic()
        with suppress(OSError):  # who cannot be told of progress is told of the end
            self._folder.say(f"{title}: done" if done == total else f"{title}: {done:,} of {total:,}")

    def tell(self, sentence: str) -> None:
        """Say a sentence that must not be missed."""
        with suppress(OSError):
            self._folder.say(sentence)


def _end_with(parent: int) -> None:
    """End this process in order when the one that watches over it is gone."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def _wait_for_somebody(folder: WorkFolder) -> None:
    """Begin when somebody waits for the answer: a task that is marked before that is to do nothing."""
    while not folder.watched():
        time.sleep(_WAIT_SECONDS)


def main(place: str, parent: int) -> int:
    """Do the work that standard input describes and leave its answer in a folder."""
    folder, asked = WorkFolder(Path(place)), json.loads(sys.stdin.buffer.read())
    stopped: list[int] = []

    def stop(number: int, _frame: Any) -> None:
        if not stopped:
            stopped.append(number)
            raise Stopped

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        answer = _answer(folder, asked)
    except KeyboardInterrupt:
        return 1  # whoever stopped it knows why, and says so
    if stopped and isinstance(answer, Failure):
        return 1  # an engine may make another failure of being stopped
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    from qidguard_provider.deferring.answer import written

    folder.answer(written(answer))
    return 0


def _answer(folder: WorkFolder, asked: dict[str, Any]) -> Any:
    try:
        from qidguard.sdk import RunAccess
        from qidguard_provider.work import TaskWork

        work = TaskWork(**asked["work"])
        _wait_for_somebody(folder)
        access = RunAccess(**asked["access"])
        said, origin = _Said(folder), dict(work.origin)
        with access.options(progress=said, origin=origin, has_advice=True) as options:
            return work.done(options)
    except Exception as error:  # noqa: BLE001 - every failure is an answer, in words that give nothing away
        return failure_of(error)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
