"""What a class of k-member clustering spans, and what each free point would add to its loss."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.anonymizers.clustering.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Points on the scale of NCP: numbers as shares of their range, a further category 1/(values − 1).

    Args:
        numbers: Shape (numbers, records), 0..1.
        codes: Shape (categories, records).
        weights: Shape (categories,), what one more value of each adds to a class's loss.
    """

    numbers: "NDArray[np.float64]" = field(repr=False)
    codes: "NDArray[np.intp]" = field(repr=False)
    weights: "NDArray[np.float64]" = field(repr=False)

    @property
    def records(self) -> int:
        """Number of points."""
        return max(int(self.numbers.shape[1]), int(self.codes.shape[1]))

    def at(self, points: "NDArray[np.int64]") -> "Ground":
        """Return some of the points."""
        return Ground(
            numbers=np.take(self.numbers, points, axis=1),
            codes=np.take(self.codes, points, axis=1),
            weights=self.weights,
        )


def ground(space: Space) -> Ground:
    """Return points on the scale of NCP; a number without range, and a category of one value, add nothing."""
    low = space.numbers.min(axis=1, initial=np.inf)
    span = space.numbers.max(axis=1, initial=-np.inf) - low
    values = np.array([len(np.unique(codes)) for codes in space.codes], dtype=np.float64)
    return Ground(
        numbers=(space.numbers - low[:, None]) / np.where(span > 0, span, 1.0)[:, None],
        codes=space.codes.astype(np.intp),
        weights=np.where(values > 1, 1.0 / np.maximum(values - 1.0, 1.0), 0.0),
    )


class Hull:
    """The values that a class spans.

    Args:
        ground: All points.
        first: The class's first point.
    """

    def __init__(self, ground: Ground, first: int) -> None:
        self._ground = ground
        self._low = ground.numbers[:, first].copy()
        self._high = self._low.copy()
        span = int(ground.codes.max(initial=0)) + 1
        self._adds = np.repeat(ground.weights[:, None], span, axis=1)
        self._adds[np.arange(len(ground.weights)), ground.codes[:, first]] = 0.0

    def join(self, point: int) -> bool:
        """Let a point join; whether the class spans more than before."""
        numbers, codes = self._ground.numbers[:, point], self._ground.codes[:, point]
        each = np.arange(len(codes))
        is_wider = bool(
            (numbers < self._low).any() or (numbers > self._high).any() or self._adds[each, codes].any()
        )
        if is_wider:
            np.minimum(self._low, numbers, out=self._low)
            np.maximum(self._high, numbers, out=self._high)
            self._adds[each, codes] = 0.0
        return is_wider

    def additions(self, points: Ground) -> "NDArray[np.float64]":
        """Return what each of some points would add to the loss of every member.

        Shape (points,), the sum over columns, ≥ 0.

        Example:
            >>> two = Ground(
            ...     numbers=np.array([[0.0, 0.5]]), codes=np.array([[0, 1]]), weights=np.array([1.0])
            ... )
            >>> Hull(two, 0).additions(two).tolist()
            [0.0, 1.5]
        """
        total = np.zeros(points.records)
        for numbers, low, high in zip(points.numbers, self._low, self._high, strict=True):
            below = low - numbers
            above = numbers - high
            np.maximum(below, above, out=below)
            np.maximum(below, 0.0, out=below)
            total += below
        for codes, adds in zip(points.codes, self._adds, strict=True):
            total += adds.take(codes)
        return total
