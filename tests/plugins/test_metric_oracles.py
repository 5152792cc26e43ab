"""The metrics of classes against counting, record by record and without SQL."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import drawn_records, examples
from measured_people import agrees, measured, opened
from people import People
from plugged import chosen
from qidguard.anonymizing.in_memory import rehearse_on
from qidguard.core.parameter import bind
from qidguard.measuring.answers import safest
from qidguard.measuring.cost import Path
from qidguard.measuring.evaluator import measure
from qidguard.measuring.memory_records import memory_records
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.sdk import AnonymizationTask, Anonymized
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
        holds = [n for n in range(2, len(counts) + 1) if counts[0] < Fraction(str(c)) * sum(counts[n - 1 :])]
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
    row("journalist_risk_max", lambda t, population: max(1 / f for _, f in matched(t, population)), SLOW),
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
    *(row("recursive_l_diversity", partial(recursive_level, c=c), c=c) for c in (0.5, 1.1, 2.5)),
    row("alpha_k_anonymity", lambda t: max(max(p.values()) for p in shares(t))),
    row("beta_likeness", largest_gain),
    row("beta_likeness", enhanced_gain, enhanced=True),
    row("delta_disclosure", lambda t: max(log_ratios(t, absent=math.inf))),
    row("delta_disclosure", lambda t: max(log_ratios(t, absent=0)), absent="ignore"),
    row("t_closeness", lambda t: max(sum(abs(p - q) for p, q in found) / 2 for found in in_classes(t))),
    row("t_closeness_kl", lambda t: max(map(divergence, in_classes(t)))),
]


@pytest.mark.parametrize(("metric", "oracle", "options"), ORACLES)
def test_equals_counting(metric, oracle, options):
    """On random records and persons the engine's figure is the one counted."""
    agrees(BY_NAME[metric], oracle, **options)


class Cleaned(People):
    """People of whom nobody is wholly suppressed, ``*`` being no value."""

    def counts(self, records=None):
        """Count the persons of each value."""
        counts = super().counts(records)
        del counts["*"]
        return counts


def cleaned(table, qids, *, has_attribute):
    """Leave out the records that stand in no class, and beside an attribute classes with nothing to learn."""
    places = [table.columns.index(qid) for qid in qids]
    is_in = [any(record[place] != "*" for place in places) for record in table.records]
    records = [record for record, held in zip(table.records, is_in, strict=True) if held or not any(is_in)]
    if has_attribute:
        learned = {(a, b) for a, b, s, _ in records if s != "*"}
        records = [record for record in records if record[:2] in learned]
    return Cleaned(table.columns, tuple(records), table.entity)


def over(table, qids):
    """Let one value stand in the QIDs that nobody knows, so that they split no class."""
    records = ((a if "a" in qids else "*", b if "b" in qids else "*", s, w) for a, b, s, w in table.records)
    return People(table.columns, tuple(records), table.entity)


MARKED_VALUES = (["x", "y", "*", None], ["u", "v", "*", None], ["p", "q", "*", None], ["1", "2", "3"])
UNMARKED = (MARKED_VALUES[0], ["u", "v"], *MARKED_VALUES[2:])
"""Values of which b is never suppressed, so that in memory each set with b is measured, and not asked for."""
MARKED = [
    *drawn_records(MARKED_VALUES, tables=examples(8, fewest=1), records=8),
    *drawn_records(UNMARKED, tables=examples(8, fewest=1), records=9),
    (*(("*", "*", s, w) for s, w in ("p1", "q2", "p3")), ("x", "*", "*", "1")),
    (("*", "*", "*", "1"), ("*", "*", "p", "2")),
    (("x", "u", "*", "1"), ("x", "u", "*", "2"), ("*", "*", "p", "3")),
]
"""Tables with every kind of suppression; in the last ones few classes are left, or none to learn from."""
SETS = (("a",), ("b",), ("a", "b"))


def asked_of(rows):
    """Ask for the metrics of rows, none of which needs a population."""
    return [
        Question(metric=m, arguments=bind(m.parameters, options), attribute=m.attribute and "s", owner="o")
        for m, options in ((BY_NAME[metric], options) for metric, _, options in rows)
    ]


def by_statements(table, questions):
    """Measure by SQL."""
    every = [replace(one, qids=qids) for qids in SETS for one in questions]
    return np.array([one.value for one in measure(table, every)], dtype=float).reshape(len(SETS), -1)


def by_walk(path):
    """Measure all sets in memory."""
    return lambda table, questions: SubsetMeasurer(table, "ab", questions, path=path).every([1, 2]).values


class Nothing:
    """An anonymizer that changes nothing."""

    name = title = "nothing"
    parameters = ()

    def anonymize(self, records, arguments, task):
        """Keep all."""
        return Anonymized(kept=np.ones(records.records, dtype=np.bool_))


def by_rehearsal(table, questions):
    """Measure the table as an anonymizer that changes nothing rehearses it."""
    task = AnonymizationTask(combinations=(("a", "b"),), entity=table.entity, sensitive=("s",), seed=0)
    held = memory_records(table, tuple("abs"))
    return by_statements(rehearse_on(held, chosen(Nothing()), task).view, questions)


WAYS = {
    "sql": by_statements,
    "lattice": by_walk(Path.LATTICE),
    "refinement": by_walk(Path.REFINEMENT),
    "rehearsal": by_rehearsal,
}


@pytest.mark.samples(4)
@pytest.mark.parametrize("entity", [False, True], ids=["records", "persons"])
@pytest.mark.parametrize("way", WAYS)
def test_a_suppressed_value_is_no_value(way, entity):
    """On every set of QIDs each way tells what is counted where the suppressed is left out."""
    rows = [param.values for param in ORACLES if not BY_NAME[param.values[0]].needs_population]
    questions = asked_of(rows)

    def check(records):
        table = People(tuple("absw"), records, entity)
        actual = WAYS[way](opened(table, mark="*"), questions)
        for qids, figures in zip(SETS, actual.tolist(), strict=True):
            for (name, oracle, _), found in zip(rows, figures, strict=True):
                metric = BY_NAME[name]
                seen = cleaned(over(table, qids), qids, has_attribute=metric.attribute is not None)
                expected = oracle(seen) if seen.records else safest(metric)
                assert found == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, qids)

    for records in MARKED:
        check(records)

    @settings(max_examples=examples(40, fewest=1), deadline=None, derandomize=True, database=None)
    @given(st.lists(st.tuples(*map(st.sampled_from, MARKED_VALUES)), min_size=1, max_size=8))
    def run(records):
        check(tuple(records))

    run()


@pytest.mark.parametrize(
    ("name", "oracle", "options"), [p for p in ORACLES if BY_NAME[p.values[0]].needs_population]
)
def test_of_a_population_nobody_suppressed_is_counted(name, oracle, options):
    """Classes of the population are of those whose QIDs are published, whoever is suppressed in the table."""
    for records in MARKED[:-3]:
        others = tuple((a, b, s, f"other {w}") for a, b, s, w in (*records, ("*", "*", "p", "9")))
        table = People(tuple("absw"), records)
        population = People(tuple("absw"), records + others)
        seen, around = (cleaned(one, "ab", has_attribute=False) for one in (table, population))
        actual = measured(BY_NAME[name], table, population=population, mark="*", **options)
        assert oracle(seen, population=around) == pytest.approx(actual, rel=1e-12, abs=1e-12)
