"""What the metrics of model utility share: parameters, words, and one training for all of them."""

from collections.abc import Callable

from qidguard import (
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
from qidguard_standard.models.classifiers import MODELS
from qidguard_standard.models.material import MOST_CLASSES
from qidguard_standard.models.measuring import Design, model_utility
from qidguard_standard.models.model_utility import ModelUtility

_DESIGN = Design()

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

HOW = (
    "In each split a model learns from one part of the original's records, as they are and as they are "
    "published, and predicts the others as they are."
)
_ENCODING = (
    "numbers standardised, an interval at its middle, a centroid as itself, a suppressed number at the mean; "
    "text as one feature a value, a generalised cell with 1/s in each of the s values that it covers"
)
SOURCE = (
    "Wei, Benson, Agor & Capan 2024, Multi-objective optimization-based anonymization of structured data for "
    "machine learning: the six models and repeated splits"
)
_LIMITS = "The limit is your own, to be reasoned and written down; a policy may set one on either side."
SIGNED = ("model_effect_size", "model_f1_change")
"""The metrics that lie in −1..1; the others lie in 0..1."""

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
        design=Design(
            repeats=arguments["repeats"],
            test_share=arguments["test_share"],
            sample=arguments["sample"],
            with_importance=is_wide,
        ),
        is_interrupted=lambda: view.is_interrupted,
    )


def model_figure(figure: Callable[[ModelUtility, str], float], *, is_wide: bool = False) -> TableFunction:
    """Return the measuring of one figure; models are trained on records, so it is no group-by.

    Args:
        figure: What is made of the scores of a model of this name.
        is_wide: Whether importances are needed.
    """

    def measure(view: TableView, grouping: Grouping, arguments: Arguments) -> float:
        return figure(_measured(view, grouping, arguments, is_wide=is_wide), arguments["model"])

    return TableFunction(measure=measure)


def model_metric(
    *,
    name: str,
    title: str,
    unit: Unit,
    method: TableFunction,
    meaning: str,
    formula: str,
    source: str,
    good: str,
) -> Metric:
    """Return a metric of models; one of ``Unit.SCORE`` that is a difference lies in −1..1.

    Args:
        name: Its name.
        title: Its title.
        unit: What it counts.
        method: How it is measured.
        meaning: What it is.
        formula: How it comes about.
        source: Author, year.
        good: What a good value is.
    """
    return Metric(
        name=name,
        title=title,
        unit=unit,
        minimum=-1.0 if name in SIGNED else 0.0,
        maximum=1.0,
        # utility is no safety: a policy may limit it on either side
        direction=Direction.NEITHER,
        method=method,
        parameters=_PARAMETERS,
        needs_original=True,
        attribute=Role.TARGET,
        explanation=Explanation(
            meaning=meaning,
            formula=f"{formula}. Features: {_ENCODING}",
            source=source,
            good_value=f"{good} {_LIMITS}",
            missing=_MISSING,
            empty=_EMPTY,
            single_class="Where all records are published alike a model says the most frequent class, or "
            f"near that. Targets have 2 to {MOST_CLASSES} values; any other is not measurable.",
        ),
    )
