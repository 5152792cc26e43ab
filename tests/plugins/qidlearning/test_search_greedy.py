from qidguard.sdk import Objective, Term
from qidguard.search.run import run_search
from qidguard_qidlearning.searches.greedy import Greedy
from written_figures import make_measurer, sum_of

HILLS = {"a": 1, "b": 3, "c": 2, "ab": 4, "ac": 9, "bc": 5, "abc": 4.5}


def searched(values, objective=None, **more):
    """Run a greedy search on written-down values."""
    measurer = make_measurer({"m": lambda qids: values["".join(sorted(qids))]})
    found = run_search(measurer, objective or sum_of({"m": 1}), Greedy(), candidates="abc", **more)
    return found, measurer


def test_it_climbs_the_nearest_hill():
    """From b (3) to bc (5); of its neighbors b, c, abc none is better, and ac (9) is not among them."""
    found, measurer = searched(HILLS)
    assert found.best.qids == frozenset("bc")
    assert [moment.best for moment in found.evolution] == [3.0, 5.0, 5.0]
    assert frozenset("ac") not in measurer.asked
    assert found.reason == "no neighbor is better after 1 moves"
    assert not found.is_optimum


def test_a_random_start_may_find_another_hill():
    """By the seed; both hills are found."""
    ends = {
        "".join(sorted(searched(HILLS, seed=seed, arguments={"start": "random"})[0].best.qids))
        for seed in range(20)
    }
    assert ends == {"ac", "bc"}


def test_changes_count_from_the_current_set():
    """Without the change ab (3.5) is no better than b (4); with 1·Δ it is: 3.5 + (5 − 4) > 4."""
    m = {"a": 0, "b": 4, "ab": 3.5}
    n = {"a": 0, "b": 4, "ab": 5}
    functions = {
        "m": lambda qids: m["".join(sorted(qids))],
        "delta_n": lambda _: 0,
        "n": lambda qids: n["".join(sorted(qids))],
    }
    measurer = make_measurer(functions, {"delta_n": {"change_of": "n"}})
    objective = Objective(
        name="x", title="X", terms=(Term(metric="m"), Term(metric="delta_n"), Term(metric="n", weight=0))
    )
    found = run_search(measurer, objective, Greedy(), candidates="ab")
    assert found.reason == "no neighbor is better after 1 moves"
    assert found.best.qids == frozenset("b")


def test_a_circle_of_changes_ends():
    """By a ratio ab looks better from a, (−0.5 + 1) / 0.1 > 0, and a from ab, (0 − 1) / 1 > −5."""
    n, m, by = {"a": 0, "b": -9, "ab": -0.5}, {"a": 0, "b": 0, "ab": 1}, {"a": 1, "b": 1, "ab": 0.1}
    functions = {
        "n": lambda qids: n["".join(sorted(qids))],
        "delta_m": lambda _: 0,
        "by": lambda qids: by["".join(sorted(qids))],
        "m": lambda qids: m["".join(sorted(qids))],
    }
    measurer = make_measurer(functions, {"delta_m": {"change_of": "m"}})
    ratio = sum_of({"n": 1, "delta_m": 1}, {"by": 1})
    found = run_search(measurer, ratio, Greedy(), candidates="ab")
    assert found.reason == "no neighbor is better after 1 moves"
    assert found.best.qids == frozenset("a")
