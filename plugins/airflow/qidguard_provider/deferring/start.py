"""Start work outside of the worker slot."""

import json
import subprocess
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from qidguard import QidguardError
from qidguard_provider.deferring.folder import WorkFolder

if TYPE_CHECKING:
    from qidguard.sdk import RunAccess
    from qidguard_provider.work import TaskWork

_PATIENCE_SECONDS = 60.0
_LOOK_SECONDS = 0.02


def start(work: "TaskWork", access: "RunAccess", *, limit_seconds: float = 0.0) -> WorkFolder:
    """Start work in a process of its own, which no signal to this one reaches; return where it answers.

    Args:
        work: What is to be done.
        access: Ledger and keys; they pass through a pipe, and stand in no file, argument or environment.
        limit_seconds: After so long it ends; 0 sets no limit.
    """
    folder = WorkFolder.new(tuple(work.origin.values()))
    asked = {"work": {**asdict(work), "origin": dict(work.origin)}, "access": asdict(access)}
    module = f"{__package__}.keeper"
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, and a module of ours
            [sys.executable, "-P", "-m", module, str(folder.path), str(limit_seconds)],
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
        time.sleep(_LOOK_SECONDS)
    if not folder.pulse():
        raise StartError("The process outside of the worker slot did not begin; try again.")


class StartError(QidguardError):
    """No process could be started."""

    is_transient = True
