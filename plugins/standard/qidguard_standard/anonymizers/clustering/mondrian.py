"""Mondrian: cut the records in two along one quasi-identifier, again and again (LeFevre et al. 2006)."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import AnonymizationTask, Anonymized, Arguments, ColumnValues, Parameter, Progress, Records
from qidguard_standard.anonymizers.clustering.axis import Axis, axis, cut_ranks
from qidguard_standard.anonymizers.clustering.classes import ClassRule, Members
from qidguard_standard.anonymizers.clustering.partitioned import DrawsClassSizes, classed, publish_parameters
from qidguard_standard.anonymizers.clustering.wanted import K, L, T

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class CutLevel(Members):
    """Classes side by side; a row stands for records that agree in all columns, or for one.

    Args:
        ranks: Shape (columns, rows), their ranks.
        weights: Shape (rows,), how many records each row stands for, ≥ 1.
    """

    weights: "NDArray[np.int64]" = field(repr=False)
    ranks: "NDArray[np.integer]" = field(repr=False)

    @property
    def records(self) -> "NDArray[np.int64]":
        """Records of each class."""
        counted: NDArray[np.int64] = np.add.reduceat(self.weights, self.starts)
        return counted

    def widths(self, axes: tuple[Axis, ...]) -> "NDArray[np.float64]":
        """Return what a cell of each class loses, shape (columns, classes)."""
        starts = self.starts
        return np.stack([axis.widths(ranks, starts) for axis, ranks in zip(axes, self.ranks, strict=True)])

    def only(self, classes: "NDArray[np.bool_]") -> "CutLevel":
        """Return some of the classes."""
        if classes.all():
            return self
        at = np.flatnonzero(np.repeat(classes, self.sizes))
        return self._taken(at, self.sizes[classes])

    def halves(self, is_left: "NDArray[np.bool_]") -> "CutLevel":
        """Return the left and the right half of each class, both of which have rows, in the order of rows.

        Example:
            >>> rows, ranks, weights = np.array([4, 5, 6]), np.array([[0, 1, 2]]), np.array([1, 1, 1])
            >>> one = CutLevel(order=rows, ranks=ranks, weights=weights, sizes=np.array([3]))
            >>> two = one.halves(np.array([False, True, False]))
            >>> two.order.tolist(), two.sizes.tolist()
            ([5, 4, 6], [1, 2])
        """
        starts = self.starts
        before: NDArray[np.int64] = (
            np.cumsum(is_left) - is_left
        )  # rows of the left before each row, over all classes
        in_class: NDArray[np.int64] = before[starts]
        left = np.append(in_class[1:], int(is_left.sum())) - in_class
        at = np.arange(len(is_left))
        lefts_before: NDArray[np.int64] = before - np.repeat(in_class, self.sizes)
        place = np.where(
            is_left,
            np.repeat(starts, self.sizes) + lefts_before,
            at - lefts_before + np.repeat(left, self.sizes),
        )
        order = np.empty(len(is_left), dtype=np.int64)
        order[place] = at
        sizes = np.stack([left, self.sizes - left], axis=1).reshape(-1)
        return self._taken(order, sizes)

    def _taken(self, at: "NDArray[np.int64]", sizes: "NDArray[np.int64]") -> "CutLevel":
        ranks = np.take(self.ranks, at, axis=1)
        return CutLevel(order=self.order[at], ranks=ranks, weights=self.weights[at], sizes=sizes)


@dataclass(frozen=True, kw_only=True)
class Cuts:
    """How Mondrian cuts.

    Args:
        rule: What both halves have to keep.
        axes: The columns, at least one.
        is_strict: Whether records with the same value stay together.
        look_ahead: How many columns are tried on each class, the widest first; the one whose halves lose
            least is taken. 1 takes the widest without a look.
        open_above: A class of this many records or fewer is final.
        least_half: Records that each half has at least, whatever the rule.
    """

    rule: ClassRule
    axes: tuple[Axis, ...] = field(repr=False)
    is_strict: bool = True
    look_ahead: int = 1
    open_above: int = 1
    least_half: int = 1

    def partition(
        self, progress: Progress, title: str, within: "NDArray[np.int64] | None" = None
    ) -> "NDArray[np.int64]":
        """Return the class of each record, numbered from 0.

        Shape (records,). ``within`` are classes that are there already, numbers ≥ 0 of shape (records,): each
        is cut by itself, whether it keeps the rule or not. Without it all records are one class.

        Example:
            >>> from types import SimpleNamespace
            >>> from qidguard_standard.anonymizers.clustering.wanted import Wanted
            >>> age = Axis(ranks=np.array([0, 1, 2, 3]), values=4, places=np.array([0.0, 0.1, 0.9, 1.0]))
            >>> deaf = SimpleNamespace(step=lambda title, done, total: None)
            >>> Cuts(rule=ClassRule(wanted=Wanted(k=2)), axes=(age,)).partition(deaf, "mondrian").tolist()
            [0, 0, 1, 1]
        """
        ranks = np.stack([axis.ranks for axis in self.axes])
        records = ranks.shape[1]
        # equal records beside one another, in the source's order: so ties fall alike whatever comes first
        first = np.zeros(records, dtype=np.int64) if within is None else within
        rows = np.lexsort((*ranks[::-1], first))
        ranks, first = np.take(ranks, rows, axis=1), first[rows]
        at = np.arange(records)
        if self.is_strict and self.rule.counts_records:
            # what agrees in all columns stays together: one row stands for it
            differs = (ranks[:, 1:] != ranks[:, :-1]).any(axis=0) | (first[1:] != first[:-1])
            at = np.flatnonzero(np.append(True, differs))
        weights = np.diff(at, append=records)
        sizes = np.unique(first[at], return_counts=True)[1]
        level = CutLevel(order=rows[at], ranks=np.take(ranks, at, axis=1), weights=weights, sizes=sizes)
        classes = np.empty(records, dtype=np.int64)
        classes[rows] = np.repeat(self._classes(level, progress, title, records)[rows[at]], weights)
        return classes

    def _classes(self, level: CutLevel, progress: Progress, title: str, records: int) -> "NDArray[np.int64]":
        """Return the final class of each row, at the place of the record that it stands for."""
        final = np.zeros(records, dtype=np.int64)
        classes, done = 0, 0
        progress.step(title, 0, records)
        while len(level.sizes):
            is_left, is_cut = self._sides(level)
            closed = level.only(~is_cut)
            final[closed.order] = classes + closed.owner
            classes += len(closed.sizes)
            done += int(closed.weights.sum())
            progress.step(title, done, records)
            level = level.only(is_cut).halves(is_left[np.repeat(is_cut, level.sizes)])
        return final

    def _sides(self, level: CutLevel) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Return which rows go to the left, and which classes are cut at all."""
        widths = level.widths(self.axes)
        order = np.argsort(-widths, axis=0, kind="stable")
        is_left = np.zeros(len(level.order), dtype=np.bool_)
        chosen = np.zeros(len(level.sizes), dtype=np.int64)
        least_loss = np.full(len(level.sizes), np.inf)
        everyone = np.arange(len(level.sizes))
        may_be_cut = level.records >= max(self.open_above + 1, 2 * max(self.rule.wanted.k, self.least_half))
        for column in order:
            tried = may_be_cut & (chosen < self.look_ahead) & (widths[column, everyone] > 0)
            if not tried.any():
                break
            part = level.only(tried)
            left, is_fine = self._cut(part, column[tried])
            chosen[tried] += is_fine
            loss = np.where(is_fine, self._loss(part, left, is_fine), np.inf)
            is_best = loss < least_loss[tried]
            least_loss[tried] = np.minimum(loss, least_loss[tried])
            here = np.zeros(len(level.sizes), dtype=np.bool_)
            here[np.flatnonzero(tried)[is_best]] = True
            is_left[np.repeat(here, level.sizes)] = left[np.repeat(is_best, part.sizes)]
        return is_left, chosen > 0

    def _cut(
        self, level: CutLevel, column: "NDArray[np.int64]"
    ) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Cut each class along its column; which rows go left, and where both halves keep the rule."""
        ranks = level.ranks[np.repeat(column, level.sizes), np.arange(len(level.order))].astype(np.int64)
        apart = np.array([axis.apart for axis in self.axes])[column]
        if not apart.any():
            return self._cut_middle(level, ranks)
        # what is missing on the one side, what is there on the other
        is_left = ranks < np.repeat(apart, level.sizes)
        is_fine = self._keeps(level, is_left)
        if not is_fine.all():
            of_rest = np.repeat(~is_fine, level.sizes)
            is_left[of_rest], is_fine[~is_fine] = self._cut_middle(level.only(~is_fine), ranks[of_rest])
        return is_left, is_fine

    def _cut_middle(
        self, level: CutLevel, ranks: "NDArray[np.int64]"
    ) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Cut each class beside its middle."""
        if not self.is_strict:
            keys = level.owner * (int(ranks.max(initial=0)) + 1) + ranks
            place = np.empty(len(keys), dtype=np.int64)
            place[np.argsort(keys, kind="stable")] = np.arange(len(keys))
            is_left: NDArray[np.bool_] = place < np.repeat(level.starts + level.sizes // 2, level.sizes)
            return is_left, self._keeps(level, is_left)
        near, far = cut_ranks(ranks, level.weights, level.sizes)
        is_left = ranks < np.repeat(near, level.sizes)
        is_fine = self._keeps(level, is_left)
        if not is_fine.all():
            rest = level.only(~is_fine)
            of_rest = np.repeat(~is_fine, level.sizes)
            is_left[of_rest] = ranks[of_rest] < np.repeat(far[~is_fine], rest.sizes)
            is_fine[~is_fine] = self._keeps(rest, is_left[of_rest])
        return is_left, is_fine

    def _keeps(self, level: CutLevel, is_left: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        """Return for each class whether both of its halves keep what they have to."""
        left = np.add.reduceat(np.where(is_left, level.weights, 0), level.starts)
        least = max(self.least_half, self.rule.wanted.k)
        is_fine: NDArray[np.bool_] = (left >= least) & (level.records - left >= least)
        if not self.rule.counts_records and is_fine.any():
            part = level.only(is_fine)
            side = 2 * part.owner + ~is_left[np.repeat(is_fine, level.sizes)]
            both = self.rule.keeps(side, 2 * len(part.sizes), part.order).reshape(-1, 2).all(axis=1)
            is_fine[is_fine] = both
        return is_fine

    def _loss(
        self, level: CutLevel, is_left: "NDArray[np.bool_]", is_fine: "NDArray[np.bool_]"
    ) -> "NDArray[np.float64]":
        """Return what the two halves of each class lose; 0 where nobody looks ahead."""
        loss = np.zeros(len(level.sizes))
        if self.look_ahead > 1 and is_fine.any():
            halves = level.only(is_fine).halves(is_left[np.repeat(is_fine, level.sizes)])
            each = halves.widths(self.axes).sum(axis=0) * halves.records
            loss[is_fine] = each.reshape(-1, 2).sum(axis=1)
        return loss


class Mondrian(DrawsClassSizes):
    """Mondrian multidimensional partitioning.

    All records are one class. A class is cut in two beside its median on one QID, as long as both halves keep
    k, l and t. The columns are tried in the order of their NCP range, the widest first, and of the first
    ``look_ahead`` that can be cut the one whose halves lose least is taken. Numbers and dates are cut in
    their own order; categories have none, so they stand in the order of how frequent they are in the table,
    which lets a cut split off the values that most records have. The original paper cuts the widest column
    only (``look_ahead: 1``) and orders categories by a hierarchy.

    Strict: records with the same value are never separated, and what is published does not depend on the
    order of records. Relaxed: a class is cut at its middle record, and those with the median's value go to
    both sides. They are told apart by their other QIDs and then by their place in the table, so that the
    order of records that agree in all QIDs decides which of them goes where.

    Literature: LeFevre, DeWitt & Ramakrishnan 2006, Mondrian multidimensional k-anonymity, ICDE.
    """

    name: ClassVar[str] = "mondrian"
    is_first_choice: ClassVar[bool] = True
    title: ClassVar[str] = "Mondrian: classes by repeated cuts at the median"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        K,
        L,
        T,
        Parameter(
            name="is_strict",
            type=bool,
            default=True,
            meaning="whether records with the same value of the cut column stay together",
        ),
        Parameter(
            name="look_ahead",
            type=int,
            default=4,
            minimum=1,
            meaning="columns tried on each class, the widest first; the cut that loses least is taken",
        ),
        *publish_parameters("sets"),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return every record, its QIDs published by class.

        Example:
            >>> Mondrian().name
            'mondrian'
        """

        def classes(columns: tuple[ColumnValues, ...], rule: ClassRule) -> "NDArray[np.int64]":
            cuts = Cuts(
                rule=rule,
                axes=tuple(axis(column, task.suppression_mark) for column in columns),
                is_strict=arguments["is_strict"],
                look_ahead=arguments["look_ahead"],
            )
            return cuts.partition(task.progress, self.name)

        return classed(records, arguments, task, classes)
