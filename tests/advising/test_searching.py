"""The cheapest change that counting finds is the one that trying every combination of levels finds."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.advising import searching
from qidguard.advising.classes import ClassLimit, DistinctRows
from qidguard.advising.levels import ColumnOptions, Option
from qidguard.advising.searching import Excluded, OptionSearch

GROUPS = ([0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0])
COSTS = ((0.0, 0.3, 1.0), (0.0, 0.2, 1.0), (0.0, 0.45, 1.0))


def columns(costs=COSTS):
    """Return columns of four values with pairs as their middle level, and what each level costs."""
    return [
        ColumnOptions(
            name=name,
            options=tuple(
                Option(level=level, groups=np.array(groups, dtype=np.int32), ncp=ncp)
                for level, (groups, ncp) in enumerate(zip(GROUPS, own, strict=True))
            ),
        )
        for name, own in zip("abc", costs, strict=True)
    ]


def search_in(codes, k, most, person=None, **more):
    """Return the search for levels with classes of k, where at most so many persons are left out."""
    rows = DistinctRows.of(np.asarray(codes, dtype=np.int32), person=person)
    limits = [ClassLimit(columns=(0, 1, 2), persons=k)]
    return OptionSearch(rows=rows, limits=limits, columns=columns(), most_left_out=most, **more)


def tried(codes, k, most, person=None):
    """Return the least loss of any levels with which at most so many persons are left out, by pandas."""
    found = []
    for state in product(range(3), repeat=3):
        levels = {at: np.array(GROUPS[level])[codes[:, at]] for at, level in enumerate(state)}
        table = pd.DataFrame(levels).assign(who=np.arange(len(codes)) if person is None else person)
        few = table.groupby([0, 1, 2])["who"].transform("nunique") < k
        if table[few]["who"].nunique() <= most and not few.all():
            ncp = np.mean([COSTS[at][level] for at, level in enumerate(state)])
            found.append((ncp * (1 - few.mean()) + few.mean(), state))
    return min(found, default=None)


@st.composite
def tables(draw):
    """Return codes of three columns, and whose each record is."""
    size = draw(st.integers(2, 30))
    code = st.integers(0, 3)
    rows = draw(st.lists(st.tuples(code, code, code), min_size=size, max_size=size))
    persons = draw(st.lists(st.integers(0, 15), min_size=size, max_size=size))
    return np.array(rows, dtype=np.int32), np.array(persons)


@pytest.mark.slow
@settings(max_examples=examples(15))
@given(tables(), st.integers(2, 4), st.integers(0, 4), st.booleans())
def test_the_cheapest_is_the_cheapest_of_all(table, k, most, has_entities):
    """On a lattice of 27 nodes, whatever may be left out, and however many records a person has."""
    codes, person = table
    person = person if has_entities else None
    search = search_in(codes, k, most, person)
    found, wanted = search.best(Excluded()), tried(codes, k, most, person)
    assert (found is None) == (wanted is None)
    if found is not None:
        assert found.loss == pytest.approx(wanted[0])
        assert search.is_exact


@pytest.mark.slow
@settings(max_examples=examples(15))
@given(tables(), st.integers(2, 4))
def test_the_beam_finds_what_passes(table, k):
    """Where there are too many levels to look at all, what is found is no cheaper than the best."""
    codes, _ = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "MOST_NODES", 5)
        search = search_in(codes, k, 1)
        found = search.best(Excluded())
        assert not search.is_exact
    wanted = tried(codes, k, 1)
    assert (found is None) == (wanted is None)
    if found is not None:
        assert found.loss >= wanted[0] - 1e-12


def test_what_is_coarser_than_what_is_told_is_not_asked_for():
    """The next one is no generalization of one that is told, unless it leaves nobody out where that does."""
    search = search_in([[0, 0, 0], [0, 0, 0], [1, 1, 1], [2, 2, 2], [2, 2, 2]], 2, 1)
    first = search.best(Excluded())
    assert (first.state, first.persons) == ((0, 0, 0), 1)
    second = search.best(Excluded(told=[first]))
    assert (second.state, second.persons) == ((1, 1, 1), 0)
    assert search.best(Excluded(told=[first, second])) is None


def test_what_is_refused_is_not_asked_for_again():
    """An audit that refuses a state, or a column on a level, leaves the next cheapest."""
    search = search_in([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], 4, 0)
    assert search.best(Excluded()).state == (1, 1, 0)
    assert search.best(Excluded(states={(1, 1, 0)})).state == (1, 1, 1)
    assert search.best(Excluded(places={(1, 1): None})).state == (1, 2, 0)


def test_a_search_without_time_says_so():
    """Past its deadline a search counts nothing more, and is no longer exact."""
    search = search_in([[0, 0, 0], [1, 1, 1]], 2, 0, deadline=0.0)
    assert search.best(Excluded()) is None
    assert (search.is_cut_short, search.is_exact) == (True, False)


@pytest.mark.slow
def test_enumerating_alone_finds_the_cheapest(monkeypatch):
    """Without a good start the exact search finds the same: no bound cuts off what is cheapest."""
    for name in ("_descend", "_beam", "_polish"):
        monkeypatch.setattr(OptionSearch, name, lambda *_: None)
    drawn = np.random.default_rng(3)
    for _ in range(12):
        codes = drawn.integers(0, 4, (25, 3)).astype(np.int32)
        found, wanted = search_in(codes, 3, 8).best(Excluded()), tried(codes, 3, 8)
        assert found.loss == pytest.approx(wanted[0])
