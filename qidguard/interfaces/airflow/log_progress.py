"""Progress as lines of a task's log, in place of a bar."""

import time
from dataclasses import dataclass, field
from typing import Any

EVERY_SECONDS = 30.0
"""Between two lines about the same work, in seconds."""


@dataclass(kw_only=True)
class LogProgress:
    """Writes a line when a piece of work is done, and now and then while it lasts.

    Args:
        log: A logger.
    """

    log: Any
    _said_at: float = field(default=0.0, repr=False)

    def step(self, title: str, done: int, total: int) -> None:
        """Hear that ``done`` of ``total`` steps of the work called ``title`` are finished.

        Args:
            title: What is done; no value of the table.
            done: Finished steps, 0 to ``total``.
            total: All steps.

        Units:
            Steps.

        Raises:
            Nothing.

        Example:
            >>> import logging
            >>> LogProgress(log=logging.getLogger("example")).step("copying", 1, 1)
        """
        now = time.monotonic()
        if done == total:
            self.log.info("%s: done", title)
        elif done and now - self._said_at > EVERY_SECONDS:
            self.log.info("%s: %s of %s", title, f"{done:,}", f"{total:,}")
        else:
            self._said_at = self._said_at if done else now
            return
        self._said_at = now
