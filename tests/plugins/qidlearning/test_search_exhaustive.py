import math

import pytest

from qidguard import UserError
from qidguard.search.run import run_search
from qidguard_qidlearning.searches.exhaustive import Exhaustive
from written_figures import make_measurer, sum_of

SIZES = sum_of({"m": 1})


@pytest.mark.parametrize(
    ("largest", "largest_size", "sets", "is_optimum"),
    [(5, 0, 31, True), (5, 5, 31, True), (5, 9, 31, True), (2, 0, 15, True), (5, 2, 15, False)],
)
def test_every_set_up_to_a_size_is_measured_once(largest, largest_size, sets, is_optimum):
    """Of five columns; what it finds is the optimum where it measured all that the search allows."""
    measurer = make_measurer({"m": len})
    arguments = {"largest_size": largest_size}
    found = run_search(
        measurer, SIZES, Exhaustive(), candidates="abcde", largest=largest, arguments=arguments
    )
    assert (found.evaluations, len(set(measurer.asked)), found.is_optimum) == (sets, sets, is_optimum)
    assert [len(qids) for qids in measurer.asked] == sorted(len(qids) for qids in measurer.asked)


def test_too_many_sets_are_refused_before_the_first():
    """2²⁰ − 1 sets are more than a million; up to nine columns they are not."""
    measurer = make_measurer({"m": len})
    columns = "abcdefghijklmnopqrst"
    with pytest.raises(UserError, match="20 candidates have 1,048,575 of up to 20 columns; name a smaller"):
        run_search(measurer, SIZES, Exhaustive(), candidates=columns)
    assert measurer.asked == []
    assert sum(math.comb(20, size) for size in range(1, 10)) <= 1_000_000


def test_many_sets_go_in_batches():
    """8,191 sets of thirteen columns in two steps."""
    found = run_search(make_measurer({"m": len}), SIZES, Exhaustive(), candidates="abcdefghijklm")
    assert [moment.evaluations for moment in found.evolution] == [0, 4096, 8191]
