"""Suppress every record in a class of fewer than k persons, and no other."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qidguard import (
    Anonymised,
    Arguments,
    Bound,
    Guarantee,
    Limit,
    NotMeasurable,
    Parameter,
    Records,
    Task,
)
from qidguard_standard.anonymisers.persons_in_classes import PersonsInClasses

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

    Example:
        >>> from types import SimpleNamespace
        >>> sex = np.array([[1], [1], [2]], dtype=np.int32)
        >>> three = SimpleNamespace(names=("sex",), records=3, codes=lambda columns: sex)
        >>> task = Task(combinations=(("sex",),), entity=None, sensitive=(), seed=0)
        >>> done = SmallClassSuppression().anonymize(three, {"k": 2, "most_suppressed": 0.5}, task)
        >>> done.kept.tolist(), done.suppressed_by
        ([True, True, False], {'sex': 1})
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

    def anonymize(self, records: Records, arguments: Arguments, task: Task) -> Anonymised:
        """Return which records are kept.

        Args:
            records: The table in codes.
            arguments: ``k``, persons, ≥ 2, and ``most_suppressed``, a share of the records, 0..1.
            task: The combinations, and the entity column where persons are entities. Nothing is random, so
                the seed plays no part; NULL in the entity column is one person.

        Returns:
            Which records are kept, and how many were suppressed on behalf of each combination. A record in
            small classes of two combinations in the same round counts for both.

        Units:
            Records.

        Raises:
            NotMeasurable: when no record is left, or more are suppressed than ``most_suppressed`` allows.

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
                found = [coded.below(columns, kept, k) for columns in combinations]
            elif not len(out):
                found = [classes.below(k) for classes in held]
            else:
                touched = [classes.take_out(out, k) for classes in held]
                found = [small[kept[small]] for small in touched]
            out = np.unique(np.concatenate([out[:0], *found]))
            if not len(out):
                break
            kept[out] = False
            suppressed = [count + len(small) for count, small in zip(suppressed, found, strict=True)]
        _check_loss(kept, k, arguments["most_suppressed"])
        by_combination = zip((", ".join(columns) for columns in combinations), suppressed, strict=True)
        claims = tuple(
            Guarantee(metric="k_anonymity", limit=Limit(bound=Bound.AT_LEAST, value=k), qids=columns)
            for columns in combinations[:_MOST_CLAIMS]
        )
        return Anonymised(kept=kept, suppressed_by=dict(by_combination), guarantees=claims)


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
