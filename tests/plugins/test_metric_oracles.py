"""The metrics of classes against counting, record by record and without SQL."""

import math
from fractions import Fraction

import pytest

from qidguard_standard.metrics import METRICS

BY_NAME = {metric.name: metric for metric in METRICS}


def sizes(table):
    """Count the persons of each class."""
    return [table.size(members) for members in table.classes().values()]


def risks(table):
    """Take 1/size for each person, by their smallest class."""
    return [1 / size for size in table.smallest()]


def share(table, holds):
    """Count the persons whose smallest class has such a size, of all."""
    found = table.smallest()
    return sum(map(holds, found)) / len(found)


def is_above_a_third(size):
    """Compare 1/size with 0.33 in fractions."""
    return Fraction(1, size) > Fraction(33, 100)


def matched(table, population):
    """Count for each class of the table its persons here and in the population."""
    found = population.classes()
    return [(table.size(members), population.size(found[qids])) for qids, members in table.classes().items()]


def capped(table, persons):
    """Take persons who are added over classes as a share of all, at most everyone."""
    return min(1, sum(persons) / table.size())


def presence(table, population):
    """Take the share of each class of the population that is in the table."""
    inside = table.classes()
    return [
        table.size(inside.get(qids, ())) / population.size(members)
        for qids, members in population.classes().items()
    ]


def homogeneous(table):
    """Count the persons of every class with one value, at most everyone."""
    found = sum(table.size(m) for m in table.classes().values() if len(table.counts(m)) == 1)
    return min(table.size(), found)


def shares(table):
    """Take each value's share in each class."""
    return [table.shares(members) for members in table.classes().values()]


def recursive_level(table, c=3):
    """Try l = 2, 3, … in every class with whole numbers."""

    def level(members):
        counts = sorted(table.counts(members).values(), reverse=True)
        holds = [n for n in range(2, len(counts) + 1) if counts[0] < c * sum(counts[n - 1 :])]
        return max(holds, default=1)

    return min(level(members) for members in table.classes().values())


def in_classes(table):
    """Take for each class the shares p there and q in the table of every value of the table."""
    q = table.shares()
    return [[(p.get(value, 0), q[value]) for value in q] for p in shares(table)]


def pairs(table):
    """Take the same of all classes together."""
    return [pair for found in in_classes(table) for pair in found]


def largest_gain(table):
    """Take the largest p/q over classes and values, minus one."""
    return max(p / q for p, q in pairs(table)) - 1


def enhanced_gain(table):
    """Compute the same, infinite where a gain is above −ln q."""
    is_above = any(p > q and p / q - 1 > -math.log(q) + 1e-9 for p, q in pairs(table))
    return math.inf if is_above else largest_gain(table)


def log_ratios(table, absent):
    """Take |ln p − ln q| over all values of the table in each class, with a figure for an absent one."""
    return [abs(math.log(p) - math.log(q)) if p else absent for p, q in pairs(table)]


def divergence(found):
    """Subtract a class's entropy from its cross entropy with the table."""
    present = [(p, q) for p, q in found if p]
    return sum(-p * math.log(q) for p, q in present) - sum(-p * math.log(p) for p, _ in present)


def row(metric, oracle, marks=(), **options):
    """Return the row of a metric, measured with options."""
    return pytest.param(metric, oracle, options, marks=marks, id=" ".join([metric, *options]))


SLOW = pytest.mark.slow
ORACLES = [
    row("k_anonymity", lambda t: min(sizes(t))),
    row("prosecutor_risk_max", lambda t: max(risks(t))),
    row("prosecutor_risk_average", lambda t: sum(risks(t)) / len(t.smallest())),
    row("prosecutor_share_above", lambda t: share(t, is_above_a_third), threshold=0.33),
    row("marketer_risk", lambda t: sum(risks(t)) / len(t.smallest())),
    row("sample_uniques", lambda t: t.smallest().count(1)),
    row("share_unique", lambda t: share(t, lambda size: size == 1)),
    row("share_below_k", lambda t: share(t, lambda size: size < 3), k=3),
    row("persons_below_k", lambda t: sum(size < 3 for size in t.smallest()), k=3),
    row("share_homogeneous", lambda t: homogeneous(t) / t.size()),
    row("persons_homogeneous", homogeneous),
    row("discernibility", lambda t: sum(size**2 for size in sizes(t))),
    row("average_class_size", lambda t: sum(sizes(t)) / len(sizes(t))),
    row(
        "journalist_risk_max",
        lambda t, population: max(1 / f for _, f in matched(t, population)),
        SLOW,
    ),
    row(
        "journalist_risk_average",
        lambda t, population: capped(t, [n / f for n, f in matched(t, population)]),
        SLOW,
    ),
    row(
        "journalist_share_above",
        lambda t, population: capped(t, [n for n, f in matched(t, population) if is_above_a_third(f)]),
        threshold=0.33,
    ),
    row("k_map", lambda t, population: min(f for _, f in matched(t, population))),
    row("delta_presence_min", lambda t, population: min(presence(t, population)), SLOW),
    row("delta_presence_max", lambda t, population: max(presence(t, population)), SLOW),
    row("distinct_l_diversity", lambda t: min(len(p) for p in shares(t))),
    # exp of the entropy, without logarithms
    row("entropy_l_diversity", lambda t: min(math.prod(p**-p for p in one.values()) for one in shares(t))),
    row("recursive_l_diversity", recursive_level),
    row("alpha_k_anonymity", lambda t: max(max(p.values()) for p in shares(t))),
    row("beta_likeness", largest_gain),
    row("beta_likeness", enhanced_gain, enhanced=True),
    row("delta_disclosure", lambda t: max(log_ratios(t, absent=math.inf))),
    row("delta_disclosure", lambda t: max(log_ratios(t, absent=0)), absent="ignore"),
    row("t_closeness", lambda t: max(sum(abs(p - q) for p, q in found) / 2 for found in in_classes(t))),
    row("t_closeness_kl", lambda t: max(map(divergence, in_classes(t)))),
]


@pytest.mark.parametrize(("metric", "oracle", "options"), ORACLES)
def test_equals_counting(agrees, metric, oracle, options):
    """On random records and persons the engine's figure is the one counted."""
    agrees(BY_NAME[metric], oracle, **options)
