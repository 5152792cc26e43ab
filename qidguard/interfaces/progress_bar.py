"""Progress on a terminal: one line on standard error that goes away when the work is done."""

import sys
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Self

from qidguard.core.progress import Progress
from qidguard.interfaces.screen import say

if TYPE_CHECKING:
    from rich.progress import TaskID


class ProgressBar:
    """A progress line; use it as a context manager.

    Example:
        >>> with ProgressBar() as bar:
        ...     bar.step("loading", 1, 1)
    """

    def __init__(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        from qidguard.interfaces.screen import console

        self._progress = RichProgress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console(sys.stderr),
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}

    def step(self, title: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` steps are finished; a single step has no measure and pulses.

        Example:
            >>> ProgressBar().step("measuring", 3, 10)
        """
        work = title.partition(": ")[0]
        if work not in self._tasks:
            for task in self._tasks.values():
                self._progress.update(task, visible=False)
            self._tasks[work] = self._progress.add_task(title, total=None)
        of = None if total == 1 else total
        self._progress.update(self._tasks[work], description=title, completed=done, total=of)

    def tell(self, sentence: str) -> None:
        """Write a sentence above the line, where it stays.

        Example:
            >>> ProgressBar().tell("")
        """
        self._progress.stop()
        say(sentence)
        self._progress.start()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


class _Quiet:
    """Stands in for a bar where nobody looks; what must not be missed is said all the same."""

    def step(self, title: str, done: int, total: int) -> None:
        """Do nothing."""

    def tell(self, sentence: str) -> None:
        """Write a sentence to standard error."""
        say(sentence)


def progress_bar(*, is_quiet: bool) -> AbstractContextManager[Progress]:
    """Return a bar if standard error is a terminal and nobody asked for quiet.

    Example:
        >>> with progress_bar(is_quiet=True) as progress:
        ...     progress.step("loading", 0, 1)
    """
    return ProgressBar() if sys.stderr.isatty() and not is_quiet else nullcontext(_Quiet())
