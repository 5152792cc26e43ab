"""The paper's figures of a published table, counted from what was there and what is published alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    ColumnSource,
    ColumnValues,
    NotMeasurable,
    Records,
    RehearsedTable,
    UserError,
    class_numbers,
    shown_name,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

THRESHOLDS = (0.05, 0.075, 0.1)
"""The risks τ of the paper's tables (El Emam 2013)."""
MARK = "*"
"""What a suppressed cell shows unless a policy says otherwise."""


@dataclass(frozen=True, kw_only=True)
class PublishedFigures:
    """What a published table costs and whom it protects (Wei et al. 2025).

    Args:
        records: Published records.
        persons: Published persons: of entities where there is an entity column, else of records.
        clusters: Distinct published combinations of the quasi-identifiers; the paper's "# of clusters".
        smallest: Persons of the smallest cluster.
        information_loss: IL = (10)/(11) in raw units, ≥ 0.
        standardized_loss: Mean over the quasi-identifiers of each column's own (10)/(11), ≥ 0.
        thresholds: The τ of ``at_risk``, shares 0..1.
        at_risk: For each τ the persons in clusters with 1/size > τ, strictly.
        homogeneous: Persons in clusters in which any sensitive attribute has one value, or who are alone.
        entropies: For each sensitive attribute its smallest entropy over the clusters, (16), bits.
        entropy_bounds: For each the entropy in the whole published table, bits; no clustering exceeds it.
    """

    records: int
    persons: int
    clusters: int
    smallest: int
    information_loss: float
    standardized_loss: float
    thresholds: tuple[float, ...]
    at_risk: tuple[int, ...]
    homogeneous: int
    entropies: tuple[float, ...]
    entropy_bounds: tuple[float, ...]

    @property
    def entropy(self) -> float:
        """(12), bits: the smallest entropies, summed over the sensitive attributes."""
        return sum(self.entropies)

    @property
    def entropy_bound(self) -> float:
        """A bound of (12), bits: entropy is concave, so no smallest one exceeds that of the whole table."""
        return sum(self.entropy_bounds)

    @property
    def five(self) -> tuple[float, ...]:
        """What the paper's tables compare: IL, the persons at risk at each τ, the homogeneous persons."""
        return self.information_loss, *self.at_risk, self.homogeneous

    def objective(self, least_loss: float, weight: float) -> float:
        """Return (18) = (1 − MIN(IL)/IL) − λ · (12)/MAX((12)), to be minimized.

        MAX((12)) is ``entropy_bound``. A loss of 0 is its own least; where every sensitive attribute has a
        single value there is no entropy to win, and the second part is 0.

        Args:
            least_loss: MIN(IL), the least loss at the same number of clusters and k, or a proven bound of it.
            weight: λ, ≥ 0.

        Raises:
            ValueError: When an argument is negative or the least loss exceeds the loss.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import pairs
            >>> round(figures_of(pairs(), ["illness"]).objective(0.005, 0.1), 4)
            0.3233
        """
        if least_loss < 0 or weight < 0:
            raise ValueError("neither the least loss nor the weight of the entropy may be negative")
        if least_loss > self.information_loss * (1 + 1e-9):
            raise ValueError(f"the least loss {least_loss} exceeds the loss {self.information_loss}")
        loss = 1.0 - least_loss / self.information_loss if self.information_loss else 0.0
        return loss - (weight * self.entropy / self.entropy_bound if self.entropy_bound else 0.0)


def figures_of(
    done: RehearsedTable, sensitive: Sequence[str] | None = None, thresholds: Sequence[float] = THRESHOLDS
) -> PublishedFigures:
    """Return the figures of a rehearsal over the quasi-identifiers of its task; see ``measure_published``.

    Args:
        done: What ``qidguard.sdk.rehearse`` returned.
        sensitive: The sensitive attributes; None takes the task's.
        thresholds: The τ, shares 0..1.

    Raises:
        NotMeasurable: As ``measure_published``.

    Example:
        >>> from qidguard_mo_obam.evaluation.example import pairs
        >>> figures_of(pairs(), ["illness"]).clusters
        3
    """
    return measure_published(
        done.before,
        done,
        done.kept,
        done.task.quasi_identifiers,
        done.task.sensitive if sensitive is None else sensitive,
        entity=done.task.entity,
        thresholds=thresholds,
        suppression_mark=done.task.suppression_mark,
    )


def measure_published(
    before: Records,
    after: ColumnSource,
    kept: "NDArray[np.bool_]",
    qids: Sequence[str],
    sensitive: Sequence[str],
    *,
    entity: str | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    suppression_mark: str | None = None,
) -> PublishedFigures:
    """Return the paper's figures of a published table (Wei, Benson, Agor & Capan 2025, (10) to (18)).

    Formula: IL = Σ over records and columns of (x − x′)² for numbers and 1 for a changed category,
    by the same of the column's mean or mode. The standardized loss is the mean of each column's own quotient
    over the columns that vary. Entropy of a cluster is −Σ p·log₂ p of a sensitive attribute over its records,
    (13); (12) sums the smallest over the attributes. The figures come from codes and values before and after,
    by code that the optimizer has no part in.

    Args:
        before: The table as it was.
        after: What is published of it: the kept records in their order.
        kept: Shape (records before,), which records are published.
        qids: The quasi-identifiers, at least one.
        sensitive: The sensitive attributes; without any nobody is homogeneous but who is alone.
        entity: The column whose values are the persons; None where each record is one. A person with several
            records is at risk where any of them is.
        thresholds: The τ, shares above 0 and up to 1. 1/size > τ is compared in whole numbers: size < ⌈1/τ⌉.
        suppression_mark: The text of a suppressed cell, which counts as the mean or the mode, as a suppressed
            record does.

    Returns:
        The figures; they hold no value of the table.

    Units:
        Persons, bits, and quotients without a unit.

    Raises:
        NotMeasurable: When nothing is published, no quasi-identifier varies but some were changed, or a
            column of numbers is published as texts that are no numbers.
        UserError: When no quasi-identifier is named, or a τ lies outside 0..1.

    NULL is a value of its own. Where one side of a cell of numbers is NULL it costs the column's variance. A
    single class has the loss 1 where the mean and the mode are published.

    Example:
        >>> from qidguard_mo_obam.evaluation.example import pairs
        >>> done = pairs()  # ages 30 30 31 33 50 52 as 30 30 32 32 51 51
        >>> found = measure_published(done.before, done, done.kept, ["age"], ["illness"])
        >>> found.clusters, found.at_risk, found.homogeneous, round(found.information_loss, 4)
        (3, (6, 6, 6), 2, 0.0074)
    """
    columns = tuple(qids)
    if not columns:
        raise UserError("figures are taken over at least one quasi-identifier; name one")
    sizes_needed = tuple(_smallest_safe(one) for one in thresholds)
    if not kept.any():
        raise NotMeasurable("no record is published, so there is nothing to measure")
    losses = [
        loss_of_column(before.column(name), after.column(name), kept, suppression_mark) for name in columns
    ]
    lost, deviation = sum(lost for lost, _ in losses), sum(own for _, own in losses)
    if lost and not deviation:
        raise NotMeasurable(
            "every quasi-identifier has a single value, so its spread is 0: no loss can be taken by it"
        )
    varying = [lost / own for lost, own in losses if own]
    cluster = class_numbers(np.stack([after.column(name).codes for name in columns], axis=1))
    person = None if entity is None else before.column(entity).codes[kept]
    belongs, who = _members(cluster, person)
    sizes = np.bincount(belongs)
    risk = np.full(int(who.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(risk, who, sizes[belongs])
    is_open = sizes == 1
    entropies, bounds = [], []
    for name in sensitive:
        values, entropy, whole = _counts(cluster, after.column(name).codes)
        is_open = is_open | (values == 1)
        entropies.append(float(entropy.min()))
        bounds.append(whole)
    return PublishedFigures(
        records=len(cluster),
        persons=int((risk < np.iinfo(np.int64).max).sum()),
        clusters=len(sizes),
        smallest=int(sizes.min()),
        information_loss=lost / deviation if deviation else 0.0,
        standardized_loss=sum(varying) / len(varying) if varying else 0.0,
        thresholds=tuple(thresholds),
        at_risk=tuple(int((risk < needed).sum()) for needed in sizes_needed),
        homogeneous=len(np.unique(who[is_open[belongs]])),
        entropies=tuple(entropies),
        entropy_bounds=tuple(bounds),
    )


def _smallest_safe(threshold: float) -> int:
    """Return the smallest size that is not above τ, read as the decimal number that a person wrote."""
    if not 0 < threshold <= 1:
        raise UserError(f"a risk τ lies above 0 and at most at 1, not {threshold}; 0.05 means 1 in 20")
    return ceil(1 / Fraction(repr(float(threshold))))


def _counts(
    cluster: "NDArray[np.int64]", codes: "NDArray[np.int32]"
) -> "tuple[NDArray[np.int64], NDArray[np.float64], float]":
    """Return an attribute's distinct values and entropy in each cluster, and its entropy in the table."""
    width = int(codes.max()) + 1
    cells, counts = np.unique(cluster * width + codes, return_counts=True)
    of = cells // width
    sizes = np.bincount(cluster)
    share = counts / sizes[of]
    all_shares = np.bincount(codes) / len(codes)
    all_shares = all_shares[all_shares > 0]
    # + 0.0 makes the -0.0 of a single value a 0
    entropy = np.asarray(-np.bincount(of, weights=share * np.log2(share)) + 0.0, dtype=np.float64)
    return np.bincount(of), entropy, float(-(all_shares * np.log2(all_shares)).sum() + 0.0)


def _members(
    cluster: "NDArray[np.int64]", person: "NDArray[np.int32] | None"
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return each membership of a person in a cluster once: the clusters, and the persons."""
    if person is None:
        return cluster, np.arange(len(cluster))
    width = int(person.max()) + 1
    both = np.unique(cluster * width + person)
    return both // width, both % width


def loss_of_column(
    before: ColumnValues, after: ColumnValues, kept: "NDArray[np.bool_]", mark: str | None
) -> tuple[float, float]:
    """Return a column's part of (10) and of (11); what is suppressed counts as its mean or mode."""
    own = _own_deviations(before)
    width = len(before.texts)
    pairs, records = np.unique(after.codes.astype(np.int64) * width + before.codes[kept], return_counts=True)
    published, original = pairs // width, pairs % width
    known = set(before.texts)
    # a value may itself look like the mark, or like no number
    is_new = np.array([text is not None and text not in known for text in after.texts])
    is_mark = is_new & np.array([text in {mark, MARK} for text in after.texts])
    if before.is_numeric:
        costs = _numbers_cost(before, after, is_new & ~is_mark, published, original)
    else:
        place = {text: code for code, text in enumerate(before.texts)}
        same = np.array([place.get(text, -1) for text in after.texts])
        costs = np.where(same[published] == original, 0.0, 1.0)
    cells = np.where(is_mark[published], own[original], costs)
    lost = float(cells @ records) + float(own[before.codes[~kept]].sum())
    return lost, float(own[before.codes].sum())


def _own_deviations(column: ColumnValues) -> "NDArray[np.float64]":
    """Return for each value its squared distance from the column's mean, or whether it is not the mode."""
    records = np.bincount(column.codes, minlength=len(column.texts))
    if not column.is_numeric:
        deviations = np.ones(len(records))
        deviations[int(records.argmax())] = 0.0
        return deviations
    numbers = _numbers(column)
    known = np.isfinite(numbers)
    mean = np.average(numbers[known], weights=records[known]) if records[known].any() else 0.0
    return np.where(known, (numbers - mean) ** 2, 0.0)


def _numbers_cost(
    before: ColumnValues,
    after: ColumnValues,
    is_new: "NDArray[np.bool_]",
    published: "NDArray[np.int64]",
    original: "NDArray[np.int64]",
) -> "NDArray[np.float64]":
    """Return the squared differences; the variance where only one side is a number."""
    old, new = _numbers(before), _numbers(after)
    is_text = is_new & ~np.isfinite(new)
    if is_text.any():
        raise NotMeasurable(
            f"column {shown_name(before.name)} holds numbers and is published as {int(is_text.sum()):,} texts"
            " that are none, such as intervals; equation (10) needs a number: take an anonymizer that"
            " publishes centers, or the metric information_loss"
        )
    x, y = old[original], new[published]
    records = np.bincount(before.codes, minlength=len(before.texts))[np.isfinite(old)].sum()
    variance = float(_own_deviations(before)[before.codes].sum()) / max(int(records), 1)
    cells = np.where(np.isfinite(x) & np.isfinite(y), (x - y) ** 2, variance)
    return np.where(~np.isfinite(x) & ~np.isfinite(y), 0.0, cells)


def _numbers(column: ColumnValues) -> "NDArray[np.float64]":
    if column.numbers is None:
        return np.full(len(column.texts), np.nan)
    return np.where(np.isfinite(column.numbers), column.numbers, np.nan)
