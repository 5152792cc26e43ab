"""How well a set of QIDs tells records apart, and what its length costs.

Distinction: the number of distinct QID combinations for each person.

Separation: the share of pairs of persons that the QIDs tell apart.

The change of a metric since the last set of a search, which only a search can know.

Mean class size, the reciprocal of the distinction.

Column count: the number of quasi-identifiers.

Attribute length penalty: (1 − p)² + p² of the share p of columns that are chosen.
"""

import math

from qidguard.sdk import (
    CLASS_SIZE,
    CLASSES,
    MEMBERSHIPS,
    PERSONS,
    SUMMED_RISK,
    Arguments,
    Direction,
    Explanation,
    GroupBy,
    Grouping,
    Metric,
    NotMeasurable,
    RowSource,
    Statistic,
    StatisticValues,
    TableFunction,
    TableView,
    Unit,
    persons_of,
    value_of,
)
from qidguard_qidlearning.metrics.wording import (
    EMPTY,
    NO_LIMIT,
    PAPER,
    QID_NULL,
    SHARE_LOWER,
    SMALLEST_CLASS,
    scale,
)

NEEDS = (CLASSES, PERSONS, MEMBERSHIPS, SUMMED_RISK)
"""The statistics that a distinction comes out of."""


def distinction(values: StatisticValues) -> float:
    """Return the mean over persons of 1/size of their smallest class, above 0 and at most 1.

    Where everyone is in one class only, the sum of these is the number of classes, D = |{Q_i}| / n
    (Simões et al. 2025).
    """
    everyone = persons_of(values)
    if value_of(values, MEMBERSHIPS.name) == everyone:
        # to the last digit, which a sum of fractions would not be
        return value_of(values, CLASSES.name) / everyone
    return value_of(values, SUMMED_RISK.name) / everyone


def _distinction(values: StatisticValues, _: Arguments) -> float:
    return distinction(values)


DISTINCTION = Metric(
    name="distinction",
    title="distinction",
    **SHARE_LOWER,
    method=GroupBy(statistics=NEEDS, compute=_distinction, distribution=CLASS_SIZE),
    # one more QID splits classes, so nobody's smallest class grows
    is_monotone=True,
    explanation=Explanation(
        meaning="How many distinct combinations of the QIDs there are for each person: 1 means that everyone "
        "has one of their own, so the QIDs identify everybody in the table.",
        formula=f"distinct QID combinations / records = mean over persons of 1/class size. {SMALLEST_CLASS}",
        source=f"{PAPER}, section 4.1, after Motwani & Xu 2007, Efficient algorithms for masking and finding "
        "quasi-identifiers",
        good_value=f"{NO_LIMIT} Lower is safer; a set of columns near 1 is nearly a key.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="1 / the number of persons.",
    ),
)


SUMMED_SIZES = Statistic(name="summed_smallest_sizes", sql="size", source=RowSource.PERSONS)
"""Sum over persons of the size of their smallest class."""


def _separation(values: StatisticValues, _: Arguments) -> float:
    everyone = persons_of(values)
    if everyone == 1:
        raise NotMeasurable("Separation compares persons with each other, and the table has only one.")
    # everyone against the others outside their class, each pair seen from both ends
    return (everyone * everyone - value_of(values, SUMMED_SIZES.name)) / (everyone * (everyone - 1))


SEPARATION = Metric(
    name="separation",
    title="separation",
    **SHARE_LOWER,
    method=GroupBy(statistics=(PERSONS, SUMMED_SIZES), compute=_separation, distribution=CLASS_SIZE),
    # one more QID splits classes, so nobody's smallest class grows
    is_monotone=True,
    explanation=Explanation(
        meaning="Of all pairs of persons, the share whose QIDs differ: the chance that two persons drawn at "
        "random can be told apart. It nears 1 long before the QIDs are a key, for a few values split most "
        "pairs already.",
        formula="pairs of records that differ in at least one QID / all n(n−1)/2 pairs = mean over persons "
        f"of (n − class size) / (n − 1). {SMALLEST_CLASS}",
        source=f"{PAPER}, section 4.1, after Motwani & Xu 2007, Efficient algorithms for masking and finding "
        "quasi-identifiers",
        good_value=f"{NO_LIMIT} Lower is safer.",
        missing=QID_NULL,
        empty=f"{EMPTY} Nor is it with one person, who makes no pair.",
        single_class="0: nobody is told apart.",
    ),
)


def change_of(metric: Metric) -> Metric:
    """Return the metric M(x) − M(x_prev), −1..1, x_prev the current set of a search (Simões et al. 2025).

    M is a share; the host's search measures ``delta_<name>`` from two figures of it.
    """

    def measure(_view: TableView, _grouping: Grouping, _arguments: Arguments) -> float:
        """Say that a change needs two sets, which no single table has: so it is no group-by."""
        raise NotMeasurable(
            f"It is the change of {metric.name} within a search, and there is no search here; "
            f"ask for {metric.name}."
        )

    return Metric(
        name=f"delta_{metric.name}",
        title=f"change of {metric.title} in a search",
        unit=Unit.RATIO,
        minimum=-1.0,
        maximum=1.0,
        direction=metric.direction,
        method=TableFunction(measure=measure),
        change_of=metric.name,
        explanation=Explanation(
            meaning=f"By how much a candidate's {metric.name} differs from that of the search's current set: "
            "above 0 where the step raises it. It rewards a search for steps that still gain.",
            formula=f"M(x) − M(x_prev), M the {metric.name}, x_prev the current set of the search; 0 where "
            "there is none yet",
            source=f"{PAPER}, section 5.2",
            good_value="None: it steers a search and has no figure outside one.",
            missing=metric.explanation.missing,
            empty=metric.explanation.empty,
            single_class="0 where both sets leave everyone in one class.",
        ),
    )


DELTA_DISTINCTION = change_of(DISTINCTION)


DELTA_SEPARATION = change_of(SEPARATION)


def _mean_class_size(values: StatisticValues, _: Arguments) -> float:
    return 1 / distinction(values)


MEAN_CLASS_SIZE = Metric(
    name="mean_class_size",
    title="mean class size, K(x) = 1/distinction",
    **scale(Unit.PERSONS, 1.0, math.inf, Direction.HIGHER_IS_SAFER),
    method=GroupBy(statistics=NEEDS, compute=_mean_class_size, distribution=CLASS_SIZE),
    # the reciprocal of a figure that never falls when a QID is added
    is_monotone=True,
    explanation=Explanation(
        meaning="How many persons share a combination of the QIDs in the mean over the classes. The paper "
        "calls it k-anonymity in its examples, but it hides the smallest classes: for k-anonymity itself ask "
        "for the smallest class.",
        formula="K = records / classes = 1 / distinction, over persons the harmonic mean of their class "
        f"sizes. {SMALLEST_CLASS}",
        source=f"{PAPER}, sections 5.1 and 5.2, Tables 4 and 6",
        good_value="No source sets a number; it should be well above the k that is asked for.",
        missing=QID_NULL,
        empty=EMPTY,
        single_class="The number of persons in the table.",
    ),
)


def _column_count(_view: TableView, grouping: Grouping, _arguments: Arguments) -> int:
    """Return the number of QIDs; it reads no record, so it is no group-by."""
    return len(grouping.qids)


COLUMN_COUNT = Metric(
    name="column_count",
    title="number of QIDs",
    **scale(Unit.COLUMNS, 1, math.inf),
    is_whole=True,
    method=TableFunction(measure=_column_count),
    is_of_size=True,
    explanation=Explanation(
        meaning="How many QIDs a set has. With a negative weight it is the price of a column in a search: a "
        "column comes in when it brings more than it costs. The attribute length penalty does not say that, "
        "for it falls until half of the columns are chosen.",
        formula="|x|",
        source="The number of parameters as a penalty: Akaike 1974, A new look at the statistical model "
        "identification",
        good_value=f"{NO_LIMIT} It is a term of a search's objective and says nothing about safety.",
        missing="NULL plays no part: the table's values are not read.",
        empty="The same figure: it depends on the columns only.",
        single_class="The same figure: it depends on the columns only.",
    ),
)


def attribute_length_penalty(chosen: int, columns: int) -> float:
    """Return (1 − p)² + p², 0.5..1, for the share p = chosen / columns (Simões et al. 2025)."""
    if not 1 <= chosen <= columns:
        raise ValueError(f"QIDs are 1 to {columns} of the table's columns, not {chosen}")
    # whole numbers, so that k and n − k columns of n have the same penalty to the last digit
    return ((columns - chosen) ** 2 + chosen**2) / columns**2


def _attribute_length_penalty(view: TableView, grouping: Grouping, _: Arguments) -> float:
    """Return the penalty; it takes no record's value, only the number of columns, so it is no group-by."""
    return attribute_length_penalty(len(grouping.qids), len(view.columns))


ATTRIBUTE_LENGTH_PENALTY = Metric(
    name="attribute_length_penalty",
    title="attribute length penalty",
    **scale(Unit.SCORE, 0.5, 1.0),
    method=TableFunction(measure=_attribute_length_penalty),
    is_of_size=True,
    explanation=Explanation(
        meaning="What a set of QIDs pays for its length: nothing but the number of columns counts. It is "
        "smallest for half of the columns, and grows toward a single one and toward all of them.",
        formula="(1 − p)² + p² with p = QIDs / all columns of the table, the ones that may not be QIDs "
        "included",
        source=f"{PAPER}, Table 1",
        good_value=f"{NO_LIMIT} It is a term of a search's objective and says nothing about safety.",
        missing="NULL plays no part: the table's values are not read.",
        empty="The same figure: it depends on the columns only.",
        single_class="The same figure: it depends on the columns only.",
    ),
)

METRICS: tuple[Metric, ...] = (
    DISTINCTION,
    SEPARATION,
    DELTA_DISTINCTION,
    DELTA_SEPARATION,
    MEAN_CLASS_SIZE,
    COLUMN_COUNT,
    ATTRIBUTE_LENGTH_PENALTY,
)
