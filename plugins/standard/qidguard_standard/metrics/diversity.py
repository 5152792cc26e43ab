"""How many sensitive values a class has, and how evenly they share it.

Distinct l-diversity: the smallest number of sensitive values in a class.

Entropy l-diversity: the smallest effective number of sensitive values in a class.

Recursive (c,l)-diversity: the most frequent sensitive value stays below c times the rarer ones.

(α,k)-anonymity, the part α: the largest share of one sensitive value in a class.

Homogeneity attack: persons in classes where everyone has the same sensitive value.

Homogeneity attack, as a share of the persons.

Example:
    >>> DISTINCT_L_DIVERSITY.method.compute({"fewest_distinct_values": 2}, {})
    2
    >>> ENTROPY_L_DIVERSITY.method.compute({"smallest_entropy": 0.0}, {})
    1.0
    >>> RECURSIVE_L_DIVERSITY.parameters[0].default
    3.0
    >>> ALPHA_K_ANONYMITY.method.compute({"largest_share": 0.75}, {})
    0.75
    >>> PERSONS_HOMOGENEOUS.method.compute({"persons": 8, "homogeneous_memberships": 3}, {})
    3
    >>> SHARE_HOMOGENEOUS.method.compute({"persons": 8, "homogeneous_memberships": 2}, {})
    0.25
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    DISTINCT_VALUES,
    PERSONS,
    Arguments,
    Cells,
    ClassValue,
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
    exact_sum,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.wording import (
    BY_SENSITIVE,
    EMPTY,
    ENTITY_SHARES,
    NO_LIMIT,
    PERSONS_LOWER,
    SENSITIVE_NULL,
    SHARE_LOWER,
    VALUES_HIGHER,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEWEST = Statistic(name="fewest_distinct_values", sql="min(distinct_values)", values=(DISTINCT_VALUES,))


def _distinct_l_diversity(values: StatisticValues, _: Arguments) -> int | float:
    return value_of(values, _FEWEST.name)


DISTINCT_L_DIVERSITY = Metric(
    name="distinct_l_diversity",
    title="distinct l-diversity",
    **VALUES_HIGHER,
    is_whole=True,
    method=GroupBy(statistics=(_FEWEST,), compute=_distinct_l_diversity, distribution=DISTINCT_VALUES),
    is_sensitive=True,
    # merging classes unites their values
    is_monotone=True,
    explanation=Explanation(
        meaning="In every class at least l different values of the sensitive attribute occur. l = 1 means "
        "that in some class everyone has the same value, so that knowing the class is knowing the value. It "
        "does not see how lopsided the values are: 99 of 100 with one value still gives l = 2.",
        formula="l = min over classes of the number of distinct sensitive values in the class. With an "
        "entity column a value counts once however many entities or records have it, so one entity with two "
        "values makes l = 2 on its own: read it beside k_anonymity.",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 4",
        good_value=f"{NO_LIMIT} At least 2 rules out the homogeneity attack; l cannot exceed the values in "
        "the table.",
        **BY_SENSITIVE,
        single_class="The number of distinct sensitive values in the table.",
    ),
)


_ENTROPY = ClassValue(name="entropy_nats", sql=f"-{exact_sum('share * ln(share)')}")
_SMALLEST = Statistic(name="smallest_entropy", sql="min(entropy_nats)", values=(_ENTROPY,))


def _entropy_l_diversity(values: StatisticValues, _: Arguments) -> float:
    return math.exp(max(0.0, value_of(values, _SMALLEST.name)))


ENTROPY_L_DIVERSITY = Metric(
    name="entropy_l_diversity",
    title="entropy l-diversity",
    **VALUES_HIGHER,
    method=GroupBy(statistics=(_SMALLEST,), compute=_entropy_l_diversity, distribution=_ENTROPY),
    is_sensitive=True,
    # proven monotone over records only, for entropy is concave in a mixture; an entity in two classes is no
    # mixture
    explanation=Explanation(
        meaning="In every class the sensitive values are at least as evenly spread as l equally frequent "
        "ones. It is never above distinct l-diversity and falls where one value dominates a class. It need "
        "not be a whole number.",
        formula="l = exp(min over classes of H), H = −Σ p·ln p over the sensitive values in the class, p "
        f"their shares; a class satisfies entropy l-diversity when H ≥ ln l. {ENTITY_SHARES}",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 4",
        good_value=f"{NO_LIMIT} It cannot exceed the figure of the whole table, so where one value is common "
        "(such as healthy) even l = 2 may be out of reach.",
        **BY_SENSITIVE,
        single_class="exp of the entropy of the whole table.",
    ),
)


_C = Parameter(
    name="c",
    type=float,
    default=3.0,
    minimum=1e-6,
    maximum=1e6,
    meaning="how many times the rarer values the most frequent one must stay below; no unit",
)


def recursive_levels(cells: Cells, c: float) -> "NDArray[np.int64]":
    """Compute for every class the largest l for which it is recursive (c,l)-diverse.

    With the class's counts r1 ≥ r2 ≥ … ≥ rm, that is the largest l in 1..m with r1 < c·(rl + … + rm); l = 1
    always holds (Machanavajjhala et al. 2007, section 4). Compared in whole numbers, c read as its decimals.

    One l a class, 1..number of its values; shape (classes,).
    """
    # in each class from the rarest value to the most frequent, so that running sums are the tails
    order = np.lexsort((cells.n, cells.class_id))
    owner, n = cells.class_id[order], cells.n[order]
    running = np.cumsum(n)
    is_first = np.diff(owner, prepend=-1) != 0
    tail = running - np.maximum.accumulate(np.where(is_first, running - n, 0))
    most_frequent = np.zeros(len(cells.size), dtype=np.int64)
    np.maximum.at(most_frequent, owner, n)
    values = np.bincount(owner, minlength=len(cells.size))
    # tail > r1/c exactly when tail > ⌊r1/c⌋, for tails are whole numbers
    counts, which = np.unique(most_frequent, return_inverse=True)
    exact = Fraction(repr(float(c)))
    floors = np.array([math.floor(int(count) / exact) for count in counts], dtype=np.int64)
    holds = tail > floors[which.reshape(-1)][owner]
    # tails grow in this order, so the l that hold are 1..number of tails that hold
    return np.clip(np.bincount(owner[holds], minlength=len(cells.size)), 1, values)


def _measure(view: TableView, grouping: Grouping, arguments: Arguments) -> int:
    """Return the smallest l; it needs each class's counts in order, which plain aggregates do not have."""
    cells = view.cells(grouping)
    if not len(cells.size):
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    return int(recursive_levels(cells, arguments["c"]).min())


RECURSIVE_L_DIVERSITY = Metric(
    name="recursive_l_diversity",
    title="recursive (c,l)-diversity",
    **VALUES_HIGHER,
    is_whole=True,
    method=TableFunction(measure=_measure),
    parameters=(_C,),
    is_sensitive=True,
    # proven monotone over records only by its authors; an entity that is in two classes is counted once
    # after merging
    explanation=Explanation(
        meaning="In every class the most frequent sensitive value stays below c times all the values from "
        "the l-th most frequent on. So an attacker who can rule out l−2 values still faces a fair choice. "
        "The smaller c, the stricter.",
        formula="the largest l such that in every class r1 < c·(rl + … + rm), r1 ≥ … ≥ rm the persons of "
        f"each sensitive value in the class; l = 1 always holds. {ENTITY_SHARES}",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 4",
        good_value=f"{NO_LIMIT} That goes for c and for l. The default c = 3 is a mild reading of dominance: "
        "with l = 2 the most frequent value stays below three quarters of the class.",
        **BY_SENSITIVE,
        single_class="The largest l that the whole table reaches.",
    ),
)


_SHARE = ClassValue(name="largest_share_of_class", sql="max(share)")
_LARGEST = Statistic(name="largest_share", sql="max(largest_share_of_class)", values=(_SHARE,))


def _alpha_k_anonymity(values: StatisticValues, _: Arguments) -> float:
    return value_of(values, _LARGEST.name)


ALPHA_K_ANONYMITY = Metric(
    name="alpha_k_anonymity",
    title="(α,k)-anonymity: α",
    **SHARE_LOWER,
    method=GroupBy(statistics=(_LARGEST,), compute=_alpha_k_anonymity, distribution=_SHARE),
    is_sensitive=True,
    # proven monotone over records only, for a merged class is a mixture; entities that are in two classes
    # break it
    explanation=Explanation(
        meaning="How sure an attacker can be of someone's sensitive value after finding their class, where "
        "it is worst. 1 means that in some class everyone has the same value.",
        formula="α = max over classes and sensitive values of the value's share in the class, over every "
        "value and not only those declared sensitive, which is the strict form. k is the other half: set it "
        f"as a threshold on k_anonymity. {ENTITY_SHARES}",
        source="Wong, Li, Fu & Wang 2006, (α,k)-anonymity: an enhanced k-anonymity model for privacy "
        "preserving data publishing, KDD, general model",
        good_value=f"{NO_LIMIT} It cannot fall below the largest share in the whole table.",
        **BY_SENSITIVE,
        single_class="The largest share of a sensitive value in the table.",
    ),
)


_HOMOGENEOUS = Statistic(
    name="homogeneous_memberships",
    sql="sum(CASE WHEN distinct_values = 1 THEN size ELSE 0 END)",
    values=(DISTINCT_VALUES,),
)

HOMOGENEITY_STATISTICS = (PERSONS, _HOMOGENEOUS)
"""What ``homogeneous_persons`` looks at."""


def homogeneous_persons(values: StatisticValues, _: Arguments) -> int | float:
    """Compute the number of persons in classes with a single sensitive value.

    Example:
        >>> homogeneous_persons({"persons": 4, "homogeneous_memberships": 5}, {})
        4
    """
    return min(persons_of(values), value_of(values, _HOMOGENEOUS.name))


PERSONS_HOMOGENEOUS = Metric(
    name="persons_homogeneous",
    title="persons open to the homogeneity attack",
    **PERSONS_LOWER,
    is_whole=True,
    method=GroupBy(
        statistics=HOMOGENEITY_STATISTICS, compute=homogeneous_persons, distribution=DISTINCT_VALUES
    ),
    is_sensitive=True,
    # a homogeneous class is made of homogeneous classes that hold no fewer persons together
    is_monotone=True,
    explanation=Explanation(
        meaning="How many people are in a class in which everyone has the same sensitive value: whoever "
        "knows their QIDs knows the value, without finding the record. A class of one is always such a "
        "class.",
        formula="Σ size over classes with one distinct sensitive value. With an entity column an entity "
        "counts in each such class, and the sum stops at the number of entities: an upper bound.",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 2 (homogeneity attack)",
        good_value="0, which is the same as distinct l-diversity of at least 2.",
        missing=f"{SENSITIVE_NULL} So a class whose sensitive values are all NULL is homogeneous.",
        empty=EMPTY,
        single_class="0, or all persons where the sensitive attribute has a single value.",
    ),
)


def _share_homogeneous(values: StatisticValues, arguments: Arguments) -> float:
    return homogeneous_persons(values, arguments) / persons_of(values)


SHARE_HOMOGENEOUS = Metric(
    name="share_homogeneous",
    title="share of persons open to the homogeneity attack",
    **SHARE_LOWER,
    method=GroupBy(
        statistics=HOMOGENEITY_STATISTICS, compute=_share_homogeneous, distribution=DISTINCT_VALUES
    ),
    is_sensitive=True,
    # a homogeneous class is made of homogeneous classes that hold no fewer persons together
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people is in a class in which everyone has the same sensitive value, so "
        "that whoever knows their QIDs knows the value.",
        formula="Σ size over classes with one distinct sensitive value / persons. With an entity column an "
        "entity counts in each such class, and the share stops at 1: an upper bound.",
        source="Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, l-diversity: privacy beyond "
        "k-anonymity, section 2 (homogeneity attack)",
        good_value="0, which is the same as distinct l-diversity of at least 2.",
        missing=f"{SENSITIVE_NULL} So a class whose sensitive values are all NULL is homogeneous.",
        empty=EMPTY,
        single_class="0, or 1 where the sensitive attribute has a single value.",
    ),
)

METRICS: tuple[Metric, ...] = (
    DISTINCT_L_DIVERSITY,
    ENTROPY_L_DIVERSITY,
    RECURSIVE_L_DIVERSITY,
    ALPHA_K_ANONYMITY,
    PERSONS_HOMOGENEOUS,
    SHARE_HOMOGENEOUS,
)
