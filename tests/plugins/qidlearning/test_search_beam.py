import pytest

from qidguard.sdk import Direction
from qidguard.search.run import run_search
from qidguard_qidlearning.searches.beam import Beam
from qidguard_qidlearning.searches.exhaustive import Exhaustive
from written_figures import counted, letters, make_measurer, sum_of

COLUMNS = "uvwxyz"


def grown(values, width, **more):
    """Return the sets that a beam search measured, as words, and its result."""
    measurer = make_measurer({"m": lambda qids: values.get("".join(sorted(qids)), 0.0)})
    arguments = {"width": width} | more
    found = run_search(measurer, sum_of({"m": 1}), Beam(), candidates="abcd", arguments=arguments)
    return ["".join(sorted(qids)) for qids in measurer.asked], found


def test_only_the_best_sets_of_a_size_are_grown():
    """Of a 3, b 2, c 1 the width of two keeps a and b: cd is never seen; then ab 5 and bd 4 are kept."""
    asked, found = grown({"a": 3, "b": 2, "c": 1, "ab": 5, "bd": 4, "cd": 99}, 2)
    assert asked == ["a", "b", "c", "d", "ab", "ac", "ad", "bc", "bd", "abc", "abd", "bcd", "abcd"]
    assert found.best.qids == frozenset("ab")
    assert not found.is_optimum


def test_a_beam_that_drops_nothing_has_seen_everything():
    """Six sets of two columns are the most: a width of six proves its optimum, one of five does not."""
    values = {"a": 3, "b": 2, "c": 1, "cd": 99}
    asked, found = grown(values, 6)
    assert len(asked) == 15
    assert (found.best.qids, found.is_optimum) == (frozenset("cd"), True)
    assert not grown(values, 5)[1].is_optimum


def test_it_ends_where_patience_does():
    """One column is best; two sizes later it ends, and what was not grown is not proven."""
    asked, found = grown({"a": 1.0}, 9, patience=2)
    assert {len(word) for word in asked} == {1, 2, 3}
    assert not found.is_optimum


@pytest.mark.parametrize("seed", [0, 1, 3, 4])
def test_bounds_prove_what_they_can(seed):
    """Adding a column can only be worse here, so no dropped set leads to a better one."""
    measurer = counted(letters(seed), COLUMNS)
    objective = sum_of(dict.fromkeys(measurer.functions, 0.0) | {"separation": -1.0})
    found = run_search(measurer, objective, Beam(), candidates=COLUMNS, arguments={"width": 1})
    assert found.is_optimum
    assert found.evaluations < 63
    assert found.best == run_search(measurer, objective, Exhaustive(), candidates=COLUMNS).best


def test_a_dropped_set_that_may_lead_higher_is_no_proof():
    """The best set cd (3.9 − 0.6) grows from c, which a width of one drops; c may reach 3.9 − 0.3 > 2.7."""
    values = {"a": 3.0, "cd": 3.9}
    functions = {
        "m": lambda qids: max([2.0, *(v for word, v in values.items() if qids >= set(word))]),
        "size": len,
    }
    facts = {"m": {"is_monotone": True, "direction": Direction.LOWER_IS_SAFER}, "size": {"is_of_size": True}}
    measurer = make_measurer(functions, facts)
    objective = sum_of({"m": 1, "size": -0.3})
    found = run_search(measurer, objective, Beam(), candidates="abcd", arguments={"width": 1})
    assert found.best.qids == frozenset("a")
    assert not found.is_optimum
    wide = run_search(measurer, objective, Beam(), candidates="abcd", arguments={"width": 4})
    assert wide.best.qids == frozenset("cd")


@pytest.mark.samples(28)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("width", [1, 2, 5])
def test_a_proof_is_never_wrong(seed, width):
    """Whenever it says optimum, an exhaustive search finds no better set."""
    measurer = counted(letters(seed, records=12), COLUMNS)
    weights = {"distinction": 1.0, "separation": -0.5, "attribute_length_penalty": -1.0 - seed / 4}
    objective = sum_of(dict.fromkeys(measurer.functions, 0.0) | weights)
    found = run_search(measurer, objective, Beam(), candidates=COLUMNS, arguments={"width": width})
    best = run_search(measurer, objective, Exhaustive(), candidates=COLUMNS).best
    assert found.best.fitness == best.fitness or not found.is_optimum
