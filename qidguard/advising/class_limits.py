"""What the policy asks of every class, as the search for changes counts it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Final

from qidguard.advising.classes import ClassLimit
from qidguard.core.verdict import Bound

if TYPE_CHECKING:
    from qidguard.auditing.demands import Demand

MOST_SETS: Final = 60
"""Sets of QIDs that an attacker who knows some of them is counted by; beyond that all columns together are,
over which classes are smaller, so that what passes there passes for the attacker, too."""

FEWEST: Final = 2
"""Persons that a class needs where the policy limits no class size: nobody is to be alone."""


@dataclass(frozen=True, kw_only=True)
class ClassDemands:
    """What classes have to hold over one combination.

    Args:
        combination: The name of the combination.
        qids: Its columns.
        knows_any: How many of them the attacker knows; None means all.
        persons: Persons that a class needs.
        values: Sensitive attribute → distinct values that a class needs.
        is_limited: Whether the policy itself limits classes; else it is about what nobody can be counted by.
    """

    combination: str
    qids: tuple[str, ...]
    knows_any: int | None
    persons: int
    values: tuple[tuple[str, int], ...]
    is_limited: bool

    def limits(self, names: Sequence[str], attributes: Sequence[str]) -> list[ClassLimit]:
        """Return the limits over places of columns and of sensitive attributes."""
        size = self.knows_any
        sets = [self.qids]
        if size is not None and size < len(self.qids) and comb(len(self.qids), size) <= MOST_SETS:
            sets = list(combinations(self.qids, size))
        found = []
        for qids in sets:
            places = tuple(names.index(qid) for qid in qids)
            for column, values in self.values:
                beside = tuple(names.index(qid) for qid in qids if qid != column)
                found.append(
                    ClassLimit(columns=beside, persons=1, distinct=((attributes.index(column), values),))
                )
            found.insert(0, ClassLimit(columns=places, persons=self.persons))
        return _joined(found)


def _joined(limits: Sequence[ClassLimit]) -> list[ClassLimit]:
    """Return limits over the same columns as one."""
    found: dict[tuple[int, ...], ClassLimit] = {}
    for limit in limits:
        known = found.get(limit.columns)
        if known is not None:
            limit = ClassLimit(  # noqa: PLW2901 - what is added
                columns=limit.columns,
                persons=max(known.persons, limit.persons),
                distinct=tuple(dict.fromkeys((*known.distinct, *limit.distinct))),
            )
        found[limit.columns] = limit
    return list(found.values())


def asked_of_classes(demands: Sequence["Demand"], combination: str, qids: tuple[str, ...]) -> ClassDemands:
    """Return what blocking limits ask of every class over a combination.

    Limits on shares and means of risk are not of every class; what they ask an audit of a change says.
    """
    persons, knows_any = 0, None
    values: dict[str, int] = {}
    for demand in demands:
        if not demand.limit.is_blocking or demand.limit.combination != combination:
            continue
        question = demand.question
        if question.metric.needs_rest:
            continue
        knows_any = question.knows_any
        wanted = _needed(demand)
        if wanted and question.attribute is None:
            persons = max(persons, wanted)
        elif wanted and question.attribute is not None:
            values[question.attribute] = max(values.get(question.attribute, 1), wanted)
    return ClassDemands(
        combination=combination,
        qids=qids,
        knows_any=knows_any,
        persons=persons or (1 if values else FEWEST),
        values=tuple(values.items()),
        is_limited=bool(persons or values),
    )


def is_counted(demand: "Demand") -> bool:
    """Return whether counting classes tells all that a limit asks."""
    return _needed(demand) > 0 and demand.question.metric.name != "entropy_l_diversity"


def _needed(demand: "Demand") -> int:
    """Return what a limit asks every class to hold, persons or distinct values; 0 for any other limit."""
    metric, limit, arguments = demand.question.metric.name, demand.limit, demand.question.arguments
    value = float(limit.value)
    if limit.bound is Bound.AT_LEAST:
        is_count = metric in {"k_anonymity", "distinct_l_diversity", "entropy_l_diversity"}
        return max(1, math.ceil(value - 1e-9)) if is_count else 0
    if metric == "prosecutor_risk_max" and value > 0:
        return max(1, math.ceil(1 / value - 1e-9))
    if metric in {"share_below_k", "persons_below_k"} and value == 0:
        return int(arguments["k"])
    if metric in {"share_unique", "sample_uniques"} and value == 0:
        return FEWEST
    return 0
