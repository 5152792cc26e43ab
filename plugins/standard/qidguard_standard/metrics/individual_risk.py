"""The risk of each person by the model of Benedetti and Franconi.

The mean of one over the population size of a class, by Benedetti and Franconi's model.

Individual risk of a survey: what a match is worth where sampling weights tell who stands for whom.

These metrics are no group-by: the risk of a class is an integral over the population sizes that it may have.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Estimate,
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
from qidguard_standard.metrics.wording import EMPTY, NO_LIMIT, QID_NULL

if TYPE_CHECKING:
    from numpy.typing import NDArray


def benedetti_franconi(size: "NDArray[np.float64]", p: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return E[1/F | f] where the population size F of a class is negative binomial (f, p), given f.

    ∫₀^∞ (p·e^−t / (1 − (1−p)·e^−t))^f dt = (p/f)·₂F₁(1, 1; f+1; 1−p), by Euler's transformation of the form
    p^f/f·₂F₁(f, f; f+1; 1−p) in which powers of p would underflow (Benedetti & Franconi 1998; Franconi &
    Polettini 2004, "Individual risk estimation in µ-ARGUS: a review"). SciPy's ₂F₁ is wrong by far for some
    f and p, such as 100 and 1/16.

    Args:
        size: Persons f of the sample in a class, ≥ 1.
        p: f over the estimated population of the class, 0 < p ≤ 1; the same shape.

    Example:
        >>> import numpy as np
        >>> # the sample is all there is
        >>> benedetti_franconi(np.array([1.0, 5.0]), np.array([1.0, 1.0])).tolist()
        [1.0, 0.2]
    """
    risk = np.empty(len(size))
    is_slow = (size < _QUICK_SIZE) & (p < _QUICK_CHANCE)
    risk[is_slow] = _by_recurrence(size[is_slow], p[is_slow])
    risk[~is_slow] = _by_series(size[~is_slow], p[~is_slow])
    return np.clip(risk, 0.0, 1.0)


_QUICK_SIZE, _QUICK_CHANCE, _TERMS = 30, 0.5, 64
"""From either size or chance on, the terms of the series fall below 1e-17 of its sum within these."""


def _by_series(size: "NDArray[np.float64]", p: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Sum (p/f)·Σ k!·f!/(f+k)!·(1−p)^k, whose terms are all positive."""
    term = np.ones(len(size))
    total = term.copy()
    for k in range(_TERMS):
        term *= (k + 1) / (size + 1 + k) * (1 - p)
        total += term
    return p / size * total


def _by_recurrence(size: "NDArray[np.float64]", p: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Go up from f = 1, −x·ln p, by r(f+1) = x·(1/f − r(f)), x = p/(1−p); it is stable for x ≤ 1."""
    x = p / (1 - p)
    risk: NDArray[np.float64] = -x * np.log(p)
    for f in range(1, int(size.max(initial=1))):
        risk = np.where(size > f, x * (1 / f - risk), risk)
    return risk


@dataclass(frozen=True, kw_only=True)
class WeightedClasses:
    """The classes of a sample and how many persons of the population each stands for.

    Args:
        size: Persons of the sample in each class, ≥ 1; shape (classes,).
        population: Estimated persons of the population in it, ≥ size; shape (classes,).
    """

    size: "NDArray[np.float64]"
    population: "NDArray[np.float64]"

    @property
    def risk(self) -> "NDArray[np.float64]":
        """The risk of each class, a share 0..1; shape (classes,)."""
        return benedetti_franconi(self.size, self.size / self.population)


def weighted_classes(view: TableView, grouping: Grouping) -> WeightedClasses:
    """Return the classes of the QIDs with the sums of their persons' weights.

    Relative weights, which add up to the sample or to less, are scaled to the population that the sampling
    fraction tells. No class counts fewer persons in the population than in the sample.
    """
    cells = view.cells(grouping)
    if not len(cells.size):
        raise NotMeasurable("The table has no records, so there is nothing to measure.")
    if cells.has_missing:
        raise NotMeasurable("A record has no weight; correct the weights.")
    weight = view.numbers(str(grouping.sensitive))[1:]
    classes = len(cells.size)
    persons = np.bincount(cells.class_id, weights=cells.n, minlength=classes)
    if not np.array_equal(persons, cells.size):
        raise NotMeasurable(
            "An entity has records of different weight in one class, so nobody knows for how many persons it"
            " stands; give an entity one weight."
        )
    population = np.bincount(cells.class_id, weights=cells.n * weight[cells.value], minlength=classes)
    size = cells.size.astype(np.float64)
    fraction, persons_weighed = view.sampling_fraction, float(population.sum())
    if _are_relative(weight[np.unique(cells.value)], persons_weighed / size.sum()):
        if fraction is None:
            raise NotMeasurable(
                "The weights are relative and tell no number of persons; the policy must give"
                " sampling_fraction."
            )
        population *= size.sum() / fraction / persons_weighed
    return WeightedClasses(size=size, population=np.maximum(population, size))


def _are_relative(weight: "NDArray[np.float64]", mean: float) -> bool:
    """Return whether weights say who stands for more than others, and not for how many.

    A design weight is 1 over a chance, so at least 1. Some below 1 may come of calibration; where the mean is
    about 1 as well, or below, they were scaled to the sample. Where all are 1, a sampling fraction says more.
    """
    least, most = float(weight.min()), float(weight.max())
    is_constant = most - least <= _ROUNDING and abs(mean - 1) <= _ROUNDING
    return is_constant or mean < 1 - _ROUNDING or (least < 1 - _ROUNDING and mean <= _ABOUT_ONE)


_ROUNDING = 1e-6
_ABOUT_ONE = 1.01
"""The largest mean of weights that were scaled to a mean of 1 and rounded."""


_SMALL_FRACTION = 0.2
"""Up to this share of the population in the table the risk may be understated by more than a fifth."""


def _estimate(classes: WeightedClasses, value: float) -> Estimate:
    """Return a risk with what is to be said of it: at small fractions it may be too low by far."""
    share = float(classes.size.sum() / classes.population.sum())
    if share > _SMALL_FRACTION:
        return Estimate(value=value)
    return Estimate(
        value=value,
        remark=f"By the weights {share:.2g} of the population is in the table. At such shares Benedetti and"
        " Franconi's risk understates, up to several times, where most classes of the population are small;"
        " limit population uniqueness as well.",
    )


def _risk(figure: Callable[[WeightedClasses, Arguments], float]) -> TableFunction:
    """Return the measure of a figure of the classes."""

    def measure(view: TableView, grouping: Grouping, arguments: Arguments) -> Estimate:
        """Integrate over population sizes for each class, so it is no group-by."""
        classes = weighted_classes(view, grouping)
        return _estimate(classes, figure(classes, arguments))

    return TableFunction(measure=measure)


def _rate(classes: WeightedClasses, _: Arguments) -> float:
    return min(1.0, float(classes.size @ classes.risk / classes.size.sum()))


def _above(classes: WeightedClasses, arguments: Arguments) -> float:
    return float(classes.size[classes.risk > arguments["threshold"]].sum() / classes.size.sum())


def _unique_of_unique(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Average 1/F̂ over classes of one person, which needs each class by itself; so it is no group-by."""
    classes = weighted_classes(view, grouping)
    alone = classes.size == 1
    if not alone.any():
        return 0.0
    return float((1 / classes.population[alone]).mean())


_FORMULA = "r = (p/f)·₂F₁(1, 1; f+1; 1−p) with p = f/F̂, f persons of the sample in the class, F̂ = Σ weights"
_SOURCE = (
    "Benedetti & Franconi 1998, Statistical and technological solutions for controlled data dissemination; "
    "Franconi & Polettini 2004, Privacy in Statistical Databases, LNCS 3050, 262–272"
)
_WEIGHTS = (
    "The weights decide: a class of few persons with large weights stands for many in the population and "
    "has a small risk. No class counts fewer persons in the population than in the sample. Relative weights, "
    "which add up to the sample or to less, are scaled by sampling_fraction; without it nothing is measured. "
    "There is no interval. Where at most a fifth was sampled and most classes of the population are small, "
    "the figure understates, up to several times; a note says so."
)
_SINGLE = "A single class of f persons has the risk of that class; where every weight is 1 it is 1/f."


def _metric(
    name: str,
    title: str,
    unit: Unit,
    measure: TableFunction,
    words: tuple[str, str, str],
    parameters: tuple[Parameter, ...] = (),
) -> Metric:
    meaning, formula, good = words
    return Metric(
        name=name,
        title=title,
        unit=unit,
        minimum=0.0,
        maximum=float("inf") if unit is Unit.PERSONS else 1.0,
        direction=Direction.LOWER_IS_SAFER,
        method=measure,
        parameters=parameters,
        attribute=Role.WEIGHT,
        explanation=Explanation(
            meaning=f"{meaning} {_WEIGHTS}",
            formula=formula,
            source=_SOURCE,
            good_value=good,
            missing=f"{QID_NULL} A record without a weight makes it not measurable.",
            empty=EMPTY,
            single_class=_SINGLE,
        ),
    )


INDIVIDUAL_RISK_METRICS: tuple[Metric, ...] = (
    _metric(
        "individual_risk_max",
        "individual risk (maximum)",
        Unit.SHARE,
        _risk(lambda classes, _: float(classes.risk.max())),
        (
            "The chance that a match with the most exposed person is right, if nobody knows who was sampled.",
            f"max over classes of {_FORMULA}",
            "Surveys are released at 0.05 to 0.1 at most; lower is safer.",
        ),
    ),
    _metric(
        "global_risk",
        "global risk (expected re-identifications)",
        Unit.PERSONS,
        _risk(lambda classes, _: float(classes.size @ classes.risk)),
        (
            "How many persons of the sample an attacker is expected to find who matches all of them.",
            f"Σ over classes of f·r, {_FORMULA}",
            NO_LIMIT,
        ),
    ),
    _metric(
        "global_risk_rate",
        "global risk (rate)",
        Unit.SHARE,
        _risk(_rate),
        (
            "The expected share of the sample that an attacker finds who matches all of it.",
            f"(1/n)·Σ over classes of f·r, {_FORMULA}",
            f"{NO_LIMIT} Lower is safer.",
        ),
    ),
    _metric(
        "unique_in_population_weighted",
        "population unique if sample unique (weights)",
        Unit.SHARE,
        TableFunction(measure=_unique_of_unique),
        (
            "The chance that a person who is alone in the sample is alone in the population, too.",
            "mean over sample uniques of P(F = 1 | f = 1) = p = 1/F̂, F̂ the person's weight",
            f"{NO_LIMIT} Lower is safer.",
        ),
    ),
    _metric(
        "individual_risk_share_above",
        "share of persons above an individual risk",
        Unit.SHARE,
        _risk(_above),
        (
            "The share of persons whose individual risk is above a threshold.",
            f"(1/n)·Σ f over classes with r > threshold, {_FORMULA}",
            "0 is the usual aim: whoever is above the threshold is protected further.",
        ),
        (
            Parameter(
                name="threshold",
                type=float,
                default=0.1,
                minimum=0.0,
                maximum=1.0,
                meaning="the individual risk above which a person counts, a share",
            ),
        ),
    ),
)
"""Risks of a survey by its sampling weights."""

METRICS: tuple[Metric, ...] = INDIVIDUAL_RISK_METRICS
