"""What tests do when a run reaches a step."""

import threading
from collections.abc import Callable


class At:
    """Does something when a step is reached: ``done`` 0 is its beginning, 1 its end."""

    def __init__(self, title: str, done: int, act: Callable[[], object]) -> None:
        self._at, self._act = (title, done), act

    def step(self, title: str, done: int, total: int) -> None:
        """Act, if this is the step."""
        if (title, done) == self._at:
            self._act()


class Pause(At):
    """Waits at the beginning of a step until it is told to go on."""

    def __init__(self, title: str) -> None:
        super().__init__(title, 0, self._wait)
        self.reached, self.go = threading.Event(), threading.Event()

    def _wait(self) -> None:
        self.reached.set()
        assert self.go.wait(250)


class Paused:
    """Runs something in a thread of its own up to a step, and then until it ends.

    Attributes:
        made: What it returned, once it has ended.
        failed: What it raised instead.
    """

    def __init__(self, title: str, run: Callable[..., object]) -> None:
        self.pause = Pause(title)
        self.made: list[object] = []
        self.failed: list[Exception] = []
        self._thread = threading.Thread(target=self._run, args=(run,))
        self._thread.start()
        assert self.pause.reached.wait(250)

    def _run(self, run: Callable[..., object]) -> None:
        try:
            self.made.append(run(progress=self.pause))
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.failed.append(error)

    @property
    def is_current(self) -> bool:
        """Whether this is the thread that asks."""
        return threading.current_thread() is self._thread

    def end(self) -> None:
        """Let it go on, and wait for its end."""
        self.pause.go.set()
        self._thread.join(250)
