"""Model utility as metrics: each is a figure of one shared training.

Example:
    >>> MODEL_F1.minimum, MODEL_F1_CHANGE.minimum
    (0.0, -1.0)
"""

from qidguard import Metric, Unit
from qidguard_standard.models.model_metric import HOW, SOURCE, model_figure, model_metric

_TEST_SOURCE = (
    "Mann & Whitney 1947, On a test of whether one of two random variables is stochastically larger than the "
    f"other; Cureton 1956, Rank-biserial correlation; {SOURCE}"
)

MODEL_F1 = model_metric(
    name="model_f1",
    title="F1 of a model that learned from the published table",
    unit=Unit.SCORE,
    method=model_figure(lambda found, model: found.mean_f1(model)),
    meaning="How well a model that learned from the published table predicts the original's target. "
    f"{HOW} The mean over the splits.",
    formula="mean over splits of macro F1, the mean over classes of 2·right/(said + there)",
    source=SOURCE,
    good="Near the original's own, which model_f1_change tells.",
)

MODEL_ACCURACY = model_metric(
    name="model_accuracy",
    title="accuracy of a model that learned from the published table",
    unit=Unit.SHARE,
    method=model_figure(lambda found, model: found.mean_accuracy(model)),
    meaning="Share of original records whose target is predicted right by a model that learned from the "
    f"published table. {HOW} The mean over the splits.",
    formula="mean over splits of records predicted right / records tested",
    source=SOURCE,
    good="Above the share of the most frequent class, which needs no table.",
)

MODEL_F1_CHANGE = model_metric(
    name="model_f1_change",
    title="change of a model's F1 by learning from the published table",
    unit=Unit.SCORE,
    method=model_figure(lambda found, model: found.f1_change(model)),
    meaning="F1 of a model that learned from the published table less that of one that learned from the "
    f"original. {HOW} 0 where nothing was changed, below 0 where learning suffers.",
    formula="mean macro F1 by published records − mean macro F1 by original records",
    source=SOURCE,
    good="Near 0.",
)

MODEL_P_VALUE = model_metric(
    name="model_p_value",
    title="p-value of the difference of models by published and original records",
    unit=Unit.SCORE,
    method=model_figure(lambda found, model: found.p_value(model)),
    meaning="Two-sided p-value of Mann and Whitney's U test of the F1 scores by published records against "
    f"those by original ones. {HOW} 1 where all scores are the same. Splits share records, so it is a guide "
    "and no proof, and it falls with the number of repeats.",
    formula="U = pairs of splits in which the published score is the higher one, ties half; p by the "
    "distribution of U",
    source=_TEST_SOURCE,
    good="The MO-OBAM paper calls a difference below 0.05 significant.",
)

MODEL_EFFECT_SIZE = model_metric(
    name="model_effect_size",
    title="effect size of learning from the published table",
    unit=Unit.SCORE,
    method=model_figure(lambda found, model: found.effect_size(model)),
    meaning="Rank-biserial correlation of the F1 scores by published records against those by original ones. "
    f"{HOW} 0 where neither is the higher one more often, −1 where each published score is lower than each "
    "original one; (r + 1)/2 is the common-language effect size.",
    formula="r = 2U/n² − 1, U the pairs of the n splits in which the published score is the higher one, ties "
    "half",
    source=_TEST_SOURCE,
    good="Near 0.",
)

FEATURE_IMPORTANCE_SHIFT = model_metric(
    name="feature_importance_shift",
    title="shift of what a model goes by",
    unit=Unit.SHARE,
    method=model_figure(lambda found, model: found.importance_shift(model), is_wide=True),
    meaning="How much a model that learned from the published table goes by other columns than one that "
    f"learned from the original. {HOW} A column's importance is the F1 lost when its values are shuffled "
    "among the tested records. 0 where both go by the same columns alike, 1 where by others altogether.",
    formula="½·Σ over columns of |p − o|, p and o the mean permutation importances, ≥ 0, as shares of "
    "their sum",
    source=f"Breiman 2001, Random forests (permutation importance); {SOURCE}",
    good="Near 0.",
)

MODEL_METRICS: tuple[Metric, ...] = (
    FEATURE_IMPORTANCE_SHIFT,
    MODEL_ACCURACY,
    MODEL_EFFECT_SIZE,
    MODEL_F1,
    MODEL_F1_CHANGE,
    MODEL_P_VALUE,
)
"""Every metric of model utility, by name."""
