"""What the QIDs tell about a target.

Accuracy: how often the most frequent target value of a class is right.

Gini index: how mixed the target is within a class.

Group entropy: how uncertain the target is within a class, in bits.

Information gain: how many bits the QIDs tell about the target.

Distinct values utility: how many target values occur in a class.

Completeness utility: the share of a class whose target is not NULL.

Range utility: how wide the target's numbers spread within a class.

Mean squared error: how far the target's numbers lie from the mean of their class.
"""

import math
from functools import partial

from qidguard.sdk import DISTINCT_VALUES, ClassValue, Metric, Role, Unit, exact_sum
from qidguard_qidlearning.metrics.class_metric import NUMBER, WEIGHTED_MEAN, class_metric
from qidguard_qidlearning.metrics.wording import (
    BITS,
    ENTITY_SHARES,
    HEADLINE,
    PAPER,
    QID_NULL,
    SCORE,
    SHARE,
    UTILITY_GOOD,
    scale,
)

_of_target = partial(class_metric, statistic=WEIGHTED_MEAN, attribute=Role.TARGET, good_value=UTILITY_GOOD)

_MODE_SHARE = ClassValue(name="mode_share", sql="max(share)")

ACCURACY = _of_target(
    name="accuracy",
    title="accuracy of the class mode",
    value=_MODE_SHARE,
    scale=SHARE,
    meaning="How often the target is guessed right by the most frequent value of someone's class. 1 "
    "means that the QIDs determine the target. It is measured on the table itself, so many small classes "
    "raise it without any pattern behind them.",
    formula="Acc_g = persons with the mode of the target in class g / persons of g; the headline is the "
    f"mean weighted by the persons. {HEADLINE} {ENTITY_SHARES}",
    source=f"Hastie, Tibshirani & Friedman 2009, The elements of statistical learning; {PAPER}, Table 1",
    single_class="The share of the target's most frequent value in the table.",
)


_GINI = ClassValue(name="gini", sql=f"greatest(0, 1 - {exact_sum('share * share')})")

GINI_INDEX = _of_target(
    name="gini_index",
    title="Gini index of the target",
    value=_GINI,
    scale=SHARE,
    meaning="The chance that two draws from a class have different targets: 0 where the QIDs determine "
    "the target, the nearer to 1 the more values share the class evenly.",
    formula="GI_g = 1 − Σ p², p the share of a target value in class g; the headline is the mean "
    f"weighted by the persons. {HEADLINE} {ENTITY_SHARES}",
    source=f"Breiman, Friedman, Olshen & Stone 1984, Classification and regression trees; {PAPER}, Table 1",
    single_class="1 − Σ p² of the whole table.",
)


_ENTROPY = ClassValue(name="entropy_bits", sql=f"greatest(0, -{exact_sum('share * ln(share)')} / ln(2))")

GROUP_ENTROPY = _of_target(
    name="group_entropy",
    title="group entropy of the target",
    value=_ENTROPY,
    scale=BITS,
    meaning="How many bits are still unknown of the target once someone's class is known. 0 means that "
    "the QIDs determine the target; over records one more QID never raises the weighted mean.",
    formula="H_g = −Σ p·log₂ p, p the share of a target value in class g; the headline is Σ p(g)·H_g, "
    f"p(g) the class's share of the persons. {HEADLINE} {ENTITY_SHARES}",
    source=f"Shannon 1948, A mathematical theory of communication; {PAPER}, section 4.1",
    single_class="The entropy of the target in the table.",
)


_GAIN = ClassValue(
    name="divergence_bits", sql=f"greatest(0, {exact_sum('share * ln(share / table_share)')} / ln(2))"
)

INFORMATION_GAIN = _of_target(
    name="information_gain",
    title="information gain about the target",
    value=_GAIN,
    scale=BITS,
    meaning="How many bits someone's class tells about their target, in the mean over the persons. 0 "
    "means that the QIDs say nothing of it, the target's whole entropy that they determine it. It is "
    "measured on the table itself, so many small classes raise it without any pattern behind them.",
    formula="IG = H(Y) − Σ p(g)·H(Y|g). Each class's part is D_KL(P_g ‖ P) = Σ p·log₂(p/q), p a target "
    "value's share in the class, q in the table: over records their weighted mean is this difference to "
    f"the last digit, and it is never negative. {HEADLINE} {ENTITY_SHARES}",
    source=f"Quinlan 1986, Induction of decision trees; {PAPER}, section 4.1",
    single_class="0: the class is the table.",
)


DISTINCT_VALUES_UTILITY = _of_target(
    name="distinct_values_utility",
    title="distinct target values",
    value=DISTINCT_VALUES,
    scale=scale(Unit.VALUES, 1, math.inf),
    meaning="How many different values the target has among the persons of a class. Few mean that the "
    "QIDs narrow the target down; it does not see how lopsided the values are.",
    formula="D_g = distinct target values in class g; the headline is the mean weighted by the persons. "
    f"{HEADLINE}",
    source=f"{PAPER}, Table 1",
    single_class="The number of distinct target values in the table.",
)


# the code 0 is NULL and no other value
_COMPLETENESS = ClassValue(name="completeness", sql="sum(CASE WHEN value > 0 THEN n ELSE 0 END) / sum(n)")

COMPLETENESS_UTILITY = _of_target(
    name="completeness_utility",
    title="completeness of the target",
    value=_COMPLETENESS,
    scale=SHARE,
    meaning="How much of the target is there: the share of a class whose target is not missing. A class "
    "with a low share is one whose people the target leaves out.",
    formula="C_g = persons of class g whose target is not NULL / persons of g; the headline is the mean "
    f"weighted by the persons. {HEADLINE} {ENTITY_SHARES}",
    source=f"{PAPER}, Table 1",
    missing=f"{QID_NULL} NULL in the target is what it counts; a text such as ? that was not declared as "
    "missing is a value.",
    single_class="The share of records whose target is not NULL.",
)


_RANGE = ClassValue(name="number_range", sql=f"max({NUMBER}) - min({NUMBER})")

RANGE_UTILITY = _of_target(
    name="range_utility",
    title="range of the target",
    value=_RANGE,
    scale=SCORE,
    takes_numbers=True,
    meaning="How far apart the lowest and the highest target of a class are, in the target's unit. 0 "
    "means that the QIDs determine the target; a single outlier widens it. Needs a column of numbers, "
    "dates (days) or Booleans (0 and 1).",
    formula="R_g = max(y) − min(y) over the persons of class g; the headline is the mean weighted by the "
    f"persons. {HEADLINE}",
    source=f"{PAPER}, Table 1",
    single_class="The range of the target in the table.",
)


# a missing number is not above 0 nor anything else, so its share is not known either
_KNOWN = exact_sum("CASE WHEN abs(number) >= 0 THEN share ELSE 0 END")
_MEAN = f"({exact_sum(f'share * ({NUMBER})')} / {_KNOWN})"
_MEAN_SQUARE = f"({exact_sum(f'share * ({NUMBER}) * ({NUMBER})')} / {_KNOWN})"

# a constant target has no error at all, not even the last digit of a difference; without a number it is NULL
_ERROR = ClassValue(
    name="squared_error",
    sql="CASE WHEN min(number) = max(number) THEN 0.0 "
    f"WHEN min(number) < max(number) THEN greatest(0, {_MEAN_SQUARE} - {_MEAN} * {_MEAN}) END",
)

MEAN_SQUARED_ERROR = _of_target(
    name="mean_squared_error",
    title="mean squared error of the class mean",
    value=_ERROR,
    scale=SCORE,
    takes_numbers=True,
    meaning="How wrong the guess is that everyone's target is the mean of their class, in the square of "
    "the target's unit. 0 means that the QIDs determine the target. Needs a column of numbers, dates "
    "(days) or Booleans (0 and 1).",
    formula="MSE_g = mean over the persons of class g of (y − ȳ_g)², ȳ_g their mean; the headline is the "
    f"mean weighted by the persons. {HEADLINE} {ENTITY_SHARES} It is taken as the mean of the squares "
    "minus the square of the mean, so its relative error is about 10⁻¹⁵·(ȳ/deviation)².",
    source=f"Hastie, Tibshirani & Friedman 2009, The elements of statistical learning; {PAPER}, Table 1",
    single_class="The variance of the target in the table, divided by n.",
)

METRICS: tuple[Metric, ...] = (
    ACCURACY,
    GINI_INDEX,
    GROUP_ENTROPY,
    INFORMATION_GAIN,
    DISTINCT_VALUES_UTILITY,
    COMPLETENESS_UTILITY,
    RANGE_UTILITY,
    MEAN_SQUARED_ERROR,
)
