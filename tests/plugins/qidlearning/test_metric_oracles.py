"""The metrics of QIDLearningLib against counting, numpy and scipy on random records, and what they keep."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from measured_people import agrees, measured, on_random_people
from qidguard_qidlearning.metrics import METRICS
from qidguard_qidlearning.metrics.target import GROUP_ENTROPY, INFORMATION_GAIN
from qidguard_qidlearning.metrics.telling_apart import DISTINCTION, SEPARATION
from typed_records import on_random_records, typed_figure

BY_NAME = {metric.name: metric for metric in METRICS}
STATISTICS = ["minimum", "maximum", "mean", "weighted_mean"]


def row(metric, *values, slow=False):
    """Return the row of a metric, perhaps a slow one."""
    return pytest.param(metric, *values, marks=[pytest.mark.slow] * slow)


def over_classes(statistic, values, sizes):
    """Take a figure over the values and sizes of the classes, those without a value left out."""
    pairs = [(v, n) for v, n in zip(values, sizes, strict=True) if v is not None]
    if statistic in {"minimum", "maximum"}:
        return {"minimum": min, "maximum": max}[statistic](v for v, _ in pairs)
    weights = [n if statistic == "weighted_mean" else 1 for _, n in pairs]
    return math.fsum(v * n for (v, _), n in zip(pairs, weights, strict=True)) / sum(weights)


def differences(table, members):
    """Take |p − q| of a class for all values of the table."""
    q, p = table.shares(), table.shares(members)
    return [abs(p.get(value, 0) - share) for value, share in q.items()]


def chance_to_differ(table, members):
    """Add up p·p' over every two different values."""
    shares = list(table.shares(members).values())
    return sum(p * q for i, p in enumerate(shares) for j, q in enumerate(shares) if i != j)


def divergence(table, members, base=None):
    """Take scipy's D_KL(class ‖ table) from the shares."""
    q, p = table.shares(), table.shares(members)
    return float(entropy([p.get(value, 0) for value in q], list(q.values()), base=base))


def distinct(_, members):
    """Count the sensitive values of a class."""
    return len({s for _, _, s, *_ in members})


ENDS = ("maximum", "weighted_mean")
OF_A_CLASS = [
    row("accuracy", lambda t, members: max(t.shares(members).values()), ENDS, slow=True),
    row("completeness_utility", lambda t, members: 1 - t.shares(members).get(None, 0), ENDS, slow=True),
    row("delta_presence", lambda t, members: max(differences(t, members)), STATISTICS),
    row("distinct_values_utility", distinct, ENDS, slow=True),
    row("generalization_ratio", lambda t, members: sum(differences(t, members)), ENDS),
    row("gini_index", chance_to_differ, ENDS),
    row("group_entropy", lambda t, members: float(entropy(list(t.shares(members).values()), base=2)), ENDS),
    row("information_gain", lambda t, members: divergence(t, members, base=2), ENDS),
    row("k_anonymity_per_class", lambda t, members: t.size(members), STATISTICS),
    row("l_diversity", distinct, ENDS),
    row("t_closeness_per_class", lambda t, members: max(0.0, divergence(t, members)), ENDS),
]


@pytest.mark.parametrize(("metric", "value_of_class", "statistics"), OF_A_CLASS)
def test_equals_counting_classes(metric, value_of_class, statistics):
    """On random records and persons an extreme and a mean are those over the counted classes."""
    for statistic in statistics:

        def oracle(table, statistic=statistic):
            classes = list(table.classes().values())
            values = [value_of_class(table, members) for members in classes]
            return over_classes(statistic, values, [table.size(members) for members in classes])

        agrees(BY_NAME[metric], oracle, statistic=statistic)


def mean_risk(table):
    """Take the mean over persons of 1/size of their smallest class, exactly."""
    smallest = table.smallest()
    return sum(Fraction(1, size) for size in smallest) / len(smallest)


@pytest.mark.parametrize(
    ("metric", "oracle"),
    [
        ("distinction", lambda table: float(mean_risk(table))),
        # the harmonic mean over persons of the size of their smallest class
        ("mean_class_size", lambda table: float(1 / mean_risk(table))),
    ],
)
def test_equals_counting(metric, oracle):
    """On random records and persons the engine's figure is the one counted."""
    agrees(BY_NAME[metric], oracle)


def class_values(records, value):
    """Return the value of the numbers of each class, and its size; None without a number."""
    classes = {}
    for one in records.rows:
        classes.setdefault(one[:2], []).append(one)
    values, sizes = [], []
    for members in classes.values():
        cells = {(r[3], r[5]) for r in members} if records.entity else [(r[3], r[5]) for r in members]
        numbers = [y for y, _ in cells if y is not None]
        values.append(value(numbers) if numbers else None)
        sizes.append(len({r[5] for r in members}) if records.entity else len(members))
    return values, sizes


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("metric", "value", "precision", "statistic"),
    [
        (metric, value, precision, statistic)
        for metric, value, precision in [
            ("mean_squared_error", np.var, 1e-9),
            ("range_utility", lambda numbers: max(numbers) - min(numbers), 1e-12),
        ]
        for statistic in STATISTICS
    ],
)
def test_equals_numpy(metric, value, precision, statistic):
    """It is the variance, or max − min, of the numbers of each class, entities weighing once."""

    def check(records):
        values, sizes = class_values(records, value)
        if all(one is None for one in values):
            return
        expected = over_classes(statistic, values, sizes)
        actual = typed_figure(BY_NAME[metric], records, "ab", "y", statistic=statistic)
        assert actual == pytest.approx(expected, rel=precision, abs=precision)

    on_random_records(check)


def pairs_apart(table):
    """Compare all pairs: records by their QIDs, entities by who is in the smallest class of whom."""
    if not table.entity:
        keys = [record[:2] for record in table.records]
        pairs = list(combinations(keys, 2))
        return sum(one != other for one, other in pairs) / len(pairs)
    groups = [set(table.column("w", members)) for members in table.classes().values()]
    people = sorted(set(table.column("w")))
    smallest = {who: min((g for g in groups if who in g), key=len) for who in people}
    pairs = list(permutations(people, 2))
    return sum(other not in smallest[who] for who, other in pairs) / len(pairs)


def test_separation_equals_comparing_pairs():
    """It is the share of pairs that differ, over records and over entities."""

    def check(table, _):
        if table.size() > 1:
            assert measured(SEPARATION, table) == pytest.approx(pairs_apart(table), rel=1e-12)

    on_random_people(check, metric=SEPARATION)


def test_over_records_information_gain_is_the_entropy_lost():
    """H(Y) − Σ p(g)·H(Y|g), and the mutual information; distinction is combinations a record, exactly."""

    def check(table, _):
        gain, lost = measured(INFORMATION_GAIN, table), measured(GROUP_ENTROPY, table)
        assert gain == pytest.approx(entropy(list(table.shares().values()), base=2) - lost, abs=1e-12)
        labels = [[str(r[:2]) for r in table.records], [str(r[2]) for r in table.records]]
        assert gain == pytest.approx(mutual_info_score(*labels) / math.log(2), abs=1e-12)
        assert measured(DISTINCTION, table) == len(table.classes()) / len(table.records)

    on_random_people(check, metric=INFORMATION_GAIN, entities=False)
