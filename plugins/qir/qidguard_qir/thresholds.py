"""The thresholds α and β: given in percent, or proposed where the sorted risks leave the widest gaps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.sdk import Arguments, NotMeasurable, Parameter, UserError

OUTER = 3
"""A proposed threshold sets apart at most one in so many of the columns."""
ALL = 100


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """α and β in percent of risk: SA lies above α, QID in [β, α], NS below β (Mansour et al. 2021, 3.1).

    Args:
        alpha: The risk above which a column is a sensitive attribute, percent, 0..100.
        beta: The risk from which on it is a quasi-identifier, percent, 0..alpha.
        reason: Where they come from, in words.
        is_proposed: Whether nobody gave them.
        sureness: How far the chosen gaps stand out from the next widest, 0 (not at all) to 1; 1 where they
            were given.

    Raises:
        UserError: When one is no number of 0..100, or β lies above α.

    Example:
        >>> Thresholds(alpha=0.2, beta=0.01)
        Thresholds(alpha=0.2, beta=0.01, reason='given', is_proposed=False, sureness=1.0)
    """

    alpha: float
    beta: float
    reason: str = "given"
    is_proposed: bool = False
    sureness: float = 1.0

    def __post_init__(self) -> None:
        for name, given in (("alpha", self.alpha), ("beta", self.beta)):
            value: object = given
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not (is_number and 0 <= given <= ALL):
                raise UserError(f"{name} must be a risk in percent, 0 to 100, not {value!r}")
        if self.beta > self.alpha:
            raise UserError(
                f"beta must be at most alpha, and {self.beta:g} % lies above {self.alpha:g} %; exchange them"
            )


_PROPOSED = -1.0
THRESHOLD_PARAMETERS = tuple(
    Parameter(
        name=name,
        type=float,
        default=_PROPOSED,
        minimum=_PROPOSED,
        maximum=ALL,
        meaning=f"risk in percent {what}; -1 proposes both thresholds",
    )
    for name, what in (
        ("alpha", "above which a column is a sensitive attribute"),
        ("beta", "from which a column is a quasi-identifier"),
    )
)
"""The parameters of the strategy ``qir`` that say where columns are parted."""


def given_thresholds(arguments: Arguments) -> tuple[float | None, float | None]:
    """Return α and β as a policy's parameters give them, None where they are to be proposed.

    Example:
        >>> given_thresholds({"alpha": 0.2, "beta": 0.01}), given_thresholds({"beta": -1.0})
        ((0.2, 0.01), (None, None))
    """
    alpha, beta = (arguments.get(one.name, _PROPOSED) for one in THRESHOLD_PARAMETERS)
    return None if alpha == _PROPOSED else float(alpha), None if beta == _PROPOSED else float(beta)


def both_or_none(alpha: float | None, beta: float | None) -> Thresholds | None:
    """Return the given thresholds, or None where none is given; UserError where one is missing."""
    if alpha is None and beta is None:
        return None
    if alpha is None or beta is None:
        missing = "alpha" if alpha is None else "beta"
        raise UserError(f"{missing} is missing; give both thresholds, or none to have them proposed")
    return Thresholds(alpha=alpha, beta=beta)


def propose_thresholds(risks: Sequence[float], apart: str = "") -> Thresholds:
    """Propose α and β from the risks of the columns: in the widest gaps near both ends.

    The paper lets a person choose after a look at the risks; this rule is ours. Risks are sorted and compared
    by their ratio. α stands in the widest gap that has at most a third of the columns above it, β in the
    widest that has at most a third of them below it, each in the middle of its gap (the geometric mean of the
    two risks). Neither knows what an outsider knows, so a person decides.

    Args:
        risks: The risk of each column in percent, above 0; leave out direct identifiers and columns of one
            value.
        apart: Which columns were left out so, for the sentence where nothing can be proposed.

    Returns:
        Thresholds with the reason. ``sureness`` is 1 − the second widest gap / the widest, in logarithms, the
        smaller of the two ends.

    Raises:
        NotMeasurable: When fewer than three risks differ, so that there are no three groups.

    Example:
        >>> found = propose_thresholds([40, 2, 1.5, 1, 0.01])
        >>> round(found.alpha, 1), found.beta, found.reason[:50]
        (8.9, 0.1, 'proposed: α in the widest gap above, from 2 % to 4')
    """
    ordered = sorted(risks, reverse=True)
    if len(set(ordered)) < OUTER:
        raise NotMeasurable(
            f"{len(set(ordered))} different risks make no three groups{apart and f' ({apart})'}, so"
            " thresholds cannot be proposed; give alpha and beta"
        )
    most = max(1, len(ordered) // OUTER)
    above, upper = _widest(ordered, most)
    below, lower = _widest(ordered[::-1], most)
    if above >= len(ordered) - below:  # both ends found the same gap
        raise NotMeasurable(
            "the risks leave one gap only, so thresholds cannot be proposed; give alpha and beta"
        )
    high, low = ordered[above - 1], ordered[above]
    first, last = ordered[-below - 1], ordered[-below]
    return Thresholds(
        alpha=math.sqrt(high * low),
        beta=math.sqrt(first * last),
        reason=(
            f"proposed: α in the widest gap above, from {low:.3g} % to {high:.3g} %; β in the widest gap"
            f" below, from {last:.3g} % to {first:.3g} %"
        ),
        is_proposed=True,
        sureness=min(upper, lower),
    )


def _widest(ordered: Sequence[float], most: int) -> tuple[int, float]:
    """Return after how many of the outermost risks the widest gap is, and how far it stands out."""
    gaps = [abs(math.log(ordered[i - 1] / ordered[i])) for i in range(1, len(ordered))]
    place = max(range(most), key=lambda i: gaps[i])
    if not gaps[place]:  # equal risks at this end belong together
        return next(i for i, gap in enumerate(gaps, 1) if gap), 0.0
    beside = max(gap for i, gap in enumerate(gaps[: most + 1]) if i != place)
    return place + 1, max(0.0, 1 - beside / gaps[place])
