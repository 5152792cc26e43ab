"""The normalised certainty penalty of a published cell: the share of its domain that it may be any of.

Xu et al. 2006, Utility-based anonymization using local recoding, KDD, in the form
(values covered − 1) / (values of the domain − 1), in which an exact value loses nothing.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.anonymize.coverage.coverage import Coverage


def loss(coverage: "Coverage") -> "NDArray[np.float64]":
    """Return the loss of each published value, 0..1."""
    found = _loss(coverage, coverage.counts, coverage.lows, coverage.highs, _placeless(coverage))
    found[coverage.is_suppressed] = 1.0
    found[coverage.is_unreadable] = np.nan
    return found


def loss_of(
    coverage: "Coverage", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return the loss of cells beside their originals, 0..1."""
    published, original = np.broadcast_arrays(published, original)
    found = np.asarray(coverage.loss[published])
    is_wrong = ~coverage.covers(published, original)
    if is_wrong.any():
        found[is_wrong] = _of_wrong(coverage, published[is_wrong], original[is_wrong])
    return np.where(coverage.same[published] == original, 0.0, found)


def _of_wrong(
    coverage: "Coverage", published: "NDArray[np.int64]", original: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    """Return the loss of published values together with an original that they do not cover."""
    positions = coverage.domain.positions
    places = np.full(len(coverage.domain.order), np.nan)
    places[: len(positions)] = positions
    place = places[coverage.domain.rank[original]]
    found = _loss(
        coverage,
        np.maximum(coverage.counts[published], 1) + 1,
        np.fmin(coverage.lows[published], place),
        np.fmax(coverage.highs[published], place),
        _placeless(coverage)[published] + np.isnan(place),
    )
    found = np.where(coverage.is_mark[published], 1.0, found)
    return np.where(coverage.is_unreadable[published], np.nan, found)


def _loss(
    coverage: "Coverage",
    counts: "NDArray[np.int64]",
    lows: "NDArray[np.float64]",
    highs: "NDArray[np.float64]",
    placeless: "NDArray[np.int64]",
) -> "NDArray[np.float64]":
    others = max(coverage.domain.size - 1, 1)
    if not coverage.is_numeric:
        return np.clip((counts - 1) / others, 0.0, 1.0)
    positions = coverage.domain.positions
    span = float(positions[-1] - positions[0]) if len(positions) else 0.0
    is_placed = np.isfinite(lows)
    widths = np.where(is_placed, highs - lows, 0.0) / (span or 1.0)
    # the first of values without a number is what they are counted from
    extra = np.maximum(placeless - ~is_placed, 0) / others
    return np.clip(widths + extra, 0.0, 1.0)


def _placeless(coverage: "Coverage") -> "NDArray[np.int64]":
    """Return how many values without a number each published value covers."""
    placed = len(coverage.domain.positions)
    widths = np.maximum(coverage.ends - np.maximum(coverage.firsts, placed), 0)
    totals = np.concatenate([[0], np.cumsum(widths)])
    summed: NDArray[np.int64] = totals[coverage.starts[1:]] - totals[coverage.starts[:-1]]
    return summed
