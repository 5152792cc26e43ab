"""The trigger that waits for deferred work; it does none, and knows a folder and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from qidguard_provider.deferring.folder import SILENT_SECONDS, SignWatch, WorkFolder

ANSWERED, GONE, UNSEEN = "answered", "gone", "unseen"
"""What an event says: an answer lies there; the work is gone without one; the folder cannot be seen."""

POLL_SECONDS = 2.0


class QidguardTrigger(BaseTrigger):
    """Waits until the work in a folder has answered, and wakes the task then.

    Args:
        folder: The folder in which the work answers; the triggerer must see it as the worker does.
        poll_seconds: Between two looks, in seconds.
        silent_seconds: After so long without a sign of life the work is taken for dead.
    """

    def __init__(
        self, *, folder: str, poll_seconds: float = POLL_SECONDS, silent_seconds: float = SILENT_SECONDS
    ) -> None:
        super().__init__()
        self.folder = folder
        self.poll_seconds = poll_seconds
        self.silent_seconds = silent_seconds

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return what makes this trigger again; no secret is in it."""
        given = ("folder", "poll_seconds", "silent_seconds")
        return f"{__name__}.QidguardTrigger", {name: getattr(self, name) for name in given}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Yield one event when the work has ended, however it did; files are looked at in threads."""
        work = WorkFolder(Path(self.folder))
        name = work.path.name
        if not await asyncio.to_thread(work.exists):
            yield TriggerEvent({"status": UNSEEN, "work": name})
            return
        silent, count, said = SignWatch(self.silent_seconds), 0, ""
        while not await asyncio.to_thread(work.has_answer):
            count += 1
            await asyncio.to_thread(work.watch, count)
            pulse = await asyncio.to_thread(work.pulse)
            if silent.is_over(pulse) or not await asyncio.to_thread(work.exists):
                yield TriggerEvent({"status": GONE, "work": name})
                return
            line = await asyncio.to_thread(work.said)
            if line != said:
                said = line
                self.log.info("%s", line)
            await asyncio.sleep(self.poll_seconds)
        yield TriggerEvent({"status": ANSWERED, "work": name})

    async def on_kill(self) -> None:
        """End the work: a person marked the task, or cleared it."""
        await asyncio.to_thread(WorkFolder(Path(self.folder)).stop)
