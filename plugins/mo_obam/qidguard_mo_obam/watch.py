"""Who hears of the work, and until when it goes on."""

import time

from qidguard.sdk import Progress

_CELLS = 2**24
"""Cells of tables that are worked on between two steps, some tenths of a second."""


class Watch:
    """Tells progress and looks at the clock; long loops ask it whether to go on."""

    def __init__(self, progress: Progress | None = None, seconds: float | None = None) -> None:
        """Begin to take the time.

        Args:
            progress: Hears of steps; None tells nobody.
            seconds: Wall time from now on, after which the best so far is taken; None sets no limit.
        """
        self._progress = progress
        self._until = None if seconds is None else time.monotonic() + seconds
        self._told = ("clustering", 0, 1)
        self._cells = 0
        self.is_cut = False
        """Whether somebody who had more to do was told to stop."""

    def step(self, title: str, done: int, total: int) -> None:
        """Tell that so many steps are done."""
        self._told = (title, done, total)
        self._cells = 0
        if self._progress is not None:
            self._progress.step(title, done, total)

    def worked(self, cells: int) -> None:
        """Hear that so many cells were worked on, and after many tell the last step again.

        It counts cells and no time, so that every run tells as many steps.
        """
        self._cells += cells
        if self._cells >= _CELLS:
            self.step(*self._told)

    def goes_on(self, cells: int = 0) -> bool:
        """Return whether there is time for more; ask only where more would be done."""
        self.worked(cells)
        if self._until is not None and time.monotonic() >= self._until:
            self.is_cut = True
            return False
        return True

    def beside(self, progress: Progress) -> "Watch":
        """Return a watch for another thread: the same time, and steps of its own."""
        other = Watch(progress)
        other._until = self._until
        return other

    def stop(self) -> None:
        """Let there be no time left."""
        self._until = time.monotonic()


UNWATCHED = Watch()
"""Tells nobody, and has no end."""
