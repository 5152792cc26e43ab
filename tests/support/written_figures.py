"""Searches over figures that are written down: no table, every number checkable by hand."""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from qidguard.measuring.question import Question
from qidguard.sdk import Direction, Explanation, Metric, Objective, TableFunction, Term, Unit

WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))


def metric(name, **facts):
    """Return a metric; what it measures is the fake measurer's business."""
    fields = {
        "title": name,
        "unit": Unit.SCORE,
        "minimum": -math.inf,
        "maximum": math.inf,
        "direction": Direction.NEITHER,
        "method": TableFunction(measure=lambda *_: 0),
        "explanation": WORDS,
    }
    return Metric(name=name, **(fields | facts))


@dataclass
class FakeMeasurer:
    """Measures by plain functions of a set; remembers what it was asked."""

    functions: dict
    questions: tuple = ()
    asked: list = field(default_factory=list)
    before: object = lambda _sets: None

    def measure(self, sets):
        """Return one figure for each function."""
        self.before(sets)
        self.asked += sets
        rows = [[f(qids) for f in self.functions.values()] for qids in sets]
        return np.array(rows, np.float64).reshape(len(sets), len(self.functions))

    def reason(self, qids, figure):
        """Return a sentence where there is no figure."""
        value = list(self.functions.values())[figure](qids)
        return f"figure {figure} of {len(qids)} columns does not exist" if math.isnan(value) else ""


class Strategy:
    """A strategy made of a function of the problem."""

    name = "fake"
    title = "Fake"
    parameters = ()

    def __init__(self, search, parameters=()):
        self._search = search
        self.parameters = parameters

    def search(self, problem, arguments, seed):
        """Call the function."""
        return self._search(problem, arguments, seed)


def make_measurer(functions, facts=None, **more):
    """Return a measurer of plain functions, by name; facts of their metrics by name."""
    questions = tuple(
        Question(metric=metric(name, **(facts or {}).get(name, {})), arguments={}) for name in functions
    )
    return FakeMeasurer(functions, questions, **more)


def sum_of(weights, divisors=None):
    """Return an objective: metric → weight, then the divisors."""
    terms = tuple(Term(metric=name, weight=weight) for name, weight in weights.items())
    by = tuple(Term(metric=name, weight=weight) for name, weight in (divisors or {}).items())
    return Objective(name="fake", title="Fake", terms=terms, divisors=by)


FACTS = {
    "distinction": {
        "is_monotone": True,
        "direction": Direction.LOWER_IS_SAFER,
        "minimum": 0.0,
        "maximum": 1.0,
    },
    "separation": {
        "is_monotone": True,
        "direction": Direction.LOWER_IS_SAFER,
        "minimum": 0.0,
        "maximum": 1.0,
    },
    "mean_class_size": {"is_monotone": True, "direction": Direction.HIGHER_IS_SAFER, "minimum": 1.0},
    "delta_distinction": {"change_of": "distinction"},
    "delta_separation": {"change_of": "separation"},
    "attribute_length_penalty": {"is_of_size": True, "minimum": 0.5, "maximum": 1.0},
}
"""What the metrics of the paper's listing are."""


def counted(records, columns):
    """Return the measurer of the paper's listing on records, one letter a value, counted in plain Python."""
    places = {name: i for i, name in enumerate(columns)}

    @cache
    def sizes(qids):
        return Counter(tuple(record[places[name]] for name in sorted(qids)) for record in records).values()

    def separation(qids):
        n = len(records)
        return 1 - sum(size * (size - 1) for size in sizes(qids)) / (n * (n - 1))

    def penalty(qids):
        chosen, every = len(qids), len(columns) + 1
        return (chosen / every) ** 2 + ((every - chosen) / every) ** 2

    functions = {
        "distinction": lambda qids: len(sizes(qids)) / len(records),
        "separation": separation,
        "mean_class_size": lambda qids: len(records) / len(sizes(qids)),
        "delta_distinction": lambda _: math.nan,
        "delta_separation": lambda _: math.nan,
        "attribute_length_penalty": penalty,
    }
    return make_measurer(functions, FACTS)


def letters(seed, *, columns=6, records=30):
    """Return records of letters; the first columns have more values than the last ones."""
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, max(2, 9 - 2 * i), records) for i in range(columns)]
    return ["".join("abcdefghij"[v] for v in record) for record in zip(*values, strict=True)]


def without_times(result):
    """Return a search result without its times, which no seed decides."""
    evolution = tuple(replace(moment, seconds=0) for moment in result.evolution)
    return replace(result, seconds=0, evolution=evolution)
