"""Pattern-friendly QIDs: one or two values hold nearly all records, and a forest does without (Fig. 5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_hybrid_dp.patterns.categories import CategoryLimits, ranks_of
from qidguard_hybrid_dp.patterns.forest import Forest, losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Losses = Callable[[NDArray[np.float64], NDArray[np.int64], Sequence[int], Forest], list[float]]

LARGEST = 0.8
"""Share of the records above which one value is enough (the paper's 80 %)."""
TWO_LARGEST = 0.85
"""Share above which two values together are enough (the paper's 85 %)."""
MOST_LOSS = 0.5
"""Most points of accuracy that permuting a pattern-friendly QID may cost."""
_RARER = 2
"""So many rarer values have to stand beside the frequent ones."""


@dataclass(frozen=True, kw_only=True)
class Examined:
    """One QID, and whether it is pattern-friendly.

    Args:
        name: The QID.
        shares: Shares of its values, the largest first; no value itself.
        ranks: The place of each value's category in ``CATEGORIES``, in the order of ``shares``.
        loss: Mean permutation loss, points of accuracy; None where no forest was asked.
        is_friendly: Whether it is pattern-friendly.
        reason: Why, or why not.
        why: The same in a few words, for tables that have the figures beside.
    """

    name: str
    shares: tuple[float, ...]
    ranks: tuple[int, ...]
    loss: float | None
    is_friendly: bool
    reason: str
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """A QID as it is examined.

    Args:
        name: The QID.
        codes: Shape (records,), as ``Records.codes`` has them; NULL is a value.
        numbers: Shape (records,), what a forest sees in place of codes; None for codes.
    """

    name: str
    codes: "NDArray[np.int32]" = field(repr=False)
    numbers: "NDArray[np.float64] | None" = field(default=None, repr=False)

    @property
    def counts(self) -> "NDArray[np.int64]":
        """Records of each value that occurs, by its code."""
        return np.bincount(self.codes, minlength=1)


def examine(
    qids: Sequence[Pattern],
    labels: "Sequence[NDArray[np.int64]]",
    *,
    limits: CategoryLimits,
    forest: Forest,
    is_each_asked: bool = False,
    ask: "Losses | None" = None,
) -> tuple[Examined, ...]:
    """Return for each QID whether it is pattern-friendly, with the reason.

    It is where one value holds more than ``LARGEST`` of the records, or two together more than
    ``TWO_LARGEST``; at least two rarer values stand beside them; and permuting it costs at most
    ``MOST_LOSS`` points of accuracy.

    Args:
        qids: The QIDs; all of them are what the forest predicts from.
        labels: What is predicted, one array for each sensitive attribute; the largest loss counts. None
            leaves the loss out.
        limits: The limits of categories.
        forest: How the forest is made.
        is_each_asked: Whether the loss is also wanted where the shares have decided already.
        ask: Asks the forest, as ``losses`` does; None asks it anew.
    """
    shares = [_shares(pattern) for pattern in qids]
    asked = [at for at, of in enumerate(shares) if is_each_asked or _judged(of, None)[0]]
    worst: dict[int, float] = {}
    if asked and labels:
        seen = np.stack([p.codes if p.numbers is None else p.numbers for p in qids], axis=1).astype(float)
        each = [(ask or losses)(seen, label, asked, forest) for label in labels]
        worst = {at: max(of[place] for of in each) for place, at in enumerate(asked)}
    found = []
    for at, pattern in enumerate(qids):
        loss = worst.get(at)
        is_friendly, reason, why = _judged(shares[at], loss)
        found.append(
            Examined(
                name=pattern.name,
                shares=shares[at],
                ranks=_ranks(pattern, limits),
                loss=loss,
                is_friendly=is_friendly,
                reason=reason,
                why=why,
            )
        )
    return tuple(found)


def declared(qids: Sequence[Pattern], named: Sequence[str], limits: CategoryLimits) -> tuple[Examined, ...]:
    """Return the same where the policy says which QIDs are pattern-friendly."""
    return tuple(
        Examined(
            name=pattern.name,
            shares=_shares(pattern),
            ranks=_ranks(pattern, limits),
            loss=None,
            is_friendly=pattern.name in named,
            reason="the policy declares it" if pattern.name in named else "the policy declares others",
        )
        for pattern in qids
    )


def percent(share: float) -> str:
    """Return a share as receipts print it; all of it without a decimal.

    Example:
        >>> percent(0.25), percent(1.0)
        ('25.0%', '100%')
    """
    return "100%" if share == 1 else f"{share:.1%}"


def _shares(pattern: Pattern) -> tuple[float, ...]:
    counts = pattern.counts
    present = np.sort(counts[counts > 0])[::-1]
    return tuple((present / max(1, len(pattern.codes))).tolist())


def _ranks(pattern: Pattern, limits: CategoryLimits) -> tuple[int, ...]:
    counts = pattern.counts
    return tuple(ranks_of(np.sort(counts[counts > 0])[::-1], limits).tolist())


def _frequent(shares: tuple[float, ...]) -> tuple[str, int]:
    """Return which values hold nearly all records, and how many stand beside; no words where none do."""
    largest, two = sum(shares[:1]), sum(shares[:2])
    if largest > LARGEST:
        return f"its largest value holds {percent(largest)} of the records", len(shares) - 1
    if two > TWO_LARGEST:
        return f"its two largest values hold {percent(two)} of the records", len(shares) - 2
    return "", 0


def _judged(shares: tuple[float, ...], loss: float | None) -> tuple[bool, str, str]:
    """Return whether a QID is pattern-friendly, the reason, and the reason in a few words."""
    held, rarer = _frequent(shares)
    if not held:
        reason = (
            f"its largest value holds {percent(sum(shares[:1]))} of the records and not more than"
            f" {LARGEST:.0%}, its two largest {percent(sum(shares[:2]))} and not more than"
            f" {TWO_LARGEST:.0%}"
        )
        return False, reason, "no frequent value"
    if rarer < _RARER:
        reason = f"{held}, and beside them stand {max(0, rarer)} rarer values and not {_RARER}"
        return False, reason, "too few rarer values"
    if loss is None:
        reason = f"{held}; no sensitive attribute or target says whether a forest needs it"
        return True, reason, "frequent, nothing predicted"
    costs = f"permuting it costs {loss:.2f} points of accuracy"
    if loss > MOST_LOSS:
        return False, f"{held}, but {costs}, more than {MOST_LOSS:g}", "the forest needs it"
    return True, f"{held}, and {costs}, at most {MOST_LOSS:g}", "frequent, not needed"
