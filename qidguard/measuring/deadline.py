"""A deadline for work on a table: past it the statement that runs is interrupted, and none is begun."""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

AGAIN_SECONDS = 0.05
"""How long after an interruption the next one comes: one between two statements is heard by none."""


class Deadline:
    """Whether a deadline came while the work went on; what was measured then is not to be believed."""

    has_come = False


@contextmanager
def deadline(table: Any, seconds: float) -> Iterator[Deadline]:
    """End work on a table after some seconds; an engine that interrupts nothing goes on.

    Past the deadline ``table.is_interrupted`` holds and ``table.interrupt`` is called until the work is left;
    whatever that raises then ends here. Afterward the table is as before: other work on it goes on.

    Args:
        table: The opened table.
        seconds: After how long; infinite for never.

    Yields:
        Whether the deadline came, to be looked at afterward.
    """
    found = Deadline()
    interrupt = getattr(table, "interrupt", None)
    if seconds == math.inf or interrupt is None:
        yield found
        return
    is_left = threading.Event()

    def watch() -> None:
        wait = seconds
        while not is_left.wait(max(0.0, wait)):
            found.has_come, wait = True, AGAIN_SECONDS
            table.is_interrupted = True
            interrupt()

    watching = threading.Thread(target=watch, name="qidguard-deadline", daemon=True)
    watching.start()
    try:
        yield found
    except (Exception, KeyboardInterrupt):
        if not found.has_come:
            raise
    finally:
        is_left.set()
        watching.join()
        table.is_interrupted = False
