"""The privacy models, class by class.

k-anonymity per class: the sizes of the classes, and a figure over them.

l-diversity: the distinct sensitive values of each class, and a figure over the classes.

t-closeness per class by Kullback-Leibler divergence, in nats.

Generalization ratio: the summed difference between the sensitive values of a class and of the table.

δ-presence as QIDLearningLib defines it: the largest difference of one sensitive value's share.

It is no group-by: the value that differs most may be one that the class lacks, and cells are only of values
that occur.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    CLASS_SIZE,
    DISTINCT_VALUES,
    Cells,
    ClassValue,
    Direction,
    Grouping,
    Metric,
    Role,
    TableView,
    Unit,
    exact_sum,
)
from qidguard_qidlearning.metrics.class_metric import (
    MAXIMUM,
    MINIMUM,
    ClassFunction,
    class_metric,
)
from qidguard_qidlearning.metrics.wording import (
    ENTITY_SHARES,
    HEADLINE,
    NO_LIMIT,
    PAPER,
    SHARE_LOWER,
    scale,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

K_ANONYMITY_PER_CLASS = class_metric(
    name="k_anonymity_per_class",
    title="k-anonymity per class",
    value=CLASS_SIZE,
    statistic=MINIMUM,
    scale=scale(Unit.PERSONS, 1, math.inf, Direction.HIGHER_IS_SAFER),
    meaning="How many persons share a combination of the QIDs, class by class. The smallest class is the "
    "k of k-anonymity; the mean over the classes is what the paper's examples call k.",
    formula=f"k_g = |g|, the persons of class g; the headline is the minimum. {HEADLINE} With an entity "
    "column the persons of a class are its distinct entities.",
    source=f"Sweeney 2002, k-anonymity: a model for protecting privacy; {PAPER}, Table 1",
    good_value="At least 2, so that nobody is alone; 3, 5 and 11 are in use. Higher is safer.",
    single_class="The number of persons in the table.",
)


L_DIVERSITY = class_metric(
    name="l_diversity",
    title="l-diversity per class",
    value=DISTINCT_VALUES,
    statistic=MINIMUM,
    scale=scale(Unit.VALUES, 1, math.inf, Direction.HIGHER_IS_SAFER),
    attribute=Role.SENSITIVE,
    meaning="How many different sensitive values occur in a class. Where it is 1, to know someone's "
    "class is to know their value. It does not see how lopsided the values are.",
    formula=f"l_g = distinct sensitive values in class g; the headline is the minimum. {HEADLINE}",
    source=f"Machanavajjhala, Gehrke, Kifer & Venkitasubramaniam 2006, l-diversity; {PAPER}, Table 1",
    good_value=f"{NO_LIMIT} At least 2 rules out that a class gives the value away.",
    single_class="The number of distinct sensitive values in the table.",
)


# values absent from the class add 0·ln 0 = 0, so cells suffice; never negative but for a sum's last digit
_DIVERGENCE = ClassValue(
    name="divergence_nats", sql=f"greatest(0, {exact_sum('share * ln(share / table_share)')})"
)

T_CLOSENESS_PER_CLASS = class_metric(
    name="t_closeness_per_class",
    title="t-closeness per class (Kullback-Leibler divergence)",
    value=_DIVERGENCE,
    statistic=MAXIMUM,
    scale=scale(Unit.NATS, 0.0, math.inf, Direction.LOWER_IS_SAFER),
    attribute=Role.SENSITIVE,
    meaning="How far the sensitive values of a class are from those of the whole table: 0 where the "
    "class mirrors the table, the more the more the class gives away.",
    formula="t_g = D_KL(P_g ‖ P) = Σ p·ln(p/q), natural logarithm, p a value's share in the class, q in "
    "the table; the headline is the maximum. It is the form of the paper's text: the reverse one of its "
    f"Table 1 is infinite wherever a class lacks a value. {HEADLINE} {ENTITY_SHARES}",
    source=f"Li, Li & Venkatasubramanian 2007, t-closeness; Kullback & Leibler 1951; {PAPER}, section 4.1",
    good_value=f"{NO_LIMIT} Lower is safer; ln 2 = 0.693 nats are one bit.",
    single_class="0: the class is the table.",
)


# a value that the class lacks adds its share q of the table, and all q add up to 1: Σ|p−q| over every value
# is Σ(|p−q| − q) over those of the class, plus 1
_DIFFERENCE = ClassValue(
    name="summed_difference",
    sql=f"greatest(0, 1 + {exact_sum('abs(share - table_share) - table_share')})",
)

GENERALIZATION_RATIO = class_metric(
    name="generalization_ratio",
    title="generalization ratio",
    value=_DIFFERENCE,
    statistic=MAXIMUM,
    scale=scale(Unit.RATIO, 0.0, 2.0, Direction.LOWER_IS_SAFER),
    attribute=Role.SENSITIVE,
    meaning="How much of a class's sensitive values would have to be exchanged, twice over, to mirror "
    "the table: 0 where it mirrors the table already, near 2 where it holds values that are rare "
    "elsewhere.",
    formula="GR_g = Σ over all values of |p − q|, p a value's share in the class, q in the table, values "
    f"that the class lacks included; the headline is the maximum. {HEADLINE} {ENTITY_SHARES} The paper "
    "prints one formula for this and for delta_presence; the sum and the largest term keep them apart.",
    source=f"LeFevre, DeWitt & Ramakrishnan 2006, named by {PAPER}, Table 1",
    good_value=f"{NO_LIMIT} Lower is safer.",
    single_class="0: the class is the table.",
)


def largest_differences(cells: Cells) -> "NDArray[np.float64]":
    """Return max over all values s of |P(s in class) − P(s in table)|, 0..1; shape (classes,)."""
    classes = len(cells.size)
    if not classes:
        return np.zeros(0)
    total = np.bincount(cells.class_id, weights=cells.n, minlength=classes)
    table_share = cells.table_n / cells.table_n.sum()
    found = np.zeros(classes)
    present = np.abs(cells.n / total[cells.class_id] - table_share[cells.value])
    np.maximum.at(found, cells.class_id, present)
    # of the values that a class lacks only the most frequent can differ most
    by_frequency = np.argsort(-cells.table_n, kind="stable")
    place = np.empty_like(by_frequency)
    place[by_frequency] = np.arange(len(place))
    absent = _first_absent(cells.class_id, place[cells.value], classes)
    shares = np.append(table_share[by_frequency], 0.0)
    differences: NDArray[np.float64] = np.maximum(found, shares[absent])
    return differences


def _first_absent(
    class_id: "NDArray[np.int64]", place: "NDArray[np.int64]", classes: int
) -> "NDArray[np.int64]":
    """Return for each class the smallest place that none of its cells has."""
    order = np.lexsort((place, class_id))
    ids, places = class_id[order], place[order]
    start = np.searchsorted(ids, np.arange(classes))
    # places rise within a class, so those before the first gap equal their position
    is_in_a_row = places == np.arange(len(ids)) - start[ids]
    return np.bincount(ids[is_in_a_row], minlength=classes)


def _class_values(view: TableView, grouping: Grouping) -> "tuple[NDArray[np.float64], NDArray[np.int64]]":
    cells = view.cells(grouping)
    return largest_differences(cells), cells.size


DELTA_PRESENCE = class_metric(
    name="delta_presence",
    title="δ-presence (largest difference from the table)",
    value=ClassFunction(class_values=_class_values),
    statistic=MAXIMUM,
    scale=SHARE_LOWER,
    attribute=Role.SENSITIVE,
    meaning="By how much the share of any one sensitive value in a class differs from its share in the "
    "table. It is no δ-presence of Nergiz, Atzori & Clifton 2007, which asks whether someone is in the "
    "table at all and needs a population table.",
    formula="δ_g = max over all values of |p − q|, p a value's share in the class, q in the table, "
    f"values that the class lacks included; the headline is the maximum. {HEADLINE} {ENTITY_SHARES}",
    source=f"{PAPER}, Table 1, where the name is given to this difference",
    good_value=f"{NO_LIMIT} Lower is safer.",
    single_class="0: the class is the table.",
)

METRICS: tuple[Metric, ...] = (
    K_ANONYMITY_PER_CLASS,
    L_DIVERSITY,
    T_CLOSENESS_PER_CLASS,
    GENERALIZATION_RATIO,
    DELTA_PRESENCE,
)
