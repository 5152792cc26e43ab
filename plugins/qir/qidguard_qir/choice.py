"""Which dimension is chosen: high privacy gain together with much information kept."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What one dimension offers.

    Args:
        dimension: Number of quasi-identifiers, ≥ 1.
        privacy_gain: PG, percent.
        kept: NUE as percent of the information kept.
    """

    dimension: int
    privacy_gain: float
    kept: float

    @property
    def lesser(self) -> float:
        """The lesser of both, percent: what the dimension offers for sure."""
        return min(self.privacy_gain, self.kept)


@dataclass(frozen=True, kw_only=True)
class DimensionChoice:
    """The chosen dimension.

    Args:
        dimension: The number of quasi-identifiers.
        reason: Why, one phrase.
        tied: The other dimensions that the rule holds equally good, rising; the smallest was taken.
    """

    dimension: int
    reason: str
    tied: tuple[int, ...] = ()


def choose(offers: Sequence[Offer]) -> DimensionChoice | None:
    """Return the dimension that the rule chooses.

    A dimension that has both the largest PG and the largest NUE wins (Mansour et al. 2021, Algorithm 2, line
    13). Where none has both, which is the rule, the one with the largest min(PG, NUE) wins. Of equals the
    smallest is taken, since it makes fewer columns vague, and the others are told.

    Args:
        offers: The dimensions that were measured, in any order.

    Returns:
        The choice; None where there is no offer.

    Units:
        PG and NUE in percent; the dimension in quasi-identifiers.

    Example:
        >>> rows = [(1, 33.8, 30.41), (2, 55.34, 44.65), (3, 77.94, 22.05)]  # the paper's Table 3, k = 5
        >>> choose([Offer(dimension=d, privacy_gain=p, kept=n) for d, p, n in rows]).dimension
        2
    """
    if not offers:
        return None
    most_gain, most_kept = max(o.privacy_gain for o in offers), max(o.kept for o in offers)
    both = [o for o in offers if o.privacy_gain == most_gain and o.kept == most_kept]
    if both:
        return _smallest(both, "it has the largest privacy gain and keeps the most information")
    lesser = max(o.lesser for o in offers)
    return _smallest(
        [o for o in offers if o.lesser == lesser],
        f"no dimension leads in both; the lesser of its two figures is the largest, {lesser:.4g} %",
    )


def _smallest(equal: Sequence[Offer], reason: str) -> DimensionChoice:
    first, *others = sorted(offer.dimension for offer in equal)
    return DimensionChoice(dimension=first, reason=reason, tied=tuple(others))
