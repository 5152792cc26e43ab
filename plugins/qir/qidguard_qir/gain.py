"""Privacy gain and non-uniform entropy of one anonymized table (Mansour et al. 2021, section 3.4).

The table is a sample that an installed anonymizer makes in memory: no release, no audit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import (
    ColumnSource,
    ColumnValues,
    Coverage,
    Hierarchy,
    NotMeasurable,
    Records,
    class_numbers,
    k_anonymity_task,
    read_coverage,
    rehearse,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Gain:
    """What anonymizing a set of quasi-identifiers won and cost.

    Args:
        persons: Persons of the input, ≥ 1; records where there is no entity column.
        smallest_before: Persons in the smallest class of the input, ≥ 1.
        smallest_after: Persons in the smallest class of what is published; 0 where nothing is.
        risk_before: Mean prosecutor risk of the input, a share 0..1.
        risk_after: The same of what is published, over the persons of the input: one of whom no record is
            published has the risk 0.
        bits_lost: Non-uniform entropy, equation (4), bits ≥ 0.
        bits_whole: What it would be if everything were one value, bits ≥ bits_lost.
        suppressed: Share of the records that are not published, 0..1.
    """

    persons: int
    smallest_before: int
    smallest_after: int
    risk_before: float
    risk_after: float
    bits_lost: float
    bits_whole: float
    suppressed: float = 0.0

    @property
    def anonymity_gain(self) -> int:
        """PG by equation (3) and definition 1, persons: the smallest class after minus the one before."""
        return self.smallest_after - self.smallest_before

    @property
    def privacy_gain(self) -> float:
        """PG as the share of the mean prosecutor risk that was removed, percent; below 0 where it rose.

        Example:
            >>> halved = Gain(
            ...     persons=8,
            ...     smallest_before=1,
            ...     smallest_after=2,
            ...     risk_before=0.5,
            ...     risk_after=0.25,
            ...     bits_lost=2.0,
            ...     bits_whole=8.0,
            ... )
            >>> halved.privacy_gain, halved.anonymity_gain, halved.kept
            (50.0, 1, 75.0)
        """
        return 100.0 * (self.risk_before - self.risk_after) / self.risk_before

    @property
    def kept(self) -> float:
        """NUE as percent of the information that is kept: 100 · (1 − bits lost / bits of everything).

        Where each quasi-identifier has one value there is nothing to lose, and it is 100.
        """
        return 100.0 * (1.0 - self.bits_lost / self.bits_whole) if self.bits_whole else 100.0


def measure_gain(
    before: Records,
    after: ColumnSource,
    kept: "NDArray[np.bool_]",
    qids: Sequence[str],
    *,
    entity: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    suppression_mark: str | None = None,
) -> Gain:
    """Return the privacy gain and the non-uniform entropy of a published table.

    Formula: NUE = Σ over the cells of quasi-identifiers and records of −log₂(f(x)/f(x′)), f(x) the input's
    records with the cell's value x, f(x′) those with any value that the published x′ covers. A suppressed
    record, a suppressed cell, and a value that does not hold its original lose −log₂(f(x)/n) of n records, as
    if all values had become one. Mean prosecutor risk = (1/persons) Σ over persons of 1/size, size being that
    of their smallest class. Source: Mansour et al. 2021, equations (3) and (4); De Waal & Willenborg 1999.

    Args:
        before: The input.
        after: What is published of it: the kept records in the input's order.
        kept: Shape (records of the input,), which records are published.
        qids: The quasi-identifiers, at least one.
        entity: The column whose values are the persons; None where each record is one.
        hierarchies: Column → the hierarchy that published labels come from, bound to the input.
        suppression_mark: The text of a suppressed cell, beside ``*``.

    Returns:
        Both readings of the privacy gain, and the entropy in bits and as percent kept.

    Units:
        Persons, shares 0..1, bits and percent.

    Raises:
        NotMeasurable: When the input has no records, or what a published value stands for cannot be read.
        ValueError: When no quasi-identifier is given.

    NULL is a value of its own. A single class before has nothing to win: its gain is 0 unless people are left
    out.

    Example:
        >>> from qidguard_qir.example import halves
        >>> before, after, kept = halves()
        >>> gain = measure_gain(before, after, kept, ["age"])
        >>> gain.anonymity_gain, gain.privacy_gain, gain.bits_lost, gain.kept
        (1, 50.0, 4.0, 50.0)
    """
    if not qids:
        raise ValueError("a gain is measured over at least one quasi-identifier")
    if not before.records:
        raise NotMeasurable("the table has no records, so there is nothing to win")
    person = None if entity is None else before.codes((entity,))[:, 0]
    risk_before, smallest_before, persons = _exposure(before.codes(tuple(qids)), person)
    published = np.stack([after.column(name).codes for name in qids], axis=1)
    risk_after, smallest_after, _ = _exposure(published, None if person is None else person[kept])
    lost = whole = 0.0
    for name in qids:
        column = before.column(name)
        hierarchy = None if hierarchies is None else hierarchies.get(name)
        all_bits = bits_of_values(column)
        lost += _bits_lost(column, after.column(name), kept, all_bits, hierarchy, suppression_mark)
        whole += float(all_bits @ np.bincount(column.codes, minlength=len(column.texts)))
    return Gain(
        persons=persons,
        smallest_before=smallest_before,
        smallest_after=smallest_after,
        risk_before=risk_before / persons,
        risk_after=risk_after / persons,
        bits_lost=min(lost, whole),  # sums in another order may differ in the last digit
        bits_whole=whole,
        suppressed=float(1.0 - kept.mean()),
    )


def mean_risk(records: Records, qids: Sequence[str], entity: str | None = None) -> float:
    """Return the mean prosecutor risk of quasi-identifiers, 0..1: distinct/n where records are persons.

    Example:
        >>> from qidguard_qir.example import halves
        >>> mean_risk(halves()[1], ["age"])
        0.5
    """
    person = None if entity is None else records.codes((entity,))[:, 0]
    risk, _, persons = _exposure(records.codes(tuple(qids)), person)
    return risk / persons if persons else 0.0


def bits_of_values(column: ColumnValues) -> "NDArray[np.float64]":
    """Return for each code the bits that its value tells among all records, log₂(n/f)."""
    counts = np.bincount(column.codes, minlength=len(column.texts))
    return np.log2(column.records / np.maximum(counts, 1))


def _bits_lost(
    before: ColumnValues,
    after: ColumnValues,
    kept: "NDArray[np.bool_]",
    all_bits: "NDArray[np.float64]",
    hierarchy: Hierarchy | None,
    mark: str | None,
) -> float:
    """Return the bits that one column lost."""
    counts = np.bincount(before.codes, minlength=len(before.texts))
    gone = float(all_bits @ np.bincount(before.codes[~kept], minlength=len(before.texts)))
    read = read_coverage(before, after, hierarchy, mark)
    if read.unreadable:
        raise NotMeasurable(
            f"what {read.unreadable:,} published values of column {before.name!r} stand for cannot be read"
        )
    width = len(before.texts)
    pairs, records = np.unique(after.codes.astype(np.int64) * width + before.codes[kept], return_counts=True)
    published, original = pairs // width, pairs % width
    covered = _covered(read, counts)[published]
    bits = np.where(
        read.covers(published, original),
        np.log2(np.maximum(covered, 1) / counts[original]),
        all_bits[original],
    )
    bits = np.where(read.same[published] == original, 0.0, bits)
    return float(bits @ records) + gone


def _covered(read: Coverage, counts: "NDArray[np.int64]") -> "NDArray[np.int64]":
    """Return for each published value how many records of the input have a value that it covers."""
    by_rank = np.concatenate([[0], np.cumsum(counts[read.domain.order])])
    runs = np.concatenate([[0], np.cumsum(by_rank[read.ends] - by_rank[read.firsts])])
    covered: NDArray[np.int64] = runs[read.starts[1:]] - runs[read.starts[:-1]]
    return covered


def _exposure(codes: "NDArray[np.int32]", person: "NDArray[np.int32] | None") -> tuple[float, int, int]:
    """Return the summed risk of the persons, the persons of the smallest class, and how many they are."""
    if not len(codes):
        return 0.0, 0, 0
    classes = class_numbers(codes)
    if person is None:
        size = np.bincount(classes)
        return float(len(size)), int(size.min()), len(codes)
    members = np.unique(np.stack([classes, person.astype(np.int64)]), axis=1)
    size = np.bincount(members[0])
    order = np.argsort(members[1], kind="stable")
    smallest = np.minimum.reduceat(size[members[0]][order], np.flatnonzero(_first(members[1][order])))
    return float((1.0 / smallest).sum()), int(size.min()), len(smallest)


def _first(ordered: "NDArray[np.int64]") -> "NDArray[np.bool_]":
    """Return which of some sorted numbers are the first of their kind."""
    return np.concatenate([[True], ordered[1:] != ordered[:-1]])


ANONYMIZER = "full_domain[search=greedy]"
"""The anonymizer where nobody names one.

The paper used ARX, which generalizes full domains: each value of a column to one level of its hierarchy. The
search for the best levels is greedy, since the proven optimum gives up at nine of Adult's ten QIDs.
"""


@dataclass(frozen=True, kw_only=True)
class RehearsedGain:
    """Anonymizes records with k as the limit, and measures what was won and lost.

    Args:
        label: The anonymizer, parameters in brackets as on the command line; one that needs a ``k`` gets it.
        entity: The column whose values are the persons; None where each record is one.
        host: The plugins; None takes the installed ones.
        seconds_left: Says how long a rehearsal may take, s; None sets no limit.
    """

    label: str = ANONYMIZER
    entity: str | None = None
    host: Any = field(default=None, repr=False)
    seconds_left: Callable[[], float | None] = field(default=lambda: None, repr=False)

    def __call__(self, records: Records, qids: tuple[str, ...], k: int, seed: int) -> Gain:
        """Return the gain over the anonymized columns; NotMeasurable where the anonymizer cannot reach k."""
        return self.over(records, qids, k, seed, (qids,))[0]

    def over(
        self, records: Records, qids: tuple[str, ...], k: int, seed: int, known: Sequence[tuple[str, ...]]
    ) -> tuple[Gain, ...]:
        """Return the gain over each of several sets of columns that an attacker may know."""
        task = k_anonymity_task(k, qids, entity=self.entity, seed=seed, host=self.host)
        done = rehearse(records, self.label, task, budget_seconds=self.seconds_left(), host=self.host)
        return tuple(
            measure_gain(
                records,
                done,
                done.kept,
                columns,
                entity=self.entity,
                hierarchies=done.changes.hierarchies,
                suppression_mark=task.suppression_mark,
            )
            for columns in known
        )
