"""SQI against counting sets of values, and what follows from counting distinct values."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.sdk import DataError, UserError
from qidguard_qir.example import small
from qidguard_qir.sqi import MOST_NOMINATED, NOMINATED, CountedSet, nominate, select

NAMES = ("a", "b", "c", "d")
RECORDS = st.lists(st.tuples(*[st.sampled_from(["1", "2", "3", None])] * len(NAMES)), min_size=1, max_size=9)


def table(records):
    """Return records as a table of four columns."""
    return small(**{name: [record[at] for record in records] for at, name in enumerate(NAMES)})


def counted(records, some):
    """Count the distinct combinations of values of some columns."""
    return len({tuple(record[NAMES.index(name)] for name in some) for record in records})


@given(records=RECORDS)
def test_every_set_by_counting(records):
    """Each of the fifteen sets has the count of a set of tuples, and the order is that which is stated."""
    found = select(table(records), NAMES)
    sets = [some for size in range(1, 5) for some in combinations(NAMES, size)]
    expected = sorted(sets, key=lambda some: (-counted(records, some), len(some), some))
    assert [CountedSet(columns=some, distinct=counted(records, some)) for some in expected] == list(
        found.sets
    )
    # no attribute takes a combination away, so all of them together have the most
    assert NAMES in (found.quasi_identifiers, *found.tied)


@given(records=RECORDS)
def test_selective_takes_the_most_distinct_attribute(records):
    """Selective looks at single attributes, of equals the first."""
    best = max(NAMES, key=lambda name: (counted(records, name), -NAMES.index(name)))
    assert (best,) == select(table(records), NAMES, algorithm="selective").quasi_identifiers


def test_unique_values_win_alone():
    """A record number has as many values as any set that holds it, so both algorithms take it alone."""
    numbered = small(number=["1", "2", "3"], age=["30", "30", "41"])
    assert select(numbered).quasi_identifiers == ("number",)
    assert select(numbered, algorithm="selective").quasi_identifiers == ("number",)


def test_nominated_order_is_the_tables():
    """The order in which attributes are nominated decides nothing."""
    two = small(a=["1", "2"], b=["1", "2"])
    assert select(two, ["b", "a"]) == select(two, ["a", "b"])
    assert select(two, ["b", "a"]).quasi_identifiers == ("a",)


def test_eight_are_nominated_where_nobody_does():
    """Of nine columns the one with the fewest values is left out, and the table's order is kept."""
    columns = {f"c{i}": [str(row % (i + 2)) for row in range(12)] for i in range(NOMINATED + 1)}
    made = small(**columns)
    assert nominate(made, made.names) == tuple(columns)[1:]
    assert select(made).nominated == tuple(columns)[1:]


@pytest.mark.parametrize(
    ("nominated", "algorithm", "error", "words"),
    [
        ([], "decompose", UserError, "at least one"),
        (["a", "a"], "decompose", UserError, "each once"),
        (
            [f"c{i}" for i in range(11)],
            "decompose",
            UserError,
            f"make 2,047; nominate at most {MOST_NOMINATED}",
        ),
        (["a"], "best", UserError, "selective and decompose"),
        (["x"], "decompose", DataError, "'x'"),
    ],
)
def test_what_is_refused(nominated, algorithm, error, words):
    """Nothing, one twice, too many, an unknown algorithm and an unknown column are errors that say so."""
    with pytest.raises(error, match=words):
        select(small(a=["1", "2"], b=["1", "1"]), nominated, algorithm=algorithm)
