"""Gini index: how mixed the target is within a class."""

from qidguard.sdk import ClassValue, Explanation, Role, Unit, exact_sum
from qidguard_qidlearning.metrics.class_headline import WEIGHTED_MEAN
from qidguard_qidlearning.metrics.class_metric import class_metric
from qidguard_qidlearning.metrics.wording import (
    ATTRIBUTE_NULL,
    EMPTY,
    ENTITY_SHARES,
    HEADLINE,
    PAPER,
    UTILITY_GOOD,
)

_GINI = ClassValue(name="gini", sql=f"greatest(0, 1 - {exact_sum('share * share')})")

GINI_INDEX = class_metric(
    name="gini_index",
    title="Gini index of the target",
    value=_GINI,
    statistic=WEIGHTED_MEAN,
    unit=Unit.SHARE,
    minimum=0.0,
    maximum=1.0,
    attribute=Role.TARGET,
    explanation=Explanation(
        meaning="The chance that two draws from a class have different targets: 0 where the QIDs determine "
        "the target, the nearer to 1 the more values share the class evenly.",
        formula="GI_g = 1 − Σ p², p the share of a target value in class g; the headline is the mean "
        f"weighted by the persons. {HEADLINE} {ENTITY_SHARES}",
        source=f"Breiman, Friedman, Olshen & Stone 1984, Classification and regression trees; {PAPER}, "
        "Table 1",
        good_value=UTILITY_GOOD,
        missing=ATTRIBUTE_NULL,
        empty=EMPTY,
        single_class="1 − Σ p² of the whole table.",
    ),
)
"""Impurity of the target in a class."""
