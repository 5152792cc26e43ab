"""Population uniqueness: the expected share of the population that no one else resembles on the QIDs.

These metrics are no group-by: each solves likelihood or moment equations over the frequencies of class sizes.
"""

from collections.abc import Callable

from qidguard.sdk import Arguments, Direction, Explanation, Grouping, Metric, TableFunction, TableView, Unit
from qidguard_standard.metrics.population_dankar import dankar_share
from qidguard_standard.metrics.population_pitman import pitman_share
from qidguard_standard.metrics.population_sample import PopulationSample, population_sample
from qidguard_standard.metrics.population_snb import snb_share
from qidguard_standard.metrics.population_zayatz import zayatz_share
from qidguard_standard.metrics.wording import EMPTY, NO_LIMIT, QID_NULL

_GOOD = (
    f"{NO_LIMIT} Lower is safer; 0.01 means that one person in a hundred of the population is "
    "alone with their QID values, so that a match in the table is certainly them."
)
_EDGES = (
    "Without sample uniques the estimate is 0. With sampling_fraction 1 the table is the population and the "
    "figure is its exact share of uniques. Without a sampling fraction it is not measurable."
)


def _estimate(view: TableView, grouping: Grouping, share: Callable[[PopulationSample], float]) -> float:
    """Return the share, exact where the table is the population and 0 where it has no uniques."""
    sample = population_sample(view, grouping.qids)
    uniques = sample.classes_with(1)
    if not uniques or sample.fraction == 1:
        return uniques / sample.persons
    return share(sample)


def _pitman(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Fit by maximum likelihood, an iteration over α and θ; so it is no group-by."""
    return _estimate(view, grouping, pitman_share)


def _zayatz(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Weigh every class size by a hypergeometric probability, which plain SQL lacks; so it is no group-by."""
    return _estimate(view, grouping, zayatz_share)


def _snb(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Solve two moment equations by iteration; so it is no group-by."""
    return _estimate(view, grouping, snb_share)


def _dankar(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Choose among models that are no group-by; so it is none."""
    return _estimate(view, grouping, dankar_share)


def _metric(
    name: str,
    title: str,
    measure: Callable[[TableView, Grouping, Arguments], float],
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
        explanation=Explanation(
            meaning="Expected population uniques over the persons of the population, of whom the table is "
            f"the policy's sampling_fraction. {meaning}",
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
