"""Metrics of what models lose by a release."""

from collections.abc import Callable

from qidguard.sdk import (
    Arguments,
    Direction,
    Explanation,
    Grouping,
    Metric,
    NotMeasurable,
    Parameter,
    Role,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_learning import MODELS, MOST_TARGET_VALUES, LearningDesign, ModelUtility, model_utility

_DESIGN = LearningDesign()

_PARAMETERS = (
    Parameter(
        name="model",
        type=str,
        default="random_forest",
        choices=MODELS,
        meaning="the classifier that learns the target",
    ),
    Parameter(
        name="repeats",
        type=int,
        default=_DESIGN.repeats,
        minimum=1,
        maximum=1000,
        meaning="number of random splits",
    ),
    Parameter(
        name="test_share",
        type=float,
        default=_DESIGN.test_share,
        minimum=0.01,
        maximum=0.99,
        meaning="share of the records that is predicted; the rest is learned from",
    ),
    Parameter(
        name="sample",
        type=int,
        default=_DESIGN.sample,
        minimum=0,
        meaning="largest number of records in a split, drawn at random; 0 means all",
    ),
)

_HOW = (
    "In each split a model learns from one part of the original's records, as they are and as they are "
    "published, and predicts the others as they are."
)
_ENCODING = (
    "numbers standardized, an interval at its middle, a centroid as itself, a suppressed number at the mean; "
    "text as one feature a value, a generalized cell with 1/s in each of the s values that it covers"
)
_SOURCE = (
    "Wei, Benson, Agor & Capan 2024, Multi-objective optimization-based anonymization of structured data for "
    "machine learning: the six models and repeated splits"
)
_LIMITS = "The limit is your own, to be reasoned and written down; a policy may set one on either side."
_MISSING = (
    "NULL is a value of its own: a category of text, and of a number an indicator beside the mean. Records "
    "whose target is NULL are left out."
)
_EMPTY = "Not measurable: a table without records has no classes to learn."


def _measured(view: TableView, grouping: Grouping, arguments: Arguments, *, is_wide: bool) -> ModelUtility:
    if view.changes is None:
        raise NotMeasurable("Models are compared with the original table, and none was given.")
    if grouping.sensitive is None:
        raise NotMeasurable("Models learn to predict the target, and the policy names none; name one.")
    return model_utility(
        view.changes,
        grouping.sensitive,
        grouping.qids,
        models=(arguments["model"],),
        design=LearningDesign(
            repeats=arguments["repeats"],
            test_share=arguments["test_share"],
            sample=arguments["sample"],
            with_importance=is_wide,
        ),
        is_interrupted=lambda: view.is_interrupted,
    )


def _model_metric(  # noqa: PLR0913 - each is a part of a metric, given by name
    *,
    name: str,
    title: str,
    unit: Unit,
    figure: Callable[[ModelUtility, str], float],
    meaning: str,
    formula: str,
    good: str,
    source: str = _SOURCE,
    minimum: float = 0.0,
    is_wide: bool = False,
) -> Metric:
    """Return a metric of models, which are trained on records, so it is no group-by."""

    def measure(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
        return figure(_measured(view, grouping, arguments, is_wide=is_wide), arguments["model"])

    return Metric(
        name=name,
        title=title,
        unit=unit,
        minimum=minimum,
        maximum=1.0,
        # utility is no safety: a policy may limit it on either side
        direction=Direction.NEITHER,
        method=TableFunction(measure=measure),
        parameters=_PARAMETERS,
        needs_original=True,
        compares_tables=True,
        attribute=Role.TARGET,
        explanation=Explanation(
            meaning=meaning,
            formula=f"{formula}. Features: {_ENCODING}",
            source=source,
            good_value=f"{good} {_LIMITS}",
            missing=_MISSING,
            empty=_EMPTY,
            single_class="Where all records are published alike a model says the most frequent class, or "
            f"near that. Targets have 2 to {MOST_TARGET_VALUES} values; any other is not measurable.",
        ),
    )


_TEST_SOURCE = (
    "Mann & Whitney 1947, On a test of whether one of two random variables is stochastically larger than the "
    f"other; Cureton 1956, Rank-biserial correlation; {_SOURCE}"
)

MODEL_METRICS: tuple[Metric, ...] = (
    _model_metric(
        name="feature_importance_shift",
        title="shift of what a model goes by",
        unit=Unit.SHARE,
        figure=lambda found, model: found.importance_shift(model),
        is_wide=True,
        meaning="How much a model that learned from the published table goes by other columns than one that "
        f"learned from the original. {_HOW} A column's importance is the F1 lost when its values are "
        "shuffled among the tested records. 0 where both go by the same columns alike, 1 where by others "
        "altogether.",
        formula="½·Σ over columns of |p − o|, p and o the mean permutation importances, ≥ 0, as shares of "
        "their sum",
        source=f"Breiman 2001, Random forests (permutation importance); {_SOURCE}",
        good="Near 0.",
    ),
    _model_metric(
        name="model_accuracy",
        title="accuracy of a model that learned from the published table",
        unit=Unit.SHARE,
        figure=lambda found, model: found.mean_accuracy(model),
        meaning="Share of original records whose target is predicted right by a model that learned from the "
        f"published table. {_HOW} The mean over the splits.",
        formula="mean over splits of records predicted right / records tested",
        good="Above the share of the most frequent class, which needs no table.",
    ),
    _model_metric(
        name="model_effect_size",
        title="effect size of learning from the published table",
        unit=Unit.SCORE,
        minimum=-1.0,
        figure=lambda found, model: found.effect_size(model),
        meaning="Rank-biserial correlation of the F1 scores by published records against those by "
        f"original ones. {_HOW} 0 where neither is the higher one more often, −1 where each published "
        "score is lower than each original one; (r + 1)/2 is the common-language effect size.",
        formula="r = 2U/n² − 1, U the pairs of the n splits in which the published score is the higher "
        "one, ties half",
        source=_TEST_SOURCE,
        good="Near 0.",
    ),
    _model_metric(
        name="model_f1",
        title="F1 of a model that learned from the published table",
        unit=Unit.SCORE,
        figure=lambda found, model: found.mean_f1(model),
        meaning="How well a model that learned from the published table predicts the original's target. "
        f"{_HOW} The mean over the splits.",
        formula="mean over splits of macro F1, the mean over classes of 2·right/(said + there)",
        good="Near the original's own, which model_f1_change tells.",
    ),
    _model_metric(
        name="model_f1_change",
        title="change of a model's F1 by learning from the published table",
        unit=Unit.SCORE,
        minimum=-1.0,
        figure=lambda found, model: found.f1_change(model),
        meaning="F1 of a model that learned from the published table less that of one that learned from the "
        f"original. {_HOW} 0 where nothing was changed, below 0 where learning suffers.",
        formula="mean macro F1 by published records − mean macro F1 by original records",
        good="Near 0.",
    ),
    _model_metric(
        name="model_p_value",
        title="p-value of the difference of models by published and original records",
        unit=Unit.SCORE,
        figure=lambda found, model: found.p_value(model),
        meaning="Two-sided p-value of Mann and Whitney's U test of the F1 scores by published records "
        f"against those by original ones. {_HOW} 1 where all scores are the same. Splits share records, "
        "so it is a guide and no proof, and it falls with the number of repeats.",
        formula="U = pairs of splits in which the published score is the higher one, ties half; p by the "
        "distribution of U",
        source=_TEST_SOURCE,
        good="The MO-OBAM paper calls a difference below 0.05 significant.",
    ),
)
"""Every metric of model utility, by name."""
