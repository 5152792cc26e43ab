"""k-anonymity with wildcards: a suppressed value may be any value."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Codes,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    TableFunction,
    TableView,
    Unit,
    class_numbers,
)
from qidguard_standard.metrics.wording import EMPTY, QID_NULL

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PATTERNS = 500
"""Largest number of different sets of suppressed columns; every two of them are compared."""


def matching_persons(view: TableView, codes: Codes) -> "NDArray[np.int64]":
    """Count for every row the persons who match it where a suppressed value matches anything.

    Two rows match when they agree on every column that neither suppresses (as in sdcMicro, where missing
    keys match all). The relation is not transitive, so there are no classes; rows are put together by the set
    of columns they suppress, and any two such sets are compared by one grouping on the columns left.

    For each row the number of persons who match it, itself included, ≥ 1; shape (rows,).
    """
    is_suppressed = codes.codes == np.array(codes.suppressed, dtype=np.int64)
    patterns, pattern_of = np.unique(is_suppressed, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    if len(patterns) > MOST_PATTERNS:
        raise NotMeasurable(
            f"Wildcards are compared for at most {MOST_PATTERNS} different sets of suppressed columns, and "
            f"this table has {len(patterns)}; name fewer QIDs or use k_anonymity, which is never higher."
        )
    _check_entities(codes, pattern_of)
    rows_of = [np.flatnonzero(pattern_of == pattern) for pattern in range(len(patterns))]
    matches = np.zeros(len(codes.records), dtype=np.int64)
    for first, some in enumerate(rows_of):
        for second in range(first + 1):
            if view.is_interrupted:
                raise KeyboardInterrupt
            others = rows_of[second]
            compared = np.flatnonzero(~(patterns[first] | patterns[second]))
            both = some if first == second else np.concatenate((some, others))
            key = class_numbers(codes.codes[np.ix_(both, compared)])
            if first == second:
                matches[some] += _persons(codes, some, key, key)
            else:
                of_some, of_others = key[: len(some)], key[len(some) :]
                matches[some] += _persons(codes, others, of_others, of_some)
                matches[others] += _persons(codes, some, of_some, of_others)
    return matches


def _persons(
    codes: Codes, rows: "NDArray[np.int64]", key: "NDArray[np.int64]", asked: "NDArray[np.int64]"
) -> "NDArray[np.int64]":
    """Count the persons of ``rows`` for each class number in ``asked``."""
    span = int(max(key.max(), asked.max())) + 1
    if codes.entity is None:
        counts = np.bincount(key, weights=codes.records[rows], minlength=span)
        return counts.astype(np.int64)[asked]
    entity = np.unique(codes.entity[rows], return_inverse=True)[1]
    pairs = np.unique(key * (int(entity.max()) + 1) + entity)
    return np.bincount(pairs // (int(entity.max()) + 1), minlength=span)[asked]


def _check_entities(codes: Codes, pattern_of: "NDArray[np.int64]") -> None:
    """Raise NotMeasurable where an entity would be counted under two sets of suppressed columns."""
    if codes.entity is None:
        return
    number = np.unique(codes.entity, return_inverse=True)[1]
    pattern = np.empty(int(number.max(initial=-1)) + 1, dtype=pattern_of.dtype)
    pattern[number] = pattern_of
    mixed = len(np.unique(number[pattern[number] != pattern_of]))
    if mixed:
        raise NotMeasurable(
            f"{mixed} entities have records that differ in which QIDs are suppressed, and each would count "
            "as several persons; suppress the same columns in all records of an entity, or use k_anonymity."
        )


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> int:
    """Return the smallest number of matches; they do not form classes, so it is no group-by."""
    codes = view.codes(grouping.qids)
    if not len(codes.records):
        raise NotMeasurable("The table has no records, so none can match another.")
    return int(matching_persons(view, codes).min())


WILDCARD_K_ANONYMITY = Metric(
    name="wildcard_k_anonymity",
    title="k-anonymity with wildcards",
    unit=Unit.PERSONS,
    minimum=1,
    maximum=float("inf"),
    direction=Direction.HIGHER_IS_SAFER,
    is_whole=True,
    method=TableFunction(measure=_measure),
    is_monotone=True,
    explanation=Explanation(
        meaning="The fewest persons who match any one record, where the suppression mark that the policy "
        "declares may stand for any value. It is never below k_anonymity, where the mark is a value of its "
        "own, and it trusts that an attacker cannot tell what was suppressed.",
        formula="min over records r of the persons s with r = s on every QID that neither suppresses",
        source="Samarati 2001 for k-anonymity; suppressed keys that match anything as in sdcMicro's freqCalc "
        "and ARX",
        good_value="As for k-anonymity: 5 is common in microdata, 11 for public clinical reports. Judge it "
        "beside k_anonymity, for it is the more trusting of the two.",
        missing=f"{QID_NULL} It is no wildcard; only the declared mark is.",
        empty=EMPTY,
        single_class="The persons of the table.",
    ),
)
"""The smallest number of persons who match a record when suppressed values match anything."""
