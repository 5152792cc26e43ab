"""The code of a plugin, run so that whatever it raises has an owner, tells no value, and comes to an end."""

import os
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import ClassVar, Self, TextIO

from qidguard.core.errors import NotMeasurable, PluginError, QidguardError
from qidguard.core.system import refused
from qidguard.core.watchdog import LIMIT_VARIABLE, Overrun, Watched, ask

DEBUG_VARIABLE = "QIDGUARD_DEBUG"
ON_PURPOSE: tuple[type[BaseException], ...] = (NotMeasurable, QidguardError, MemoryError)
"""What code of a plugin may raise where nothing else is said: an answer, an error with words, no memory."""


class PluginCode:
    """A context in which the code of a plugin runs.

    What it raises becomes a ``PluginError`` that names the plugin and the kind of error; the error's own
    words may hold values of the table, so only ``QIDGUARD_DEBUG=1`` shows them, with the traceback, on
    standard error. What it prints goes to standard error. Past its limit it is interrupted.

    Args:
        owner: The plugin with its distribution and version.
        what: What of it runs, such as ``metric 'k_anonymity'``.
        passes: What it may raise; a ``PluginError``, which has its words, and Ctrl-C always pass.
        budget_seconds: Within what it was to be done; past that ``BudgetOverrun`` is raised. None has none.
        interrupt: What ends a statement that it runs on an engine; called from another thread.
        is_engine: Whether it is an engine: that is not watched, for reading a table takes its time, and a
            fault of the SQL that it runs is of whose SQL it is.
        words: What is said of an error; None says its kind only.
    """

    def __init__(
        self,
        owner: str,
        what: str,
        *,
        passes: tuple[type[BaseException], ...] = ON_PURPOSE,
        budget_seconds: float | None = None,
        interrupt: Callable[[], object] | None = None,
        is_engine: bool = False,
        words: Callable[[BaseException], str] | None = None,
    ) -> None:
        self._owner = owner
        self._whose = ": ".join(filter(None, (owner, what)))
        self._depth = 0
        self._words = words or self._without_words
        self._passes = (*passes, PluginError, KeyboardInterrupt)
        self._watched = (
            None
            if is_engine
            else Watched(whose=self._whose, budget_seconds=budget_seconds, interrupt=interrupt)
        )

    def __enter__(self) -> Self:
        if self._watched is not None:
            ask()
        self._depth = _Output.divert()
        try:
            if self._watched is not None:
                self._watched.start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        overrun = self._end()
        if self._watched is not None and overrun is Overrun.OF_LIMIT:
            show(self._whose, error)
            raise PluginError(
                f"{self._whose} ran for more than {self._watched.limit_seconds:g} seconds and was"
                f" interrupted; mend the plugin, or raise {LIMIT_VARIABLE} where it needs more"
            ) from None
        if overrun is Overrun.OF_BUDGET:
            raise BudgetOverrun from None
        if isinstance(error, PluginError) and not error.is_owned and self._watched is not None:
            show(self._whose, error)
            raise PluginError(f"{self._owner}: {error}") from None
        if error is None or isinstance(error, self._passes):
            return
        if self._watched is None and (known := refused(error)) is not None:
            raise known from None
        show(self._whose, error)
        raise PluginError(self._words(error)) from (error if is_debugging() else None)

    def _end(self) -> Overrun | None:
        overrun = self._watched.stop() if self._watched is not None else None
        _Output.restore(self._depth)
        return overrun

    def _without_words(self, error: BaseException) -> str:
        return f"{self._whose} failed with {type(error).__name__}; mend the plugin"


class BudgetOverrun(BaseException):
    """Code of a plugin was interrupted because its budget had ended; its caller says what that means."""


def is_debugging() -> bool:
    """Whether faults of plugins are shown with message and traceback, which may hold values of the table."""
    return os.environ.get(DEBUG_VARIABLE, "") not in {"", "0"}


def show(whose: str, error: BaseException | None) -> None:
    """Write the traceback of a plugin's fault to standard error where that is asked for."""
    if error is not None and is_debugging():
        import traceback

        sys.stderr.write(f"{whose} failed:\n{''.join(traceback.format_exception(error))}")


class _Output:
    """Standard output while any code of a plugin runs: standard error, so that JSON stays JSON."""

    _lock: ClassVar[threading.Lock] = threading.Lock()
    _depths: ClassVar[dict[int, int]] = {}
    _usual: ClassVar[TextIO | None] = None
    _instead: ClassVar[TextIO | None] = None

    @classmethod
    def divert(cls) -> int:
        """Divert what this thread prints; return how deep in guards it was before."""
        thread = threading.get_ident()
        with cls._lock:
            if not cls._depths:
                cls._usual, cls._instead = sys.stdout, sys.stderr
                sys.stdout = sys.stderr
            depth = cls._depths.get(thread, 0)
            cls._depths[thread] = depth + 1
            return depth

    @classmethod
    def restore(cls, depth: int) -> None:
        """Go back to a depth; an interruption may have left guards within this one without their end."""
        with cls._lock:
            if depth:
                cls._depths[threading.get_ident()] = depth
            else:
                cls._depths.pop(threading.get_ident(), None)
            if not cls._depths:
                # what somebody else put there in the meantime stays
                if sys.stdout is cls._instead and cls._usual is not None:
                    sys.stdout = cls._usual
                cls._usual = cls._instead = None
