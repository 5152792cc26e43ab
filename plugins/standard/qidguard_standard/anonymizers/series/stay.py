"""How long records of who left may stay, and how large groups have to be for it."""

import math
from dataclasses import dataclass

from qidguard.sdk import Arguments, NotMeasurable, Parameter

UNTIL_K = "until_k"
_SPARE = 1.3
"""How many times k persons are to leave a group, in the mean, before the first of them has to go."""

LEAVERS_STAY = Parameter(
    name="leavers_stay",
    type=int,
    minimum=0,
    words=(UNTIL_K,),
    meaning="how many releases still show a person who left, with the last values: 0, a number of releases,"
    " or until_k, until k of a group can go together; a legal decision, so it has no default",
)
NEWCOMERS_WAIT = Parameter(
    name="newcomers_wait",
    type=int,
    default=3,
    minimum=0,
    meaning="releases that a newcomer may wait for a group that loses little; then any group is taken, as"
    " soon as k wait",
)
TURNOVER = Parameter(
    name="turnover",
    type=float,
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    meaning="share of the persons who leave from one release to the next; it decides how large first groups"
    " are where leavers_stay is a number, and 0 says that nobody stated it",
)
FIRST_GROUPS = Parameter(
    name="first_groups",
    type=float,
    default=0.0,
    minimum=0.0,
    meaning="smallest first group, in times of k; 0 takes what turnover and leavers_stay ask for, and 1 where"
    " they ask for nothing",
)
SENSITIVE_CHANGES = Parameter(
    name="sensitive_changes",
    type=str,
    default="refused",
    choices=("refused", "never", "accepted"),
    meaning="whether the records of who left may stay beside a sensitive attribute: refused; never, since no"
    " person's value changes with time; or accepted, although one that does not change tells who left",
)


@dataclass(frozen=True, kw_only=True)
class Stay:
    """The policy of a series.

    Args:
        leavers: Releases that show who left, ≥ 0; None until k of a group can go together.
        newcomers: Releases that a newcomer may wait, ≥ 0.
        turnover: Share of persons who leave from one release to the next, 0..1; 0 where it is not stated.
        first_groups: Smallest first group, in times of k, ≥ 1; None where turnover decides.
    """

    leavers: int | None
    newcomers: int
    turnover: float = 0.0
    first_groups: float | None = None

    def times_k(self, *, is_exit_known: bool) -> float:
        """Return how many times k persons a group has at first.

        g = 1.3 / (1 − (1 − r)ⁿ) for turnover r and n releases until the first leaver has to go: then 1.3 k of
        g·k persons left, in the mean. 1 where leavers stay until k can go, or leave as it is known, or nobody
        stated a turnover.

        Example:
            >>> year = Stay(leavers=12, newcomers=3, turnover=0.02)
            >>> round(year.times_k(is_exit_known=False), 2), year.times_k(is_exit_known=True)
            (6.04, 1.0)
        """
        if self.first_groups is not None:
            return max(1.0, self.first_groups)
        if self.leavers is None or is_exit_known or not self.turnover:
            return 1.0
        return max(1.0, _SPARE / (1.0 - (1.0 - self.turnover) ** max(self.leavers, 1)))

    def check(self, k: int, persons: int, *, is_exit_known: bool) -> None:
        """Raise NotMeasurable before what cannot be had begins: leavers gone at once, and narrow classes.

        Example:
            >>> Stay(leavers=0, newcomers=3, turnover=0.02).check(5, 100, is_exit_known=False)
            Traceback (most recent call last):
            ...
            qidguard.core.errors.NotMeasurable: leavers_stay: 0 needs about k/turnover = 250 persons...
        """
        if self.leavers is None or is_exit_known:
            return
        if self.first_groups is None and not self.turnover:
            raise NotMeasurable(
                f"leavers_stay: {self.leavers} asks for groups so large that k persons of one leave in that"
                " time; set turnover, the share of persons who leave from one release to the next, or"
                " first_groups, how many times k persons a group has"
            )
        if self.leavers or not self.turnover:
            return
        times = self.times_k(is_exit_known=False)
        needed = math.ceil(round(k / self.turnover, 6))
        asked = f"first_groups asks for {times * k:,.0f}"
        there = f"the table has {persons:,}" if persons < needed else asked
        if min(persons, times * k) < needed:
            raise NotMeasurable(
                f"leavers_stay: 0 needs about k/turnover = {needed:,} persons a group, so that k leave it"
                f" together each time, and {there}; let leavers stay for some releases or until_k, name the"
                " column of exits, or have larger groups"
            )


def stay_of(arguments: Arguments) -> Stay:
    """Return the policy of a series as the arguments have it.

    Example:
        >>> stay_of(
        ...     {"leavers_stay": "until_k", "newcomers_wait": 3, "turnover": 0.0, "first_groups": 0.0}
        ... ).leavers is None
        True
    """
    leavers = arguments["leavers_stay"]
    return Stay(
        leavers=None if leavers == UNTIL_K else int(leavers),
        newcomers=int(arguments["newcomers_wait"]),
        turnover=float(arguments["turnover"]),
        first_groups=float(arguments["first_groups"]) or None,
    )
