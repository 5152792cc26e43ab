"""Population uniqueness: the expected share of the population that no one else resembles on the QIDs.

These metrics are no group-by: each solves likelihood or moment equations over the frequencies of class sizes.
"""

from collections.abc import Callable

import numpy as np

from qidguard.sdk import (
    Arguments,
    Direction,
    Estimate,
    Explanation,
    Grouping,
    Interval,
    Metric,
    NotMeasurable,
    Parameter,
    TableFunction,
    TableView,
    Unit,
)
from qidguard_standard.metrics.population_models import (
    SMALL_FRACTION,
    PopulationSample,
    dankar_share,
    fit_pitman,
    pitman_share,
    population_sample,
    snb_share,
    zayatz_share,
)
from qidguard_standard.metrics.wording import BY_CLASSES, EMPTY, NO_LIMIT, QID_NULL, SHARE_LOWER

_GOOD = (
    f"{NO_LIMIT} Lower is safer; 0.01 means that one person in a hundred of the population is "
    "alone with their QID values, so that a match in the table is certainly them."
)
_EDGES = (
    "Without sample uniques the estimate is 0. With sampling_fraction 1 the table is the population and the "
    "figure is its exact share of uniques. Without a sampling fraction it is not measurable."
)
_CONFIDENCE = 0.95
_FEWEST_FITS = 0.9
"""Share of resamples that a model must have an estimate for, or there is no interval."""
_STEEPEST = 0.99
"""An α of Pitman's model from which on almost every further person would be a new class."""
_RESAMPLES = Parameter(
    name="resamples",
    type=int,
    default=100,
    minimum=0,
    maximum=10_000,
    meaning="how often the classes are drawn anew for the interval, times; 0 gives none",
)
_INTERVAL = (
    "The 95% interval is that of the percentiles of the estimate over classes drawn with replacement (Efron "
    "1979), by a fixed seed: it covers the chance of who was sampled, and not that the model may be wrong."
)


def _estimate(
    view: TableView,
    grouping: Grouping,
    arguments: Arguments,
    share: Callable[[PopulationSample], float],
    *,
    is_of_uniques: bool = False,
) -> Estimate:
    """Return the share, exact where the table is the population and 0 where it has no uniques.

    ``is_of_uniques`` asks for the share among the sample uniques in place of the population.
    """
    sample = population_sample(view, grouping.qids)
    uniques = sample.classes_with(1)
    if not uniques:
        return Estimate(value=0.0)
    if sample.fraction == 1:
        return Estimate(value=1.0 if is_of_uniques else uniques / sample.persons)

    def figure(drawn: PopulationSample) -> float:
        alone = drawn.classes_with(1)
        if not alone:
            return 0.0
        found = share(drawn)
        return min(1.0, found * drawn.persons / alone) if is_of_uniques else found

    return Estimate(
        value=figure(sample),
        interval=_interval(view, sample, figure, arguments["resamples"]),
        remark=_at_edge(sample) if _takes_pitman(share, sample) else "",
    )


def _interval(
    view: TableView, sample: PopulationSample, figure: Callable[[PopulationSample], float], resamples: int
) -> Interval | None:
    """Return the percentile interval; None where too many resamples have no estimate."""
    draw = np.random.default_rng(0)
    found = []
    for _ in range(resamples):
        if view.is_interrupted:
            raise KeyboardInterrupt
        try:
            found.append(figure(sample.resampled(draw)))
        except NotMeasurable:
            continue
    if not resamples or len(found) < _FEWEST_FITS * resamples:
        return None
    tail = (1 - _CONFIDENCE) / 2
    low, high = np.quantile(found, [tail, 1 - tail]).tolist()
    return Interval(low=low, high=high, confidence=_CONFIDENCE)


def _takes_pitman(share: Callable[[PopulationSample], float], sample: PopulationSample) -> bool:
    return share is pitman_share or (share is dankar_share and sample.fraction <= SMALL_FRACTION)


def _at_edge(sample: PopulationSample) -> str:
    """Return a sentence where the most likely parameters lie at the edge of their range."""
    try:
        _, alpha = fit_pitman(sample)
    except NotMeasurable as reason:
        return f"Zayatz' estimate stands in for Pitman's: {reason}"
    if alpha == 0:
        return (
            "Pitman's model is fitted at the edge of its range, α = 0, where it is Ewens' model and no"
            " higher α fits better; its estimate of population uniques may be wrong either way."
        )
    if alpha > _STEEPEST:
        return (
            f"Pitman's model is fitted near the edge of its range, α = {alpha:.4f}: nearly every class holds"
            " one person, so its estimate of population uniques rests on few classes of several."
        )
    return ""


def _pitman(view: TableView, grouping: Grouping, arguments: Arguments) -> Estimate:
    """Fit by maximum likelihood, an iteration over α and θ; so it is no group-by."""
    return _estimate(view, grouping, arguments, pitman_share)


def _zayatz(view: TableView, grouping: Grouping, arguments: Arguments) -> Estimate:
    """Weigh every class size by a hypergeometric probability, which plain SQL lacks; so it is no group-by."""
    return _estimate(view, grouping, arguments, zayatz_share)


def _snb(view: TableView, grouping: Grouping, arguments: Arguments) -> Estimate:
    """Solve two moment equations by iteration; so it is no group-by."""
    return _estimate(view, grouping, arguments, snb_share)


def _dankar(view: TableView, grouping: Grouping, arguments: Arguments) -> Estimate:
    """Choose among models that are no group-by; so it is none."""
    return _estimate(view, grouping, arguments, dankar_share)


def _of_sample_uniques(view: TableView, grouping: Grouping, arguments: Arguments) -> Estimate:
    """Choose among models that are no group-by; so it is none."""
    return _estimate(view, grouping, arguments, dankar_share, is_of_uniques=True)


def _metric(
    name: str,
    title: str,
    measure: Callable[[TableView, Grouping, Arguments], Estimate],
    meaning: str,
    formula: str,
    source: str,
    not_fitting: str,
) -> Metric:
    return Metric(
        name=f"population_uniqueness_{name}",
        title=title,
        unit=Unit.SHARE,
        minimum=0.0,
        maximum=1.0,
        direction=Direction.LOWER_IS_SAFER,
        method=TableFunction(measure=measure),
        parameters=(_RESAMPLES,),
        explanation=Explanation(
            meaning="Expected population uniques over the persons of the population, of whom the table is "
            f"the policy's sampling_fraction, or n / Σ weights without one. {meaning} {_INTERVAL}",
            formula=formula,
            source=source,
            good_value=_GOOD,
            missing=QID_NULL,
            empty=EMPTY,
            single_class=f"A single class of several persons has no unique: 0. {not_fitting} {_EDGES}",
        ),
    )


POPULATION_UNIQUENESS_METRICS: tuple[Metric, ...] = (
    _metric(
        "pitman",
        "population uniqueness (Pitman)",
        _pitman,
        "The sizes of all classes are taken to follow Pitman's partition; suits small sampling fractions.",
        "E[S₁]/N = Γ(θ+1)/Γ(θ+α) · Γ(N+θ+α−1)/Γ(N+θ), θ and α by maximum likelihood",
        "Hoshino 2001, Journal of Official Statistics 17, 499–520",
        "Where every person is unique no parameters are the most likely and it is not measurable.",
    ),
    _metric(
        "zayatz",
        "population uniqueness (Zayatz)",
        _zayatz,
        "Classes of the population are taken to have the sizes that they have in the table; this mostly "
        "overestimates at small sampling fractions.",
        "s₁/n · P(F=1 | f=1), P by Bayes' rule with P(f=1 | F=j) hypergeometric and pⱼ = sⱼ/u",
        "Zayatz 1991, ASA Proceedings of the Section on Survey Research Methods",
        "Where every person is unique it is 1.",
    ),
    _metric(
        "snb",
        "population uniqueness (slide negative binomial)",
        _snb,
        "The sizes of all classes, less one, are taken to be negative binomial; suits larger fractions.",
        "K·β^α/N, K by the modified Shlosser estimator, α and β so that the expected uniques and pairs are "
        "the table's",
        "Chen & Keller-McNulty 1998, Journal of Official Statistics 14, 79–95; K: Haas & Stokes 1998, "
        "Journal of the American Statistical Association 93, 1475–1487",
        "Where no class holds exactly two persons, or no α and β fit, it is not measurable and never 0.",
    ),
    _metric(
        "dankar",
        "population uniqueness (Dankar's rule)",
        _dankar,
        "The rule chooses the model that was most accurate in simulations at this sampling fraction.",
        "Pitman for sampling_fraction ≤ 0.1, else the smaller of slide negative binomial and Zayatz; Zayatz "
        "where the chosen model has no estimate",
        "Dankar, El Emam, Neisa & Roffey 2012, BMC Medical Informatics and Decision Making 12:66",
        "Where every person is unique it is 1.",
    ),
)
"""Estimates of population uniqueness, in the order Pitman, Zayatz, slide negative binomial, Dankar's rule."""

UNIQUE_IN_POPULATION = Metric(
    name="unique_in_population",
    title="population unique if sample unique",
    **SHARE_LOWER,
    method=TableFunction(measure=_of_sample_uniques),
    parameters=(_RESAMPLES,),
    explanation=Explanation(
        meaning="The chance that a person who is alone with their QID values in the table is alone with them "
        f"in the population, too: that a unique match is certainly right. {_INTERVAL}",
        formula="P(PU | SU) = E[S₁]·(n/N) / s₁, E[S₁] the expected population uniques by Dankar's rule, s₁ "
        "the sample uniques",
        source="Skinner & Elliot 2002, JRSS B 64, 855–867; E[S₁]: Dankar, El Emam, Neisa & Roffey 2012, BMC "
        "Medical Informatics and Decision Making 12:66",
        good_value=f"{NO_LIMIT} Lower is safer.",
        **BY_CLASSES,
        single_class="A table without sample uniques, such as a single class of several persons, puts nobody "
        "at this risk: 0. With sampling_fraction 1 every sample unique is a population unique: 1.",
    ),
)

METRICS: tuple[Metric, ...] = (*POPULATION_UNIQUENESS_METRICS, UNIQUE_IN_POPULATION)
