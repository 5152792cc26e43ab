"""What an attack found, in rates with confidence intervals and in one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Arguments, AttackResult, Rate

CONFIDENCE = 0.95
"""The level of every interval of this folder, a share."""

_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def success_rate(successes: NDArray[np.float64]) -> Rate:
    """Return how often an attack succeeded, with Wilson's 95 % interval.

    low, high = (p + z²/2n ∓ z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n) (Wilson 1927). It is made for successes that
    are 0 or 1. A success may be a share here, such as 1/s for a guess among s persons: of all figures within
    0..1 with the mean p none varies more than p(1−p), so the interval is then wide enough, and often wider.
    """
    n = len(successes)
    if n and not (successes.min() >= 0 and successes.max() <= 1):
        raise ValueError("a success lies within 0..1")
    if not n:
        return Rate(successes=0.0, trials=0, low=0.0, high=1.0, confidence=CONFIDENCE)
    total = min(float(successes.sum()), float(n))
    p = total / n
    middle, width = p + _Z**2 / (2 * n), _Z * sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
    scale = 1 + _Z**2 / n
    # rounding must not put the rate itself outside its interval
    low = max(0.0, min(p, (middle - width) / scale))
    high = min(1.0, max(p, (middle + width) / scale))
    return Rate(successes=total, trials=n, low=low, high=high, confidence=CONFIDENCE)


def excess_over(published: Rate, control: Rate | None) -> tuple[float, float, float]:
    """Return what being in the table adds to an attack's success, with its 95 % interval.

    R = (p − c) / (1 − c) (Giomi et al. 2023). The errors of the two rates, which are independent, are
    propagated to first order, each side with its own half of Wilson's interval:
    low = R − √((Δp⁻/(1−c))² + ((1−p)Δc⁺/(1−c)²)²), high likewise with Δp⁺ and Δc⁻.
    """
    if control is None or not control.trials:
        return published.share, published.low, published.high
    p, c = published.share, control.share
    if c >= 1:
        return 0.0, -1.0, 1.0
    left = 1 - c
    excess = (p - c) / left
    slope = (1 - p) / left**2
    low = excess - sqrt(((p - published.low) / left) ** 2 + (slope * (control.high - c)) ** 2)
    high = excess + sqrt(((published.high - p) / left) ** 2 + (slope * (c - control.low)) ** 2)
    return _clipped(excess), _clipped(low), _clipped(high)


def _clipped(share: float) -> float:
    # no −0, which would be printed as such
    return max(-1.0, min(1.0, share)) + 0.0


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How the sentence of an attack goes.

    Args:
        trials: What was tried, as in ``of 1,000 {trials}``.
        success: What succeeded.
        control: What the control group is, as in ``of {control} 3 %``; its number goes before it.
        notes: Further clauses.
    """

    success: str
    trials: str = "persons attacked"
    control: str = "withheld persons"
    notes: Sequence[str] = ()


def finding(
    *,
    attack: str,
    arguments: Arguments,
    published: NDArray[np.float64],
    control: NDArray[np.float64] | None,
    persons: int,
    wording: Wording,
    people: float | None = None,
) -> AttackResult:
    """Return the result of an attack."""
    rate = success_rate(published)
    withheld = None if control is None else success_rate(control)
    excess, low, high = excess_over(rate, withheld)
    expected = rate.share * persons if people is None else people
    clauses = [
        f"Of {rate.trials:,} {wording.trials} {_share(rate)} {wording.success}",
        f"which is about {expected:,.0f} of {persons:,} persons",
    ]
    if withheld is not None:
        clauses.append(f"of {withheld.trials:,} {wording.control} {_share(withheld)}")
        clauses.append(f"being in the table adds {_percent(excess)} ({_percent(low)} to {_percent(high)})")
    return AttackResult(
        attack=attack,
        arguments=arguments,
        published=rate,
        control=withheld,
        excess=excess,
        excess_low=low,
        excess_high=high,
        people=expected,
        sentence="; ".join([*clauses, *wording.notes]) + ".",
    )


def _share(rate: Rate) -> str:
    return f"{rate.share:.1%} ({rate.low:.1%} to {rate.high:.1%})"


def _percent(share: float) -> str:
    # rounded first, so that no -0.0 % is printed
    return f"{round(share, 3) + 0.0:.1%}"
