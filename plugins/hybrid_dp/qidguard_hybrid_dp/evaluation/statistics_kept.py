"""Statistics of numbers before and after: mean, spread, quantiles, values out of bounds (Fig. 14, 15, 16)."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles that are compared."""
BINS = 20
"""Equal bins between the declared bounds."""


@dataclass(frozen=True, kw_only=True)
class NumberStatistics:
    """What a published column of numbers says beside the original; it holds no value of the table.

    Args:
        column: The column.
        mean: Mean of the published numbers less that of the original.
        spread: Standard deviation of the published over that of the original.
        quantiles: Published less original quantile, for each of ``QUANTILES``.
        outside: Published numbers outside the declared bounds.
        unchanged: Share of the numbers that are as they were, 0..1.
        variation: Total variation of the two histograms, ½·Σ|p − q| over ``BINS`` bins, 0..1.
        before: Shape (bins,), share of the original numbers in each bin; what lies outside counts at the end.
        after: The same of the published numbers.
        edges: Shape (bins + 1,), the bins' ends.
    """

    column: str
    mean: float
    spread: float
    quantiles: tuple[float, ...]
    outside: int
    unchanged: float
    variation: float
    before: NDArray[np.float64] = field(repr=False)
    after: NDArray[np.float64] = field(repr=False)
    edges: NDArray[np.float64] = field(repr=False)

    @property
    def bins(self) -> list[dict[str, str | float]]:
        """The share of the original and of the published records in each bin, as the rows of a plot."""
        ends = zip(self.edges.tolist(), self.edges[1:].tolist(), strict=False)
        return [
            {"low": low, "high": high, "records": kind, "share": share}
            for (low, high), *shares in zip(ends, self.before.tolist(), self.after.tolist(), strict=True)
            for kind, share in zip(("original", "published"), shares, strict=True)
        ]


def number_statistics(
    column: str,
    true: NDArray[np.float64],
    published: NDArray[np.float64],
    bounds: tuple[float, float],
) -> NumberStatistics:
    """Return what noise or generalization does to the statistics of a column.

    Args:
        column: The column.
        true: Shape (records,), the original numbers; NaN where missing.
        published: The same records' published numbers, the middle of an interval; NaN where none can be read.
        bounds: The declared bounds, which cut the histograms.

    Returns:
        The statistics; NaN where no number is left on either side.

    Units:
        Mean and quantiles in the column's unit.

    Raises:
        ValueError: When the two have other lengths, or the bounds hold nothing.

    Example:
        >>> found = number_statistics(
        ...     "age", np.array([20.0, 30.0, 40.0]), np.array([20.0, 36.0, 40.0]), (20, 40)
        ... )
        >>> found.mean, round(found.unchanged, 3), found.outside
        (2.0, 0.667, 0)
    """
    if len(true) != len(published):
        raise ValueError("statistics compare the same records before and after")
    low, high = bounds
    if not low < high:
        raise ValueError(f"bounds hold a range, not {low} to {high}")
    known = ~np.isnan(true)
    readable = ~np.isnan(published)
    first, second = true[known], published[readable]
    edges = np.linspace(low, high, BINS + 1)
    before, after = _shares(first, edges), _shares(second, edges)
    both = known & readable
    nothing = float("nan")
    if not len(first) or not len(second):
        return NumberStatistics(
            column=column, mean=nothing, spread=nothing, quantiles=(nothing,) * len(QUANTILES), outside=0,
            unchanged=0.0, variation=nothing, before=before, after=after, edges=edges,
        )  # fmt: skip
    spread = float(first.std())
    moved = np.quantile(second, QUANTILES) - np.quantile(first, QUANTILES)
    return NumberStatistics(
        column=column,
        mean=float(second.mean() - first.mean()),
        spread=float(second.std()) / spread if spread else nothing,
        quantiles=tuple(float(one) for one in moved),
        outside=int(((second < low) | (second > high)).sum()),
        unchanged=float((true[both] == published[both]).sum() / known.sum()),
        variation=float(np.abs(before - after).sum() / 2),
        before=before,
        after=after,
        edges=edges,
    )


def _shares(numbers: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    counts, _ = np.histogram(np.clip(numbers, edges[0], edges[-1]), bins=edges)
    found: NDArray[np.float64] = counts / max(len(numbers), 1)
    return found
