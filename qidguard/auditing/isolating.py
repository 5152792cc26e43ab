"""Whom releases isolate, where a threshold over time is missed: counts for the report."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.core.isolated import IsolatedOverTime
from qidguard.core.verdict import Bound, ThresholdResult

if TYPE_CHECKING:
    from qidguard.auditing.demands import Demand
    from qidguard.core.versions import History


def isolated_of(
    history: "History | None", demands: Sequence["Demand"], results: Iterable[ThresholdResult]
) -> tuple[IsolatedOverTime, ...]:
    """Return whom releases isolate over each combination over which a threshold over time is missed.

    Args:
        history: The earlier releases; None where nobody looks at them.
        demands: What the policy asks.
        results: What came of each of them.

    Returns:
        One answer a combination, for the largest class that a missed threshold asks for; nothing where none
        is missed.
    """
    if history is None or not history.releases:
        return ()
    asked: dict[tuple[str, tuple[str, ...], int], int] = {}
    for demand, result in zip(demands, results, strict=True):
        if demand.question.metric.over_time and not result.is_met and (k := smallest_class(demand)):
            recent = int(result.measurement.arguments.get("most_recent", 0))
            key = (demand.limit.combination, result.measurement.qids, recent)
            asked[key] = max(k, asked.get(key, 0))
    found = []
    for (combination, qids, recent), k in asked.items():
        one = history.isolated(qids, k=k, most_recent=recent or None)
        if one is not None:
            found.append(replace(one, combination=combination))
    return tuple(found)


def smallest_class(demand: "Demand") -> int:
    """Return how many persons a limit over time wants in a joint class; 0 where it says no such number."""
    arguments, limit = demand.question.arguments, demand.limit
    if "k" in arguments:
        return _from_two(int(arguments["k"]))
    if limit.bound is Bound.AT_LEAST and math.isfinite(limit.value):
        return _from_two(math.ceil(limit.value - 1e-9))
    return 0


def _from_two(k: int) -> int:
    return k if k > 1 else 0  # a class of one isolates nobody below one
