"""Pace: how many sets are measured at once, so that a budget and Ctrl-C are heeded soon."""

from dataclasses import dataclass

FIRST_SETS = 4
"""Sets of the first piece of work: nobody knows yet how long one takes."""

MOST_SETS = 8_192
"""Sets of a piece of work at most; more at once is hardly quicker."""

SLOW_SECONDS = 1.0
QUICK_SECONDS = 0.3
"""A piece that takes longer is halved, one that takes less is doubled."""


@dataclass(kw_only=True)
class Pace:
    """Says how many sets to measure next; the clock decides when a search stops, never what it finds."""

    sets: int = FIRST_SETS

    def took(self, seconds: float) -> None:
        """Hear how long the last piece took.

        Example:
            >>> pace = Pace()
            >>> pace.took(0.1)
            >>> pace.sets
            8
        """
        if seconds > SLOW_SECONDS:
            self.sets = max(1, self.sets // 2)
        elif seconds < QUICK_SECONDS:
            self.sets = min(MOST_SETS, self.sets * 2)
