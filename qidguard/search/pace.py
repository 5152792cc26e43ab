"""The pace of a search: how many sets are measured at once."""

import math
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
    set_seconds: float = 0.0

    def took(self, seconds: float, sets: int) -> None:
        """Set the size of the next piece from how long the last one took, and how many sets it had.

        Example:
            >>> pace = Pace()
            >>> pace.took(0.1, 4)
            >>> pace.sets
            8
        """
        self.set_seconds = max(seconds / max(1, sets), self.set_seconds / 2)
        if seconds > SLOW_SECONDS:
            self.sets = max(1, self.sets // 2)
        elif seconds < QUICK_SECONDS:
            self.sets = min(MOST_SETS, self.sets * 2)

    def within(self, seconds: float) -> int:
        """Return the size of the next piece where so many seconds are left; at least one set.

        Example:
            >>> pace = Pace()
            >>> pace.took(2.0, 4)
            >>> pace.within(1.0)
            2
        """
        if not self.set_seconds or seconds == math.inf:
            return self.sets
        return max(1, min(self.sets, int(seconds / self.set_seconds)))
