"""What each published value of a column stands for, and what is lost by it."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.coverage.domain import OriginalDomain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What the published values of one column stand for; made by ``qidguard.sdk.read_coverage``.

    A published code is a code of the published column, an original code one of the original column; 0 is
    NULL in both. Ranges are kept, no table of all pairs.

    Args:
        domain: The original values.
        starts: Shape (published codes + 1,): where each one's ranges begin in ``firsts`` and ``ends``.
        firsts: Shape (ranges,), the first rank of a range.
        ends: Shape (ranges,), the rank after its last.
        lows: Shape (published codes,), the lower end in numbers, within what occurs in the original; of a
            number that does not occur there, itself; NaN without one.
        highs: The upper end.
        is_point: Whether it is a number that does not occur in the original, such as a centroid: it covers
            nothing.
        is_mark: Whether it is NULL or a mark of suppression: it tells nothing of any other value.
        is_suppressed: Whether it stands for a suppressed cell, which covers everything.
        is_unreadable: Whether nobody can tell what it stands for; it covers nothing.
        same: The original code of the same value, NULL of NULL; −1 where there is none.
    """

    domain: OriginalDomain = field(repr=False)
    starts: "NDArray[np.int64]" = field(repr=False)
    firsts: "NDArray[np.int64]" = field(repr=False)
    ends: "NDArray[np.int64]" = field(repr=False)
    lows: "NDArray[np.float64]" = field(repr=False)
    highs: "NDArray[np.float64]" = field(repr=False)
    is_point: "NDArray[np.bool_]" = field(repr=False)
    is_mark: "NDArray[np.bool_]" = field(repr=False)
    is_suppressed: "NDArray[np.bool_]" = field(repr=False)
    is_unreadable: "NDArray[np.bool_]" = field(repr=False)
    same: "NDArray[np.int64]" = field(repr=False)

    @property
    def is_numeric(self) -> bool:
        """Whether losses are widths; otherwise they count values."""
        return self.domain.column.is_numeric

    @property
    def unreadable(self) -> int:
        """Number of published values, each counted once, that cannot be read."""
        return int(self.is_unreadable.sum())

    @cached_property
    def counts(self) -> "NDArray[np.int64]":
        """Shape (published codes,): how many original values each covers, NULL being one where it occurs."""
        return self._summed(self.ends - self.firsts)

    @cached_property
    def centers(self) -> "NDArray[np.float64]":
        """Shape (published codes,): the middle of the covered numbers, NaN where there is none.

        (low + high) / 2 of an interval's ends, or of the lowest and highest number covered; a number that
        does not occur in the original is its own; of a suppressed cell nobody knows any.
        """
        return np.where(self.is_suppressed, np.nan, (self.lows + self.highs) / 2)

    @cached_property
    def loss(self) -> "NDArray[np.float64]":
        """Shape (published codes,): the NCP loss of a cell, a share 0..1; NaN where it cannot be read.

        Categories: (values covered − 1) / (values of the domain − 1), NULL being a value where it occurs.
        Numbers, dates and moments: width / range of the domain; the width of an interval is that of its own
        ends within the domain, of labels and sets that of the values covered. A value without a number,
        NULL for one, that is covered together with others adds 1 / (values of the domain − 1), at most 1 in
        all. A suppressed cell loses 1, whatever the domain; else a column of one value loses 0. A number
        that does not occur in the original loses 0 by itself: ``loss_of`` compares it with the original.
        """
        losses = self._loss(self.counts, self.lows, self.highs, self._placeless)
        losses[self.is_suppressed] = 1.0
        losses[self.is_unreadable] = np.nan
        return losses

    def loss_of(self, published: "ArrayLike", original: "ArrayLike") -> "NDArray[np.float64]":
        """Return the NCP loss of cells whose original is known.

        The loss of what is published together with the original: the smallest interval or set that holds
        both. So a value that was kept loses 0, a right generalization what ``loss`` says, and a centroid or
        wrong value its distance from the original. A suppressed cell loses 1, unless the original was
        that very mark, or NULL.

        Args:
            published: Published codes.
            original: Original codes, of a shape that goes with it.

        Returns:
            The losses, in the common shape; NaN where a published value cannot be read.

        Units:
            Shares, 0..1.

        Raises:
            IndexError: When a code does not occur.

        Example:
            >>> from qidguard.anonymizing.example import ages
            >>> ages().loss_of([1, 1, 2], [1, 4, 2]).round(2).tolist()  # [17, 19] for 17 and 30, NULL for 18
            [0.15, 1.0, 0.0]
        """
        codes, original = np.broadcast_arrays(np.asarray(published), np.asarray(original))
        losses = np.asarray(self.loss[codes])
        is_wrong = ~self.covers(codes, original)
        if is_wrong.any():
            losses[is_wrong] = self._loss_of_wrong(codes[is_wrong], original[is_wrong])
        return np.where(self.same[codes] == original, 0.0, losses)

    def covers(self, published: "ArrayLike", original: "ArrayLike") -> "NDArray[np.bool_]":
        """Return whether published values stand for original ones.

        Args:
            published: Published codes.
            original: Original codes, of a shape that goes with it.

        Returns:
            For each pair whether the first covers the second, in the common shape.

        Raises:
            IndexError: When a code does not occur.

        Example:
            >>> from qidguard.anonymizing.example import ages
            >>> ages().covers([[1], [2]], [1, 2, 3, 4]).tolist()
            [[True, True, True, False], [False, True, False, False]]
        """
        codes, ranks = np.broadcast_arrays(np.asarray(published), self.domain.rank[np.asarray(original)])
        if not len(self.firsts):
            return np.zeros(codes.shape, dtype=np.bool_)
        starts, ends = self.starts[codes], self.starts[codes + 1]
        if int(np.diff(self.starts).max()) == 1:
            at = np.minimum(starts, len(self.firsts) - 1)
        else:
            # all ranges in one ascending line, so that the one that may hold a rank is found at once
            line = self._owners * len(self.domain.order) + self.firsts
            at = np.searchsorted(line, codes * len(self.domain.order) + ranks, side="right") - 1
            at = np.clip(at, 0, len(self.firsts) - 1)
        is_own = (starts <= at) & (at < ends)
        is_covered: NDArray[np.bool_] = is_own & (self.firsts[at] <= ranks) & (ranks < self.ends[at])
        return is_covered

    def covered(self, published: int) -> "NDArray[np.int64]":
        """Return the original codes that one published value covers.

        Args:
            published: A published code.

        Returns:
            Original codes, ascending.

        Raises:
            IndexError: When the code does not occur.

        Example:
            >>> from qidguard.anonymizing.example import ages
            >>> ages().covered(1).tolist()
            [1, 2, 3]
        """
        own = slice(self.starts[published], self.starts[published + 1])
        ranges = zip(self.firsts[own], self.ends[own], strict=True)
        ranks = [np.arange(first, end) for first, end in ranges]
        return np.sort(self.domain.order[np.concatenate(ranks)]) if ranks else np.zeros(0, dtype=np.int64)

    def spread(self, weights: "ArrayLike") -> "NDArray[np.float64]":
        """Return the weights of published values spread evenly over the original values that each covers.

        Args:
            weights: Shape (published codes,), such as numbers of records.

        Returns:
            The weight of each original code; what covers nothing adds nothing.

        Units:
            Those of the weights.

        Raises:
            ValueError: When there is not one weight for each published code.

        Example:
            >>> from qidguard.anonymizing.example import ages
            >>> ages().spread([0, 6, 1]).tolist()
            [0.0, 2.0, 3.0, 2.0, 0.0]
        """
        given = np.asarray(weights, dtype=np.float64)
        if given.shape != self.counts.shape:
            raise ValueError(f"there must be one weight for each of {len(self.counts):,} published values")
        each = (given / np.maximum(self.counts, 1))[self._owners]
        steps = np.zeros(len(self.domain.order) + 1)
        is_long = self.ends - self.firsts > 1
        np.add.at(steps, self.firsts[is_long], each[is_long])
        np.add.at(steps, self.ends[is_long], -each[is_long])
        by_rank = np.maximum(np.cumsum(steps)[:-1], 0.0) if is_long.any() else steps[:-1]
        # single values apart, so that a table in which nothing changed keeps exact weights
        np.add.at(by_rank, self.firsts[~is_long], each[~is_long])
        return by_rank[self.domain.rank]

    @cached_property
    def _owners(self) -> "NDArray[np.int64]":
        """The published code of each range."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def _summed(self, values: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the sum of ranges' values for each published code."""
        totals = np.concatenate([[0], np.cumsum(values)])
        summed: NDArray[np.int64] = totals[self.starts[1:]] - totals[self.starts[:-1]]
        return summed

    @cached_property
    def _placeless(self) -> "NDArray[np.int64]":
        """How many values without a number each published value covers."""
        placed = len(self.domain.positions)
        return self._summed(np.maximum(self.ends - np.maximum(self.firsts, placed), 0))

    def _loss_of_wrong(
        self, published: "NDArray[np.int64]", original: "NDArray[np.int64]"
    ) -> "NDArray[np.float64]":
        """Return the loss of published values together with an original that they do not cover."""
        positions = self.domain.positions
        places = np.full(len(self.domain.order), np.nan)
        places[: len(positions)] = positions
        place = places[self.domain.rank[original]]
        losses = self._loss(
            np.maximum(self.counts[published], 1) + 1,
            np.fmin(self.lows[published], place),
            np.fmax(self.highs[published], place),
            self._placeless[published] + np.isnan(place),
        )
        losses = np.where(self.is_mark[published], 1.0, losses)
        return np.where(self.is_unreadable[published], np.nan, losses)

    def _loss(
        self,
        counts: "NDArray[np.int64]",
        lows: "NDArray[np.float64]",
        highs: "NDArray[np.float64]",
        placeless: "NDArray[np.int64]",
    ) -> "NDArray[np.float64]":
        """Return losses, 0..1 (Xu et al. 2006, Utility-based anonymization using local recoding, KDD).

        In the form (values covered − 1) / (values of the domain − 1), in which an exact value loses nothing.
        """
        others = max(self.domain.size - 1, 1)
        if not self.is_numeric:
            return np.clip((counts - 1) / others, 0.0, 1.0)
        positions = self.domain.positions
        span = float(positions[-1] - positions[0]) if len(positions) else 0.0
        is_placed = np.isfinite(lows)
        widths = np.where(is_placed, highs - lows, 0.0) / (span or 1.0)
        # the first of values without a number is what they are counted from
        extra = np.maximum(placeless - ~is_placed, 0) / others
        return np.clip(widths + extra, 0.0, 1.0)
