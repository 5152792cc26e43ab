"""l-diversity of leaving batches: releases are person → (class, illness), the last one is the table."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from followed import keyed
from qidguard.releasing.history.earlier import EarlierRelease, KeyedHistory
from qidguard.releasing.history.leaving import values_name
from qidguard.sdk import Cells, Grouping, NotMeasurable
from qidguard_standard.over_time.leaving_batch_l_diversity import LEAVING_BATCH_L_DIVERSITY

RELEASES = st.lists(
    st.dictionaries(
        st.sampled_from("abcdefgh"), st.tuples(st.sampled_from("xy"), st.sampled_from("fc")), min_size=1
    ),
    min_size=1,
    max_size=4,
)


def part(release, place):
    """Return person → class, or person → illness."""
    return {person: both[place] for person, both in release.items()}


def measure(*releases, keeps_values=True, empty=False):
    """Measure the last release against the earlier ones."""
    *earlier, now = releases

    def load(release):
        values = {values_name("ill"): part(release, 1)} if keeps_values else {}
        return keyed(default=part(release, 0), **values)

    history = KeyedHistory(
        earlier=[
            EarlierRelease(
                release_id=f"r{i}",
                load=lambda release=release: load(release),
                qids={"default": ("age",)},
                columns=(),
            )
            for i, release in enumerate(earlier)
        ],
        now=lambda _: keyed(now=part(now, 0)),
        columns_now=tuple,
    )
    distinct = len(set(part(now, 1).values()))
    none = np.zeros(0 if empty else 1, dtype=np.int64)
    cells = Cells(
        class_id=none,
        value=none,
        n=none,
        size=none,
        table_n=np.ones(distinct, dtype=np.int64),
        has_missing=False,
    )
    view = SimpleNamespace(history=history, cells=lambda _: cells)
    grouping = Grouping(qids=("age",), sensitive="ill")
    return LEAVING_BATCH_L_DIVERSITY.method.measure(view, grouping, {"most_recent": 0})


YESTERDAY = {**dict.fromkeys("abc", ("x", "flu")), **dict.fromkeys("de", ("x", "cold"))}


def test_three_of_one_illness_who_leave_together_give_it_away():
    """Of a class of two illnesses those with the flu leave: who subtracts reads it."""
    assert measure(YESTERDAY, {person: YESTERDAY[person] for person in "de"}) == 1


def test_leavers_of_two_illnesses_hide_among_two():
    """One with the flu and one with the cold leave."""
    assert measure(YESTERDAY, {person: YESTERDAY[person] for person in "abd"}) == 2


def test_nobody_left_or_no_earlier_release_gives_the_values_of_the_table():
    """There is nothing to subtract."""
    assert measure(YESTERDAY, YESTERDAY) == 2
    assert measure(YESTERDAY) == 2


def test_a_release_recorded_without_values_is_not_measurable():
    """An older ledger does not know with which illness people left, so the threshold blocks."""
    with pytest.raises(NotMeasurable, match="recorded without the values of 'ill'"):
        measure(YESTERDAY, YESTERDAY, keeps_values=False)


def test_an_empty_table_has_no_value():
    """Nothing is measured of no records."""
    with pytest.raises(NotMeasurable, match="no records"):
        measure(YESTERDAY, empty=True)


@given(RELEASES)
def test_it_is_what_sets_say(releases):
    """Persons by their classes of all earlier releases; of each group the values of those who left."""
    *earlier, now = releases
    batches = {}
    for person, (_, illness) in (earlier[-1] if earlier else {}).items():
        if person not in now:
            past = tuple(release[person][0] if person in release else None for release in earlier)
            batches.setdefault(past, set()).add(illness)
    everything = len(set(part(now, 1).values()))
    assert measure(*releases) == min(map(len, batches.values()), default=everything)
