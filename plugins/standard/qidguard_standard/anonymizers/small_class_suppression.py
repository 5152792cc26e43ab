"""Suppression of the records in classes that are too small."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Arguments,
    NotMeasurable,
    Parameter,
    Records,
    class_numbers,
)
from qidguard_standard.anonymizers.clustering.wanted import Wanted, guarantees

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PersonsInClasses:
    """The classes of one QID combination.

    A round costs time in proportion to the records that it takes out and to those in the classes it touches,
    so that a long chain of small rounds stays affordable.

    Args:
        codes: Shape (records, QIDs), each column's codes whole numbers ≥ 0.
        entity: Shape (records,), the code of each record's entity; None where each record is a person.
    """

    def __init__(self, codes: "NDArray[np.int32]", entity: "NDArray[np.int32] | None") -> None:
        self._number = class_numbers(codes)
        self._pair: NDArray[np.int64] | None = None
        if entity is None:
            self._persons = np.bincount(self._number)
        else:
            # a pair is an entity in a class; it counts as long as it has a record
            self._pair = class_numbers(np.stack([self._number, entity.astype(np.int64)], axis=1))
            self._pair_records = np.bincount(self._pair)
            self._class_of_pair = np.empty(len(self._pair_records), dtype=np.int64)
            self._class_of_pair[self._pair] = self._number
            self._persons = np.bincount(self._class_of_pair)
        self._members: NDArray[np.int64] | None = None

    def below(self, k: int) -> "NDArray[np.int64]":
        """Return the records in classes of fewer than ``k`` persons, before any is taken out.

        Example:
            >>> PersonsInClasses(np.array([[7], [8], [7]], dtype=np.int32), None).below(2).tolist()
            [1]
        """
        return np.flatnonzero((self._persons < k)[self._number])

    def take_out(self, records: "NDArray[np.int64]", k: int) -> "NDArray[np.int64]":
        """Take records out and return those of the classes touched that have fewer than ``k`` persons left.

        Example:
            >>> classes = PersonsInClasses(np.array([[7], [8], [7]], dtype=np.int32), None)
            >>> classes.take_out(np.array([0]), 2).tolist()
            [0, 2]
        """
        touched = self._number[records]
        if self._pair is not None:
            pairs = self._pair[records]
            np.subtract.at(self._pair_records, pairs, 1)
            gone = np.unique(pairs[self._pair_records[pairs] == 0])
            touched = self._class_of_pair[gone]
        np.subtract.at(self._persons, touched, 1)
        return self._records_of(np.unique(touched[self._persons[touched] < k]))

    def _records_of(self, classes: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the records of some classes, one class after the other."""
        if self._members is None:
            # the records of class c are members[start[c] : start[c + 1]]
            self._members = np.argsort(self._number, kind="stable")
            self._start = np.concatenate([[0], np.cumsum(np.bincount(self._number))])
        start, sizes = self._start[classes], self._start[classes + 1] - self._start[classes]
        first = np.cumsum(sizes) - sizes
        places: NDArray[np.int64] = np.repeat(start - first, sizes) + np.arange(sizes.sum())
        return self._members[places]


MOST_BYTES = 2**30
"""Largest memory in which the classes of all combinations are held; beyond it each round makes them anew."""
_MOST_CLAIMS = 200
"""Combinations that the claim names one by one; it holds for the others as well."""
_BYTES_EACH = 56
"""What holding the classes of one combination takes, bytes a record, at most."""


class SmallClassSuppression:
    """Record suppression: what stands in a small class is not published (Samarati 2001; Sweeney 2002).

    A record is suppressed while its class in any of the combinations has fewer than k persons. To suppress
    one shrinks its classes in the other combinations, so this is repeated until nothing changes. What is kept
    does not depend on the order of records or combinations: it is the largest set of records in which every
    class of every combination has at least k persons, for two such sets together are one again. Cells are
    never touched.

    With an entity column a class counts distinct entities. Only the records in small classes go, not all
    records of their persons: whoever is common in one class and rare in another stays in the first. So every
    class that is left has k persons, while the *set* of classes a person appears in may still be theirs
    alone; joint classes over releases see that, k-anonymity does not.

    Literature: Samarati 2001, Protecting respondents' identities in microdata release; Sweeney 2002,
    Achieving k-anonymity privacy protection using generalization and suppression.
    """

    name: ClassVar[str] = "small_class_suppression"
    title: ClassVar[str] = "suppression of records in small classes"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="k", type=int, minimum=2, meaning="smallest class that is published, persons"),
        Parameter(
            name="most_suppressed",
            type=float,
            default=0.1,
            minimum=0.0,
            maximum=1.0,
            meaning="largest share of the records that may be suppressed; beyond it nothing is published, "
            "for what is left would no longer stand for the table",
        ),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return which records are kept.

        Example:
            >>> SmallClassSuppression().parameters[1].default
            0.1
        """
        k = arguments["k"]
        combinations = tuple(dict.fromkeys(task.combinations))
        coded = _Coded(records, combinations, task.entity)
        held = None
        if len(combinations) * records.records * _BYTES_EACH <= MOST_BYTES:
            held = [coded.classes(columns) for columns in combinations]
        kept = np.ones(records.records, dtype=np.bool_)
        suppressed = [0] * len(combinations)
        out = np.zeros(0, dtype=np.int64)
        while True:
            if held is None:
                too_small = [coded.below(columns, kept, k) for columns in combinations]
            elif not len(out):
                too_small = [classes.below(k) for classes in held]
            else:
                touched = [classes.take_out(out, k) for classes in held]
                too_small = [small[kept[small]] for small in touched]
            out = np.unique(np.concatenate([out[:0], *too_small]))
            if not len(out):
                break
            kept[out] = False
            suppressed = [count + len(small) for count, small in zip(suppressed, too_small, strict=True)]
        _check_loss(kept, k, arguments["most_suppressed"])
        by_combination = zip((", ".join(columns) for columns in combinations), suppressed, strict=True)
        claims = guarantees(Wanted(k=k), combinations[:_MOST_CLAIMS])
        return Anonymized(kept=kept, suppressed_by=dict(by_combination), guarantees=claims)


class _Coded:
    """The codes of all columns that the combinations name, and of the entity."""

    def __init__(
        self, records: Records, combinations: tuple[tuple[str, ...], ...], entity: str | None
    ) -> None:
        names = tuple(dict.fromkeys(name for columns in combinations for name in columns))
        self._place = {name: i for i, name in enumerate(names)}
        self._codes = records.codes(names)
        self._entity = None if entity is None else records.codes((entity,))[:, 0]

    def classes(
        self, columns: tuple[str, ...], rows: "NDArray[np.int64] | slice" = slice(None)
    ) -> PersonsInClasses:
        """Return the classes of some or all records."""
        codes = self._codes[rows][:, [self._place[name] for name in columns]]
        return PersonsInClasses(codes, None if self._entity is None else self._entity[rows])

    def below(self, columns: tuple[str, ...], kept: "NDArray[np.bool_]", k: int) -> "NDArray[np.int64]":
        """Return the kept records that are in small classes of those kept."""
        rows = np.flatnonzero(kept)
        return rows[self.classes(columns, rows).below(k)]


def _check_loss(kept: "NDArray[np.bool_]", k: int, most_suppressed: float) -> None:
    """Raise NotMeasurable where too little is left."""
    records, suppressed = len(kept), int(np.count_nonzero(~kept))
    if suppressed == records:
        raise NotMeasurable(f"k = {k} leaves none of the {records:,} records; coarsen the QIDs")
    share = suppressed / records
    if share > most_suppressed:
        raise NotMeasurable(
            f"k = {k} needs {suppressed:,} of {records:,} records suppressed ({_percent(share)}), above"
            f" most_suppressed = {_percent(most_suppressed)}; coarsen the QIDs or raise it"
        )


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"
