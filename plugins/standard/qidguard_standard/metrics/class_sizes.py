"""How large the classes are: k-anonymity, their mean, what they cost, and who is in small ones.

k-anonymity: the size of the smallest equivalence class.

Average class size: how many persons share a combination of QIDs in the mean.

Discernibility: each record is charged with the number of records that it cannot be told from.

k-anonymity with wildcards: a suppressed value may be any value.

Example:
    >>> K_ANONYMITY.method.compute({"smallest_class": 3}, {})
    3
    >>> AVERAGE_CLASS_SIZE.method.compute({"memberships": 8, "classes": 5}, {})
    1.6
    >>> DISCERNIBILITY.method.compute({"squared_sizes": 14}, {})
    14
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    CLASS_SIZE,
    CLASSES,
    MEMBERSHIPS,
    SMALLEST_CLASS,
    Arguments,
    Codes,
    Explanation,
    GroupBy,
    Grouping,
    Metric,
    NotMeasurable,
    Statistic,
    StatisticValues,
    TableFunction,
    TableView,
    Unit,
    class_numbers,
    value_of,
)
from qidguard_standard.metrics.wording import BY_CLASSES, EMPTY, PERSONS_HIGHER, QID_NULL, scale

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _k_anonymity(values: StatisticValues, _: Arguments) -> int | float:
    return value_of(values, SMALLEST_CLASS.name)


K_ANONYMITY = Metric(
    name="k_anonymity",
    title="k-anonymity",
    **PERSONS_HIGHER,
    is_whole=True,
    method=GroupBy(statistics=(SMALLEST_CLASS,), compute=_k_anonymity, distribution=CLASS_SIZE),
    # merging classes unites their persons: no class gets smaller than one it is made of
    is_monotone=True,
    explanation=Explanation(
        meaning="Everyone in the table looks like at least k−1 others on the QIDs. k = 1 means that somebody "
        "is alone, and whoever knows their QIDs finds their record. It says nothing about what the others "
        "have in common: look at l-diversity and t-closeness for that.",
        formula="k = min over equivalence classes of the persons in the class; with an entity column persons "
        "are distinct entities, however many records each has",
        source="Samarati 2001, Protecting respondents' identities in microdata release; Sweeney 2002, "
        "k-anonymity: a model for protecting privacy",
        good_value="3 or 5 is the usual minimum for shared microdata (PDPC 2024); 11 for public clinical "
        "reports (EMA 2016, risk 0.09 in its nominal reading); 20 for a risk of 0.05.",
        **BY_CLASSES,
        single_class="The number of persons in the table.",
    ),
)


def _average_class_size(values: StatisticValues, _: Arguments) -> float:
    return value_of(values, MEMBERSHIPS.name) / value_of(values, CLASSES.name)


AVERAGE_CLASS_SIZE = Metric(
    name="average_class_size",
    title="average class size",
    **PERSONS_HIGHER,
    method=GroupBy(statistics=(MEMBERSHIPS, CLASSES), compute=_average_class_size, distribution=CLASS_SIZE),
    # monotone over records, but two classes of the same entities can merge into one no larger
    explanation=Explanation(
        meaning="The mean number of persons in an equivalence class. It describes the table as a whole and "
        "hides its smallest classes, so it never stands in for k-anonymity. It is also read as a utility "
        "cost: larger classes carry less detail.",
        formula="Σ size / number of classes; over records this is records / classes. LeFevre's C_AVG is this "
        "figure divided by the required k. With an entity column an entity counts in each class it appears "
        "in.",
        source="LeFevre, DeWitt & Ramakrishnan 2006, Mondrian multidimensional k-anonymity",
        good_value="No source sets a number; it should be well above the k that is asked for.",
        **BY_CLASSES,
        single_class="The number of persons in the table.",
    ),
)


_SQUARED_SIZES = Statistic(name="squared_sizes", sql="sum(size * size)")


def _discernibility(values: StatisticValues, _: Arguments) -> int | float:
    return value_of(values, _SQUARED_SIZES.name)


DISCERNIBILITY = Metric(
    name="discernibility",
    title="discernibility",
    # a cost in utility: large classes raise it while a unique may stay, so it says nothing of safety
    **scale(Unit.SCORE, 1, math.inf),
    method=GroupBy(statistics=(_SQUARED_SIZES,), compute=_discernibility, distribution=CLASS_SIZE),
    explanation=Explanation(
        meaning="What anonymization costs in detail: every record pays one point for each record in its "
        "class. Compare it between versions of one table; it is no measure of risk.",
        formula="Σ size² over equivalence classes. The original adds (number of records of the whole table) "
        "for each suppressed record; records that were suppressed before the table came here are unknown and "
        "are not charged, so add that penalty yourself. Records kept with a suppression mark in their QIDs "
        "form classes like any others.",
        source="Bayardo & Agrawal 2005, Data privacy through optimal k-anonymization, metric C_DM",
        good_value="Lower keeps more detail. It runs from n (all records differ) to n² (all alike), so it "
        "can only be compared between tables with equally many records.",
        **BY_CLASSES,
        single_class="n², the largest possible.",
    ),
)


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
    **PERSONS_HIGHER,
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

METRICS: tuple[Metric, ...] = (K_ANONYMITY, AVERAGE_CLASS_SIZE, DISCERNIBILITY, WILDCARD_K_ANONYMITY)
