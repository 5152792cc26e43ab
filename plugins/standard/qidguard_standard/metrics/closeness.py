"""How far the sensitive values of a class are from the table's.

t-closeness with equal distance: how far a class's sensitive values are from the table's.

t-closeness by Kullback-Leibler divergence: what a class tells about the sensitive attribute, in nats.

t-closeness with ordered distance: how far a class's sensitive values are shifted against the table's.

β-likeness: by what factor a class raises the confidence in a sensitive value.

δ-disclosure privacy: how far a class shifts the log-odds of any sensitive value, up or down.

Example:
    >>> T_CLOSENESS.method.compute({"largest_equal_distance": 0.25}, {})
    0.25
    >>> T_CLOSENESS_KL.method.compute({"largest_divergence": 0.25}, {})
    0.25
    >>> gains = {"largest_gain": 1.5, "largest_gain_excess": 0.8}
    >>> [BETA_LIKENESS.method.compute(gains, {"enhanced": is_enhanced}) for is_enhanced in (False, True)]
    [1.5, inf]
    >>> found = {"largest_log_ratio": 0.7, "most_absent_values": 1}
    >>> [DELTA_DISCLOSURE.method.compute(found, {"absent": reading}) for reading in ("infinite", "ignore")]
    [inf, 0.7]
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Cells,
    ClassValue,
    Direction,
    Explanation,
    GroupBy,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    Statistic,
    StatisticValues,
    TableFunction,
    TableView,
    Unit,
    exact_sum,
    value_of,
)
from qidguard_standard.metrics.wording import (
    BY_SENSITIVE,
    EMPTY,
    ENTITY_SHARES,
    NATS_LOWER,
    NO_LIMIT,
    QID_NULL,
    RATIO_LOWER,
    scale,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

# what the class has too much of must move; values that are absent from it only receive, so cells suffice
_DISTANCE = ClassValue(name="equal_distance", sql=exact_sum("greatest(share - table_share, 0.0)"))
_FARTHEST = Statistic(name="largest_equal_distance", sql="max(equal_distance)", values=(_DISTANCE,))


def _t_closeness(values: StatisticValues, _: Arguments) -> float:
    # the sum of shares may leave a last digit outside the range
    return min(1.0, value_of(values, _FARTHEST.name))


T_CLOSENESS = Metric(
    name="t_closeness",
    title="t-closeness (equal distance)",
    **RATIO_LOWER,
    method=GroupBy(statistics=(_FARTHEST,), compute=_t_closeness, distribution=_DISTANCE),
    is_sensitive=True,
    # proven monotone over records only, for a merged class is a mixture; entities that are in two classes
    # break it
    explanation=Explanation(
        meaning="How much more an attacker learns about the sensitive attribute from someone's class than "
        "from the whole table, where it is most. 0 means that every class mirrors the table, near 1 that a "
        "class has values which hardly anyone else has. All values are equally far from one another: use "
        "t_closeness_ordered for numbers.",
        formula="t = max over classes of Σ max(p − q, 0) = ½·Σ|p − q|, the Earth Mover's Distance with equal "
        f"distances; p a value's share in the class, q in the table. {ENTITY_SHARES}",
        source="Li, Li & Venkatasubramanian 2007, t-closeness: privacy beyond k-anonymity and l-diversity, "
        "ICDE, section 5",
        good_value=f"{NO_LIMIT} Lower is safer.",
        **BY_SENSITIVE,
        single_class="0: the class is the table.",
    ),
)


# values absent from the class add 0·ln 0 = 0, so cells suffice
_DIVERGENCE = ClassValue(name="divergence_nats", sql=exact_sum("share * ln(share / table_share)"))
_MOST_DIVERGENT = Statistic(name="largest_divergence", sql="max(divergence_nats)", values=(_DIVERGENCE,))


def _t_closeness_kl(values: StatisticValues, _: Arguments) -> float:
    # never negative but for a last digit of the sum
    return max(0.0, value_of(values, _MOST_DIVERGENT.name))


T_CLOSENESS_KL = Metric(
    name="t_closeness_kl",
    title="t-closeness (Kullback-Leibler divergence)",
    **NATS_LOWER,
    method=GroupBy(statistics=(_MOST_DIVERGENT,), compute=_t_closeness_kl, distribution=_DIVERGENCE),
    is_sensitive=True,
    # proven monotone over records only, for the divergence is convex in a mixture; an entity in two classes
    # is no mixture
    explanation=Explanation(
        meaning="How much information about the sensitive attribute someone's class gives beyond the whole "
        "table, where it gives most. 0 means that every class mirrors the table.",
        formula="max over classes of D_KL(P_class ‖ P_table) = Σ p·ln(p/q), natural logarithm; p a value's "
        "share in the class, q in the table. It is finite, for what occurs in a class occurs in the table. "
        f"{ENTITY_SHARES}",
        source="Kullback & Leibler 1951, On information and sufficiency; named among the distances between "
        "class and table by Li, Li & Venkatasubramanian 2007, whose own t-closeness is the metric "
        "t_closeness",
        good_value=f"{NO_LIMIT} Lower is safer; ln 2 = 0.693 nats are one bit.",
        **BY_SENSITIVE,
        single_class="0: the class is the table.",
    ),
)


def ordered_distances(cells: Cells) -> "NDArray[np.float64]":
    """Compute every class's Earth Mover's Distance to the table, moving along the order of the values.

    D = 1/(m−1) · Σᵢ |Σⱼ≤ᵢ (pⱼ − qⱼ)| over the m values of the table (Li, Li & Venkatasubramanian 2007,
    "t-closeness", ICDE, section 5.1). Only cells that exist are looked at: up to the next one the class's
    cumulative share p stays the same while the table's rises, so the gap's sum follows from sums of the
    table's cumulative shares and the one place where it overtakes p.

    One distance a class, 0..1, without a unit; shape (classes,).
    """
    values, classes = len(cells.table_n), len(cells.size)
    if values == 1:
        return np.zeros(classes)
    table = np.cumsum(cells.table_n) / cells.table_n.sum()
    before = np.concatenate(([0.0], np.cumsum(table)))  # before[i] = sum of the first i cumulative shares

    order = np.argsort(cells.class_id * values + cells.value)
    owner, value, n = cells.class_id[order], cells.value[order], cells.n[order]
    is_first = np.diff(owner, prepend=-1) != 0
    is_last = np.append(is_first[1:], True)
    # persons so far, counted anew in each class
    running = np.cumsum(n)
    earlier = np.maximum.accumulate(np.where(is_first, running - n, 0))
    so_far = (running - earlier) / np.bincount(owner, weights=n)[owner]

    # from each cell to the next cell of its class, or to the end of the order
    end = np.append(value[1:], values)
    end[is_last] = values
    crossing = np.clip(np.searchsorted(table, so_far), value, end)
    above = so_far * (crossing - value) - (before[crossing] - before[value])
    below = (before[end] - before[crossing]) - so_far * (end - crossing)
    # ahead of the first cell the class has nobody yet
    ahead = np.where(is_first, before[value], 0.0)
    moved = np.bincount(owner, weights=above + below + ahead, minlength=classes)
    # sums of millions of shares may leave a last digit outside the range
    return np.clip(moved / (values - 1), 0.0, 1.0)


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the largest distance; cumulative sums along the values are a window, no group-by aggregate."""
    cells = view.cells(grouping)
    if not len(cells.size):
        raise NotMeasurable("The table has no records, so no class can be compared with it.")
    if cells.has_missing:
        raise NotMeasurable(
            f"Column {grouping.sensitive!r} has missing values, which have no place in an order; "
            "use t_closeness with equal distance, or give them a value."
        )
    return float(ordered_distances(cells).max())


T_CLOSENESS_ORDERED = Metric(
    name="t_closeness_ordered",
    title="t-closeness (ordered distance)",
    **RATIO_LOWER,
    method=TableFunction(measure=_measure),
    is_sensitive=True,
    needs_order=True,
    # not marked monotone: merging classes mixes their records, but an entity in both is counted once:
    # entities can break the rule
    explanation=Explanation(
        meaning="The furthest that any class's sensitive values are shifted against the whole table's, where "
        "moving from one value to the next in order costs 1/(m−1) and from the first to the last costs 1. "
        "Numbers and dates are ordered by size, texts as somebody declares it: the policy (order: {severity: "
        "[low, medium, high]}), an ordered Categorical of pandas or Arrow, an Enum of polars or DuckDB. "
        f"{ENTITY_SHARES}",
        formula="max over classes of 1/(m−1) · Σᵢ |Σⱼ≤ᵢ (pⱼ − qⱼ)|; p the class's shares, q the table's, m "
        "the number of values",
        source="Li, Li & Venkatasubramanian 2007, t-closeness: privacy beyond k-anonymity and l-diversity, "
        "ICDE, section 5.1",
        good_value=f"{NO_LIMIT} Lower is safer, and 0 means that every class mirrors the table.",
        missing="Not measurable where the sensitive attribute has NULL, for it has no place in an order and "
        "either end would be a guess that changes the figure; nor where its values have no order, as texts "
        f"have none unless it is declared. {QID_NULL}",
        empty=EMPTY,
        single_class="0: the class is the table. A sensitive attribute with one value gives 0 as well.",
    ),
)


_ROUNDING = 1e-12
"""A gain this little above −ln q equals it: both are floating-point numbers."""

_GAIN = ClassValue(name="largest_gain_of_class", sql="max((share - table_share) / table_share)")
_EXCESS = ClassValue(
    name="largest_gain_excess_of_class",
    sql="max(CASE WHEN share > table_share "
    "THEN (share - table_share) / table_share + ln(table_share) ELSE 0.0 END)",
)
_LARGEST_GAIN = Statistic(name="largest_gain", sql="max(largest_gain_of_class)", values=(_GAIN,))
_LARGEST_EXCESS = Statistic(
    name="largest_gain_excess", sql="max(largest_gain_excess_of_class)", values=(_EXCESS,)
)


def _beta_likeness(values: StatisticValues, arguments: Arguments) -> float:
    gain = max(0.0, value_of(values, _LARGEST_GAIN.name))
    if arguments["enhanced"] and value_of(values, _LARGEST_EXCESS.name) > _ROUNDING:
        return math.inf
    return gain


BETA_LIKENESS = Metric(
    name="beta_likeness",
    title="β-likeness",
    **scale(Unit.RATIO, 0.0, math.inf, Direction.LOWER_IS_SAFER),
    method=GroupBy(statistics=(_LARGEST_GAIN, _LARGEST_EXCESS), compute=_beta_likeness, distribution=_GAIN),
    parameters=(
        Parameter(
            name="enhanced",
            type=bool,
            default=False,
            meaning="whether a gain must also stay within −ln q (enhanced β-likeness)",
        ),
    ),
    is_sensitive=True,
    # proven monotone over records only, for a merged class is a mixture; entities that are in two classes
    # break it
    explanation=Explanation(
        meaning="By how much a class raises the confidence that someone has a sensitive value, relative to "
        "the whole table, where it is most: 1 means that a value is twice as frequent in a class. It guards "
        "rare values, which t-closeness hardly sees. Becoming less likely is not counted.",
        formula="β = max over classes and values with p > q of (p − q)/q; p a value's share in the class, q "
        "in the table. Enhanced: every gain must also be at most −ln q; then β is the same, and infinite "
        f"where no β can hold because a gain exceeds −ln q. {ENTITY_SHARES}",
        source="Cao & Karras 2012, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), basic "
        "and enhanced β-likeness",
        good_value=f"{NO_LIMIT} Lower is safer.",
        **BY_SENSITIVE,
        single_class="0: the class is the table.",
    ),
)


_INFINITE, _IGNORE = "infinite", "ignore"

_LOG_RATIO = ClassValue(name="largest_log_ratio_of_class", sql="max(abs(ln(share / table_share)))")
_ABSENT = ClassValue(name="absent_values", sql="max(table_values) - count(n)")
_LARGEST_RATIO = Statistic(
    name="largest_log_ratio", sql="max(largest_log_ratio_of_class)", values=(_LOG_RATIO,)
)
_MOST_ABSENT = Statistic(name="most_absent_values", sql="max(absent_values)", values=(_ABSENT,))


def _delta_disclosure(values: StatisticValues, arguments: Arguments) -> float:
    largest = value_of(values, _LARGEST_RATIO.name)
    if arguments["absent"] != _IGNORE and value_of(values, _MOST_ABSENT.name) > 0:
        return math.inf
    return largest


DELTA_DISCLOSURE = Metric(
    name="delta_disclosure",
    title="δ-disclosure privacy",
    **NATS_LOWER,
    method=GroupBy(
        statistics=(_LARGEST_RATIO, _MOST_ABSENT),
        compute=_delta_disclosure,
        distribution=_LOG_RATIO,
    ),
    parameters=(
        Parameter(
            name="absent",
            type=str,
            default=_INFINITE,
            choices=(_INFINITE, _IGNORE),
            meaning="what a value absent from a class counts: infinite (strict) or ignore",
        ),
    ),
    is_sensitive=True,
    # proven monotone over records only, for a merged class is a mixture; entities that are in two classes
    # break it
    explanation=Explanation(
        meaning="By what factor a class makes a sensitive value more or less likely than in the whole table, "
        "where it is most, on a logarithmic scale: 0.69 means a factor of two either way. Ruling a value out "
        "is disclosure, too, so a class that lacks one of the table's values is infinitely bad in the strict "
        "reading.",
        formula="δ = max over classes and sensitive values of |ln(p/q)|, natural logarithm (the source "
        "leaves the base open); p a value's share in the class, q in the table. absent: infinite takes |ln "
        "0| = ∞ for a value that a class lacks, as defined; absent: ignore skips it, as pyCANON does. "
        f"{ENTITY_SHARES}",
        source="Brickell & Shmatikov 2008, The cost of privacy: destruction of data-mining utility in "
        "anonymized data publishing, KDD",
        good_value=f"{NO_LIMIT} Lower is safer; the strict form is finite only where every class holds every "
        "value.",
        **BY_SENSITIVE,
        single_class="0: the class is the table.",
    ),
)

METRICS: tuple[Metric, ...] = (
    T_CLOSENESS,
    T_CLOSENESS_KL,
    T_CLOSENESS_ORDERED,
    BETA_LIKENESS,
    DELTA_DISCLOSURE,
)
