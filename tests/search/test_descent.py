"""Tests of what the host does with a strategy's best set: it goes on until no small change is better."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import written_figures
from examples import examples
from qidguard.sdk import StoppedBy, Termination
from qidguard.search.run import run_search

FIGURES = st.lists(st.integers(0, 20), min_size=31, max_size=31)
SETS = ["".join(each) for size in range(1, 6) for each in itertools.combinations("abcde", size)]


def searched(figures, *first, largest=None, **more):
    """Return a search that looks at some sets only, with the host's descent; figures: word → fitness."""

    def search(problem, _arguments, _seed):
        problem.evaluate([frozenset(word) for word in first])
        return Termination(reason="it had enough", **more)

    measurer = written_figures.make_measurer({"m": lambda qids: figures["".join(sorted(qids))]})
    return run_search(
        measurer,
        written_figures.sum_of({"m": 1.0}),
        written_figures.Strategy(search),
        candidates=tuple("abcde"),
        largest=largest,
        has_descent=True,
    )


@settings(max_examples=examples(60))
@given(FIGURES, st.sampled_from(SETS), st.integers(1, 5))
def test_nothing_near_is_better_and_no_set_on_the_way(values, first, largest):
    """A column less, more or exchanged is nowhere better, nor is a set by which the best is reached."""
    figures = dict(zip(SETS, values, strict=True))
    first = first[:largest]
    found = searched(figures, first, largest=largest)
    best = found.best.qids
    fitness = found.best.own_fitness
    assert fitness == figures["".join(sorted(best))]
    near = [best - {x} for x in best] + [best | {y} for y in "abcde"]
    near += [best - {x} | {y} for x in best for y in "abcde"]
    assert all(figures["".join(sorted(x))] <= fitness for x in near if 1 <= len(x) <= largest)
    inside: frozenset[str] = frozenset()
    for _ in range(len(best)):
        left = sorted(best - inside)
        inside |= {max(left, key=lambda y: figures["".join(sorted({*inside, y}))])}
        assert figures["".join(sorted(inside))] <= fitness


def test_a_part_of_what_a_strategy_found_takes_its_place():
    """Two columns have to go at once, which no single change finds; the way to the set does."""
    figures = dict.fromkeys(SETS, 0) | {"abc": 5, "a": 9}
    found = searched(figures, "abc")
    assert (found.best.qids, found.best.own_fitness) == (frozenset("a"), 9)
    assert "and a better one was found" in found.reason
    assert found.reason.startswith("it had enough; ")


def test_what_is_near_to_the_smallest_of_equals_is_looked_at():
    """Of equally good sets the first is the best, and one of its neighbors may be better than all."""
    figures = dict.fromkeys(SETS, 0) | {"ae": 4}
    assert searched(figures, "b", largest=2).best.qids == frozenset("ae")


def test_what_is_measured_counts():
    """The sets of the descent are evaluations like others."""
    found = searched(dict.fromkeys(SETS, 1), "a")
    assert found.evaluations == 9
    assert found.reason == (
        "it had enough; 8 more sets around the best ones were measured, and none better was found"
    )


def test_a_proven_optimum_is_left_as_it_is():
    """Nothing more is measured."""
    found = searched(dict.fromkeys(SETS, 1), "a", is_optimum=True)
    assert (found.evaluations, found.reason, found.is_optimum) == (1, "it had enough", True)


def test_the_descent_has_the_end_of_the_budget():
    """The strategy gets five sixths; what it leaves is the host's, and its end is told."""
    now = iter(range(100_000))
    seen = []

    def search(problem, _arguments, _seed):
        try:
            while True:
                problem.evaluate([frozenset("abcde")])
        finally:
            seen.append(problem.seconds)

    figures = {word: -len(word) for word in SETS}
    measurer = written_figures.make_measurer({"m": lambda qids: figures["".join(sorted(qids))]})
    found = run_search(
        measurer,
        written_figures.sum_of({"m": 1.0}),
        written_figures.Strategy(search),
        candidates=tuple("abcde"),
        budget_seconds=6_000,
        clock=lambda: next(now),
        has_descent=True,
    )
    assert 5_000 <= seen[0] < 5_010
    assert found.stopped_by is StoppedBy.BUDGET
    assert len(found.best.qids) == 1


def test_no_time_is_said_as_ever():
    """A budget that ended before the first set is a mistake of the user, as without a descent."""
    from qidguard.sdk import UserError

    measurer = written_figures.make_measurer({"m": lambda _: 1})
    with pytest.raises(UserError, match="ended before the first set"):
        run_search(
            measurer,
            written_figures.sum_of({"m": 1.0}),
            written_figures.Strategy(lambda p, *_: p.evaluate([frozenset("a")])),
            candidates=("a", "b"),
            budget_seconds=0,
            has_descent=True,
        )
