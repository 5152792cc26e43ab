import pytest

from qidguard.sdk import Termination
from qidguard.search.run import run_search
from qidguard_qidlearning.searches import space
from written_figures import Strategy, make_measurer, sum_of

VALUES = {"a": 1, "b": 1, "c": 0, "ab": 3, "ac": 2, "bc": 4}


@pytest.fixture
def climbed():
    """Return a function that climbs from a set, with sets of up to two of three columns."""

    def climb(start):
        tops = []

        def search(problem, _arguments, _seed):
            begin = problem.evaluate([frozenset(start)])[0]
            tops.append(space.climb(problem, space.SetSpace.of(problem), begin))
            return Termination()

        measurer = make_measurer({"m": lambda qids: VALUES["".join(sorted(qids))]})
        run_search(measurer, sum_of({"m": 1}), Strategy(search), candidates="abc", largest=2)
        return "".join(sorted(tops[0].qids)), ["".join(sorted(qids)) for qids in measurer.asked]

    return climb


def test_it_exchanges_a_column_where_no_flip_is_better(climbed):
    """From a to ab (3) by a flip; a and b alone are worse, and bc (4) is a swap away."""
    assert climbed("a")[0] == "bc"


def test_flips_come_first(climbed):
    """From c (0) to bc (4) at once; only there swaps are looked at, and none is better."""
    top, asked = climbed("c")
    assert (top, asked) == ("bc", ["c", "ac", "bc", "b", "ab"])


def test_very_many_swaps_are_not_looked_at(climbed, monkeypatch):
    """A table of hundreds of columns stays with flips."""
    monkeypatch.setattr(space, "MOST_SWAPS", 1)
    assert climbed("a")[0] == "ab"
