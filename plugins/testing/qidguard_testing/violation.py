"""One thing that an anonymizer does and must not do, and ears for what it says while it works."""

import time
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A rule of the protocol that does not hold.

    Args:
        check: The name of the check that found it.
        sample: The name of the table on which it was found.
        sentence: What is wrong and what is expected. The kit's tables are made up, so it may hold values.
    """

    check: str
    sample: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.check}, on the table {self.sample!r}: {self.sentence}"


@dataclass
class Listener:
    """Hears of steps, keeps when they came, and interrupts at one of them.

    Args:
        interrupt_at: The step, from 0, at which Ctrl-C comes; None for never.
        steps: What was told: title, done, total.
        silence_seconds: The longest time without a step, once the work has ended.
    """

    interrupt_at: int | None = None
    steps: list[tuple[str, int, int]] = field(default_factory=list)
    silence_seconds: float = 0.0
    _moments: list[tuple[float, float]] = field(default_factory=list)

    def step(self, title: str, done: int, total: int) -> None:
        """Hear of a step."""
        self._now()
        self.steps.append((title, done, total))
        if self.interrupt_at is not None and len(self.steps) > self.interrupt_at:
            raise KeyboardInterrupt

    def begin(self) -> None:
        """Begin to take the time."""
        self._moments = []
        self._now()

    def end(self) -> None:
        """Stop to take the time, and keep the longest time without a step.

        Of wall time and time of this process's processors the shorter: on a busy machine the wall goes on.
        """
        self._now()
        pairs = zip(self._moments, self._moments[1:], strict=False)
        self.silence_seconds = max((min(b[0] - a[0], b[1] - a[1]) for a, b in pairs), default=0.0)

    def _now(self) -> None:
        self._moments.append((time.perf_counter(), time.process_time()))
