"""What the host does with a strategy's best set: it goes on until no small change is better."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.sdk import StoppedBy, Termination

COLUMNS = "abcde"
SETS = ["".join(each) for size in range(1, 6) for each in itertools.combinations(COLUMNS, size)]
FIGURES = st.lists(st.integers(0, 20), min_size=31, max_size=31)
MORE = "8 more sets around the best ones were measured, and none better was found"


@pytest.fixture(scope="session")
def descend(searched):
    """Return a search that looks at one set only, with the host's descent; figures: word → fitness."""

    def run(figures, first, largest=None, **more):
        def look(problem):
            problem.evaluate([frozenset(first)])
            return Termination(reason="it had enough", **more)

        return searched(dict.fromkeys(SETS, 0) | figures, look, largest=largest, has_descent=True)

    return run


@settings(max_examples=examples(60))
@given(FIGURES, st.sampled_from(SETS), st.integers(1, 5))
def test_nothing_near_is_better_and_no_set_on_the_way(descend, values, first, largest):
    """A column less, more or exchanged is nowhere better, nor is a set by which the best is reached."""
    figures = dict(zip(SETS, values, strict=True))
    found = descend(figures, first[:largest], largest)
    best, fitness = found.best.qids, found.best.own_fitness
    assert fitness == figures["".join(sorted(best))]
    near = [best - {x} for x in best] + [best | {y} for y in COLUMNS]
    near += [best - {x} | {y} for x in best for y in COLUMNS]
    assert all(figures["".join(sorted(x))] <= fitness for x in near if 1 <= len(x) <= largest)
    inside: frozenset[str] = frozenset()
    for _ in range(len(best)):
        left = sorted(best - inside)
        inside |= {max(left, key=lambda y: figures["".join(sorted({*inside, y}))])}
        assert figures["".join(sorted(inside))] <= fitness


@pytest.mark.parametrize(
    ("figures", "first", "more", "expected"),
    [
        # two columns have to go at once, which no single change finds; the way to the set does
        ({"abc": 5, "a": 9}, "abc", {}, ("a", 9, None, "a better one was found")),
        # of equally good sets the first is the best, and one of its neighbors may be better than all
        ({"ae": 4}, "b", {"largest": 2}, ("ae", 4, None, "a better one was found")),
        # sets of the descent are evaluations like others; nothing more is measured of a proven optimum
        (dict.fromkeys(SETS, 1), "a", {}, ("a", 1, 9, MORE)),
        (dict.fromkeys(SETS, 1), "a", {"is_optimum": True}, ("a", 1, 1, "it had enough")),
    ],
)
def test_what_a_strategy_found_is_left_for_a_better_set_near_it(descend, figures, first, more, expected):
    """Parts and neighbors of it and of its equals are looked at, and what came of that is told."""
    best, fitness, evaluations, reason = expected
    found = descend(figures, first, **more)
    assert ("".join(sorted(found.best.qids)), found.best.own_fitness) == (best, fitness)
    assert evaluations in {None, found.evaluations}
    assert (found.reason.startswith("it had enough"), found.reason.endswith(reason)) == (True, True)
    assert found.is_optimum == ("is_optimum" in more)


def test_the_descent_has_the_end_of_the_budget(searched):
    """The strategy gets five sixths; what it leaves is the host's, and its end is told."""
    now, seen = iter(range(100_000)), []

    def look(problem):
        try:
            while True:
                problem.evaluate([frozenset(COLUMNS)])
        finally:
            seen.append(problem.seconds)

    more = {"budget_seconds": 6_000, "clock": lambda: next(now), "has_descent": True}
    found = searched({word: -len(word) for word in SETS}, look, **more)
    assert 5_000 <= seen[0] < 5_010
    assert (found.stopped_by, len(found.best.qids)) == (StoppedBy.BUDGET, 1)
