"""Signals that ask a process to stop, held once its work can no longer be undone, until that is said."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ASKING = (signal.SIGINT, signal.SIGTERM)


class LastWord:
    """A stretch of work whose end is said whatever signals come, from ``hold`` on."""

    def __init__(self) -> None:
        self._before: dict[signal.Signals, Any] = {}
        self._came: list[signal.Signals] = []

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether a signal came that is held."""
        return bool(self._came)

    def hold(self) -> None:
        """Only note signals from here on; a second call does nothing."""
        if self._before or threading.current_thread() is not threading.main_thread():
            return
        for number in _ASKING:
            handler = signal.getsignal(number)
            if handler not in {None, signal.SIG_IGN}:
                self._before[number] = handler
                signal.signal(number, self._note)

    def let_go(self, *, is_said: bool = False) -> None:
        """Give signals back to whoever had them, with those that came.

        Where the last word ``is_said``, those that came are answered by it.
        """
        before, self._before = self._before, {}
        came, self._came = self._came, []
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in () if is_said else came:
            signal.raise_signal(number)

    def _note(self, number: int, _: object) -> None:
        self._came.append(signal.Signals(number))

    def end(self, *, ends_process: bool) -> None:
        """Let go; Ctrl-C is answered by what is returned, and so is all where this ends the process."""
        is_said = ends_process or all(
            self._before.get(number) is signal.default_int_handler for number in self._came
        )
        self.let_go(is_said=is_said)


_OPEN: list[LastWord] = []
"""Those of the main thread that are open, one in the other; all of them are one."""


@contextmanager
def last_word(*, ends_process: bool = False) -> Iterator[LastWord]:
    """Yield what holds signals until the outermost of these ends.

    There a Ctrl-C that came is taken as answered by what is returned, and SIGTERM, or what has a handler of
    its own, is sent again. Where this ``ends_process``, as after a command has said how it ended, nothing is.
    Signals come to the main thread alone, so in other threads nothing is held.
    """
    if threading.current_thread() is not threading.main_thread():
        yield LastWord()
        return
    one = _OPEN[0] if _OPEN else LastWord()
    _OPEN.append(one)
    try:
        yield one
    finally:
        _OPEN.pop()
        if not _OPEN:
            one.end(ends_process=ends_process)
