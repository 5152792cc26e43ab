"""Interrupt code that runs for too long: as Ctrl-C does in the main thread, between its steps in others.

What this ends: loops of Python, sleeping and waiting in the main thread, statements of DuckDB in any. What it
does not: compiled code that asks for no signal, such as one long call of numpy, before it returns; and code
that catches every exception in a loop, which is interrupted again each second but may go on. Where a process
may be ended for that, as that of the command line may, it is ended a minute later. In other threads nothing
is raised into code from outside: it ends where it next asks the host for something or returns, and what it
returns then counts no more.
"""

import contextlib
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum

LIMIT_VARIABLE = "QIDGUARD_PLUGIN_SECONDS"
LIMIT_SECONDS = 3600.0
"""How long one call of a plugin's code may take where nobody says."""
THREAD_NAME = "qidguard-watchdog"
GRACE_SECONDS = 1.0
"""How long code may go on after its budget before it is interrupted, and between two interruptions."""
LAST_SECONDS = 60.0
"""How long after the first interruption a process is ended, where ``ended_by`` says how."""
_ARRIVAL_SECONDS = 0.01
"""How long a signal that was sent may take to arrive."""


class Overrun(StrEnum):
    """Why code was interrupted."""

    OF_LIMIT = "limit"
    OF_BUDGET = "budget"


class Interrupted(KeyboardInterrupt):
    """Raised where code ran for too long; whatever ends in order after Ctrl-C does so after this."""


def limit_seconds() -> float:
    """Return how long one call of a plugin's code may take; infinite where the variable is 0."""
    text = os.environ.get(LIMIT_VARIABLE, "")
    try:
        seconds = float(text) if text else LIMIT_SECONDS
    except ValueError:
        return LIMIT_SECONDS
    return seconds if seconds > 0 else math.inf


class Watched:
    """One call that is watched. Its clock stands still while a call that it makes is watched itself.

    Args:
        whose: Whose code it is, for a last sentence.
        budget_seconds: When it was to be done by the clock on the wall; None has no such time.
        interrupt: Called first when it is interrupted, from another thread; such as DuckDB's ``interrupt``.
    """

    def __init__(
        self,
        *,
        whose: str = "",
        budget_seconds: float | None = None,
        interrupt: Callable[[], object] | None = None,
    ) -> None:
        self.whose = whose
        self.limit_seconds = limit_seconds()
        self._ends = math.inf if budget_seconds is None else budget_seconds
        self._interrupt = interrupt
        self._lock = threading.Lock()
        self._is_main = False
        self._signal: signal.Signals | None = None
        self._used = 0.0
        self._since = 0.0
        self._first = 0.0
        self._again = 0.0
        self._is_running = False
        self._outer: Watched | None = None
        self.overrun: Overrun | None = None

    def start(self) -> None:
        """Begin to watch."""
        self._is_main = threading.current_thread() is threading.main_thread()
        self._outer = getattr(_CALLS, "top", None)
        if self._outer is not None:
            self._outer.pause()
        else:
            self._signal = _taken_signal()
        _CALLS.top = self
        now = time.monotonic()
        self._ends += now
        self._since, self._is_running = now, True
        _WATCHDOG.add(self)

    def stop(self) -> Overrun | None:
        """End to watch; return why it was interrupted, if it was."""
        while True:
            # an interruption may still be under way to this thread: then it arrives in here
            try:
                self._end_inner()
                with self._lock:
                    self._is_running = False
                _WATCHDOG.remove(self)
                if self.overrun is not None and self._is_main:
                    time.sleep(_ARRIVAL_SECONDS)
                if self._signal is not None:
                    signal.signal(self._signal, signal.SIG_DFL)
                    self._signal = None
                _CALLS.top = self._outer
                if self._outer is not None:
                    self._outer.resume()
            except KeyboardInterrupt:
                if self.overrun is None:
                    raise
            else:
                return self.overrun

    def _end_inner(self) -> None:
        """End the calls within this one that an interruption left without their end."""
        call: Watched | None = getattr(_CALLS, "top", None)
        while call is not None and call is not self:
            call = call.abandon()

    def abandon(self) -> "Watched | None":
        """Watch no more; return the call around this one."""
        with self._lock:
            self._is_running = False
        _WATCHDOG.remove(self)
        return self._outer

    def pause(self) -> None:
        """Stop the clock."""
        with self._lock:
            self._used += time.monotonic() - self._since
            self._is_running = False

    def resume(self) -> None:
        """Let the clock go on."""
        with self._lock:
            self._since, self._is_running = time.monotonic(), True

    def look(self, now: float) -> None:
        """Interrupt the call if it is over; called by the watchdog."""
        with self._lock:
            if not self._is_running or now < self._again:
                return
            is_over = self._used + now - self._since > self.limit_seconds
            is_late = now > self._ends + GRACE_SECONDS and now - self._since > GRACE_SECONDS
            if not is_over and not is_late:
                return
            if self.overrun is None:
                self.overrun, self._first = Overrun.OF_LIMIT if is_over else Overrun.OF_BUDGET, now
            if now - self._first > LAST_SECONDS and _LAST_RESORTS:
                _LAST_RESORTS[-1](self.whose)
            self._again = now + GRACE_SECONDS
            if self._interrupt is not None:
                with contextlib.suppress(Exception):
                    self._interrupt()
            if self._is_main:
                _interrupt_main()


def ask() -> None:
    """Raise Interrupted where the time of the watched call is over: the step that it asks for is not done."""
    call: Watched | None = getattr(_CALLS, "top", None)
    if call is not None and call.overrun is not None:
        raise Interrupted


@contextmanager
def own_time() -> Iterator[None]:
    """Stop the clock of the watched call around work that the host does for it, unless its time is over."""
    ask()
    call: Watched | None = getattr(_CALLS, "top", None)
    if call is not None:
        call.pause()
    try:
        yield
    finally:
        if call is not None:
            call.resume()


@contextmanager
def ended_by(last_resort: Callable[[str], object]) -> Iterator[None]:
    """Say how the process ends where code cannot be interrupted; it is told whose code that is."""
    _LAST_RESORTS.append(last_resort)
    try:
        yield
    finally:
        _LAST_RESORTS.remove(last_resort)


_LAST_RESORTS: list[Callable[[str], object]] = []
_OWN_SIGNAL: signal.Signals | None = getattr(signal, "SIGUSR2", None)


def _taken_signal() -> signal.Signals | None:
    """Take another signal where Ctrl-C's raises nothing in the main thread, and return it, if one is free.

    So it is in a task of Airflow, and in what a script starts with ``&``.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or _OWN_SIGNAL is None or signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        return None
    if signal.getsignal(_OWN_SIGNAL) is not signal.SIG_DFL:
        return None
    signal.signal(_OWN_SIGNAL, _interrupted)
    return _OWN_SIGNAL


def _interrupted(*_: object) -> None:
    raise Interrupted


def _interrupt_main() -> None:
    """Send the main thread what Ctrl-C sends; a signal also ends a sleep, and what DuckDB is doing."""
    if _OWN_SIGNAL is not None and signal.getsignal(_OWN_SIGNAL) is _interrupted:
        number = _OWN_SIGNAL
    elif signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        number = signal.SIGINT
    else:
        return
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:  # pragma: no cover - a system without signals to a thread
        import _thread

        _thread.interrupt_main(number)


class _Watchdog:
    """The thread that looks at every watched call a few times a second, and ends where there is none."""

    _SECONDS = 0.2
    _IDLE_SECONDS = 2.0

    def __init__(self) -> None:
        self._calls: dict[int, Watched] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, call: Watched) -> None:
        with self._lock:
            self._calls[id(call)] = call
            if self._thread is None or not self._thread.is_alive():  # as it is in a fork
                self._thread = threading.Thread(target=self._watch, name=THREAD_NAME, daemon=True)
                self._thread.start()

    def remove(self, call: Watched) -> None:
        with self._lock:
            self._calls.pop(id(call), None)

    def _watch(self) -> None:
        idle = 0.0
        while idle <= self._IDLE_SECONDS or not self._has_ended():
            time.sleep(self._SECONDS)
            idle = 0.0 if self._look() else idle + self._SECONDS

    def _look(self) -> bool:
        """Look at each call, and say whether there were any; none is held on to until the next look."""
        with self._lock:
            calls = list(self._calls.values())
        now = time.monotonic()
        for call in calls:
            call.look(now)
        return bool(calls)

    def _has_ended(self) -> bool:
        """Say that the thread ends, unless a call was added meanwhile."""
        with self._lock:
            if self._calls:
                return False
            self._thread = None
            return True


_CALLS = threading.local()
_WATCHDOG = _Watchdog()
