"""The choice of a way: the cheapest by the estimates, said in one sentence."""

import pytest

from qidguard.measuring.cost import MOST_BYTES, MeasuringWork, Path, planned, seconds

ADULT = {
    "rows": 32_537,
    "columns": 15,
    "groups": 1,
    "has_cells": False,
    "in_memory": True,
    "by_engine": False,
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sets": 1}, Path.SQL),
        ({"sets": 32_767}, Path.LATTICE),
        ({"sets": 1_940, "has_cells": True}, Path.LATTICE),
        ({"sets": None}, Path.REFINEMENT),
        ({"sets": None, "columns": 14, "has_cells": True}, Path.REFINEMENT),
        ({"sets": 32_767, "in_memory": False, "groups": 0}, Path.SQL),
        ({"sets": 32_767, "rows": 200_000_000}, Path.SQL),
    ],
)
def test_the_choice(changes, expected):
    """One set: SQL. All subsets: the lattice. A search: refinement. What arrays cannot hold or say: SQL."""
    plan = planned(MeasuringWork(**(ADULT | changes)), None)
    assert plan.path is expected
    assert plan.reason.endswith(".")
    assert plan.reason.count(". ") == 0


def test_the_choice_is_the_smallest_estimate():
    """The plan shows the estimates it was made by."""
    plan = planned(MeasuringWork(**ADULT, sets=100), None)
    assert plan.seconds == {path: seconds(path, MeasuringWork(**ADULT, sets=100)) for path in Path}
    assert plan.path is min(plan.seconds, key=plan.seconds.__getitem__)


def test_a_way_that_is_asked_for_is_taken():
    """Whatever the estimates say; SQL holds no memory of its own."""
    plans = [planned(MeasuringWork(**ADULT, sets=100), path) for path in Path]
    assert [plan.path for plan in plans] == list(Path)
    assert [plan.bytes > 0 for plan in plans] == [False, True, True]


def test_more_sets_never_cost_less():
    """Every estimate grows with the sets and with the rows."""
    for path in Path:
        few, many = (seconds(path, MeasuringWork(**ADULT, sets=sets)) for sets in (10, 1000))
        assert few < many
        assert seconds(path, MeasuringWork(**(ADULT | {"rows": 10}), sets=10)) < few


@pytest.mark.parametrize(("rows", "expected"), [(19_173_961, Path.LATTICE), (19_173_962, Path.SQL)])
def test_memory_holds_the_columns_and_a_margin(rows, expected):
    """Eight columns and six more arrays of 16 bytes a row: 4 GiB hold 19,173,961 rows."""
    work = MeasuringWork(**(ADULT | {"rows": rows, "columns": 8}), sets=255)
    assert work.bytes == rows * 14 * 16
    assert (work.bytes > MOST_BYTES) == (expected is Path.SQL)
    assert planned(work, None).path is expected
