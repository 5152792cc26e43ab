"""What public documents tell of figures: limits and whether they hold, bands in place of counts.

``least`` is the smallest count that may be told: what the policy's blocking thresholds ask of a class of
persons, and ``LEAST`` where they ask for less. A count is told as a band of ``least`` numbers from a multiple
of it on, and 0 as 0: how many it was exactly could tell of one person. A figure is told only where a reader
learns of nobody by it: a blocking threshold that holds, in persons of a class, over columns that are all
published, and at least ``least``; it is rounded down to a multiple of what was asked for. Every other figure
is null, and that the limit holds is all that is said.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any

from qidguard.core.verdict import Bound, ThresholdResult
from qidguard.evidence.canonical import EvidenceFault

LEAST = 5
"""No count of persons or records below this one is told, whatever the policy asks for."""

PERSONS = frozenset({"records", "entities"})
"""The units in which a figure counts persons."""


def least_count(thresholds: Sequence[ThresholdResult]) -> int:
    """Return the smallest count that may be told under a policy.

    Example:
        >>> least_count([])
        5
    """
    asked = (
        math.ceil(t.limit.value)
        for t in thresholds
        if t.limit.is_blocking and t.limit.bound is Bound.AT_LEAST and t.measurement.unit in PERSONS
    )
    return max([LEAST, *asked])


def band(count: int, least: int) -> dict[str, int]:
    """Return the band of a count, both ends included; 0 is told as it is.

    Example:
        >>> band(0, 5), band(1, 5), band(5, 5), band(12, 5)
        ({'from': 0, 'to': 0}, {'from': 1, 'to': 4}, {'from': 5, 'to': 9}, {'from': 10, 'to': 14})
    """
    if count == 0:
        return {"from": 0, "to": 0}
    low = count // least * least
    return {"from": max(low, 1), "to": low + least - 1}


def check_band(place: str, value: dict[str, int], least: int) -> None:
    """Refuse a band that no count has: one that is narrower tells more than it may."""
    if value != band(value["from"], least):
        raise EvidenceFault(f"{place} is no band of {least} counts")


def told_figure(result: ThresholdResult, published: Collection[str], least: int) -> int | None:
    """Return the figure that may be told of a threshold, rounded down; None where none may."""
    figure, limit = result.measurement, result.limit
    is_told = (
        limit.is_blocking
        and result.is_met
        and limit.bound is Bound.AT_LEAST
        and figure.unit in PERSONS
        and bool(figure.qids)
        and set(figure.qids) <= set(published)
        and figure.sensitive in {None, *published}
    )
    if not is_told or figure.value is None or not math.isfinite(figure.value):
        return None
    step = max(least, math.ceil(limit.value))
    return math.floor(figure.value) // step * step or None


def check_figure(place: str, threshold: dict[str, Any], least: int) -> None:
    """Refuse a figure that may not be told: a warning's, one that is missed, or one that is not rounded."""
    value = threshold["value"]
    if value is None:
        return
    is_told = (
        not threshold["is_warning"]
        and threshold["is_met"]
        and threshold["bound"] == Bound.AT_LEAST
        and threshold["unit"] in PERSONS
        and value > 0
        and value % max(least, math.ceil(threshold["limit"])) == 0
    )
    if not is_told:
        raise EvidenceFault(f"{place} has a figure that is not to be told")
