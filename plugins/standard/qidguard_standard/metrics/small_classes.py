"""Who is alone or in a class below k, by the QIDs or by what is published beside them.

Sample uniques: persons who share their QIDs with nobody in the table.

Share of sample uniques.

Persons in classes below k: how many would have to be protected to reach k-anonymity.

Share of persons in classes below k.

Share of persons whom the columns outside the quasi-identifiers tell apart.

Example:
    >>> SAMPLE_UNIQUES.method.compute({"persons": 8, "uniques": 3}, {})
    3
    >>> SHARE_UNIQUE.method.compute({"persons": 8, "uniques": 2}, {})
    0.25
    >>> PERSONS_BELOW_K.method.compute({"persons": 8, "persons_below_5": 3}, {"k": 5})
    3
    >>> SHARE_BELOW_K.method.compute({"persons": 8, "persons_below_5": 2}, {"k": 5})
    0.25
    >>> REST_UNIQUE_SHARE.needs_rest
    True
"""

from typing import TYPE_CHECKING, cast

from qidguard.sdk import (
    CLASS_SIZE,
    PERSONS,
    UNIQUES,
    Arguments,
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
    persons_below,
    persons_of,
    value_of,
)
from qidguard_standard.metrics.wording import BY_CLASSES, PERSONS_LOWER, SHARE_LOWER

if TYPE_CHECKING:
    from qidguard.sdk import RestView


def _sample_uniques(values: StatisticValues, _: Arguments) -> int | float:
    persons_of(values)
    return value_of(values, UNIQUES.name)


SAMPLE_UNIQUES = Metric(
    name="sample_uniques",
    title="sample uniques",
    **PERSONS_LOWER,
    is_whole=True,
    method=GroupBy(statistics=(PERSONS, UNIQUES), compute=_sample_uniques, distribution=CLASS_SIZE),
    # a class of one is made of classes of one, all of the same person
    is_monotone=True,
    explanation=Explanation(
        meaning="How many people are alone with their QIDs in the table. Whoever knows that such a person is "
        "in the table, and their QIDs, has found them. Without that knowledge it matters whether they are "
        "alone in the population, too: see the population uniqueness metrics.",
        formula="number of persons in a class of size 1; with an entity column an entity counts when any of "
        "its classes holds nobody else",
        source="Bethlehem, Keller & Pannekoek 1990, Disclosure control of microdata; Skinner & Elliot 2002, "
        "A measure of disclosure risk for microdata",
        good_value="0; any other number is as many people exposed to somebody who knows them.",
        **BY_CLASSES,
        single_class="0, or 1 in a table of one person.",
    ),
)


def _share_unique(values: StatisticValues, _: Arguments) -> float:
    everyone = persons_of(values)
    return value_of(values, UNIQUES.name) / everyone


SHARE_UNIQUE = Metric(
    name="share_unique",
    title="share of sample uniques",
    **SHARE_LOWER,
    method=GroupBy(statistics=(PERSONS, UNIQUES), compute=_share_unique, distribution=CLASS_SIZE),
    # the number of persons does not depend on the QIDs, and uniques never become more
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people is alone with their QIDs in the table, and so is found by whoever "
        "knows that they are in it.",
        formula="persons in a class of size 1 / persons; with an entity column an entity counts when any of "
        "its classes holds nobody else",
        source="Bethlehem, Keller & Pannekoek 1990, Disclosure control of microdata; Skinner & Elliot 2002, "
        "A measure of disclosure risk for microdata",
        good_value="0; a large share means that the QIDs are too fine for the size of the table.",
        **BY_CLASSES,
        single_class="0, or 1 in a table of one person.",
    ),
)


CLASS_MINIMUM = Parameter(
    name="k", type=int, default=5, minimum=2, meaning="smallest class size that counts as protected, persons"
)
"""The parameter k of the two metrics that count below it."""


def below_k(arguments: Arguments) -> tuple[Statistic, ...]:
    """Return the statistics behind the persons below k.

    Example:
        >>> [statistic.name for statistic in below_k({"k": 3})]
        ['persons', 'persons_below_3']
    """
    return PERSONS, persons_below(arguments["k"])


def _persons_below_k(values: StatisticValues, arguments: Arguments) -> int | float:
    persons_of(values)
    return value_of(values, persons_below(arguments["k"]).name)


PERSONS_BELOW_K = Metric(
    name="persons_below_k",
    title="persons in classes below k",
    **PERSONS_LOWER,
    is_whole=True,
    method=GroupBy(statistics=below_k, compute=_persons_below_k, distribution=CLASS_SIZE),
    parameters=(CLASS_MINIMUM,),
    # merging classes never makes the smallest class of a person smaller
    is_monotone=True,
    explanation=Explanation(
        meaning="How many people are in a class of fewer than k. k-anonymity tells only that somebody is; "
        "this tells how many, which is what suppression or generalization would have to reach.",
        formula="number of persons whose class has fewer than k persons; with an entity column an entity "
        "counts once, by the smallest class that it appears in",
        source="Sweeney 2002, k-anonymity: a model for protecting privacy (the records that violate it)",
        good_value="0 means that the table is k-anonymous for this k.",
        **BY_CLASSES,
        single_class="0 where the table has at least k persons, else all of them.",
    ),
)


def _share_below_k(values: StatisticValues, arguments: Arguments) -> float:
    everyone = persons_of(values)
    return value_of(values, persons_below(arguments["k"]).name) / everyone


SHARE_BELOW_K = Metric(
    name="share_below_k",
    title="share of persons in classes below k",
    **SHARE_LOWER,
    method=GroupBy(statistics=below_k, compute=_share_below_k, distribution=CLASS_SIZE),
    parameters=(CLASS_MINIMUM,),
    # the number of persons does not depend on the QIDs, and those below k never become more
    is_monotone=True,
    explanation=Explanation(
        meaning="Which part of the people is in a class of fewer than k, and so would have to be suppressed "
        "or generalized to make the table k-anonymous.",
        formula="persons whose class has fewer than k persons / persons; with an entity column an entity "
        "counts once, by the smallest class that it appears in",
        source="Sweeney 2002, k-anonymity: a model for protecting privacy (the records that violate it)",
        good_value="0 means that the table is k-anonymous for this k; a few per cent may be cheap to "
        "suppress.",
        **BY_CLASSES,
        single_class="0 where the table has at least k persons, else 1.",
    ),
)


def _measure(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the share; counted on hashes, since these columns are kept as no codes that could be grouped."""
    counted = cast("RestView", view).alone(grouping.qids)
    if not counted.persons:
        raise NotMeasurable("The table has no records, so there is nobody to tell apart.")
    return counted.share


REST_UNIQUE_SHARE = Metric(
    name="rest_unique_share",
    title="share of persons unique outside the QIDs",
    **SHARE_LOWER,
    method=TableFunction(measure=_measure),
    needs_rest=True,
    explanation=Explanation(
        meaning="Which part of the people is alone with what is published of them outside the QIDs, all of "
        "it together. Whoever knows enough of it, from another file or from the person, finds their record "
        "however large the classes of the QIDs are. Sensitive attributes count like any other column: a "
        "diagnosis, a procedure and a length of stay may be known of somebody who is alone with them. "
        "Columns that the policy accepts by themselves, with a reason, do not count.",
        formula="persons in a class of size 1 over all published columns that are no QIDs / persons; with an "
        "entity column an entity counts when any of its classes holds nobody else",
        source="Bethlehem, Keller & Pannekoek 1990, Disclosure control of microdata (sample uniques); "
        "Sweeney 2000, Simple demographics often identify people uniquely",
        good_value="No source sets a number: the limit is your own. A figure near 1 says that k-anonymity of "
        "the QIDs holds only as long as nobody knows more than them.",
        missing="NULL is a value like any other: two persons who lack a value agree on it.",
        empty="A table without records has no figure; without such a column it is 0.",
        single_class="0, or 1 in a table of one person.",
    ),
)

METRICS: tuple[Metric, ...] = (
    SAMPLE_UNIQUES,
    SHARE_UNIQUE,
    PERSONS_BELOW_K,
    SHARE_BELOW_K,
    REST_UNIQUE_SHARE,
)
