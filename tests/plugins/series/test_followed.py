"""Persons followed over simulated releases, against sets of people."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from followed import differencing_k, intersection_k, isolated, joint
from qidguard.sdk import NEVER_SHOWN, UNKNOWN, records_of
from qidguard_series.simulated_stream import continued, one_table
from qidguard_series.simulating import NOT_SHOWN, SimulatedFollowed, classes_of_persons
from qidguard_series.stream import Turnover
from series import QIDS, people

PERSONS = 6
RELEASES = st.lists(
    st.lists(st.integers(NOT_SHOWN, 2), min_size=PERSONS, max_size=PERSONS).filter(lambda one: max(one) >= 0),
    min_size=1,
    max_size=4,
)


def as_people(shown):
    """Return a release as person → class."""
    return {who: group for who, group in enumerate(shown) if group != NOT_SHOWN}


@given(releases=RELEASES, k=st.integers(2, 4))
def test_all_releases_together_tell_what_sets_of_people_do(releases, k):
    """Smallest joint class, intersection, differencing and who is isolated, after each release."""
    followed = SimulatedFollowed(PERSONS)
    for number, shown in enumerate(releases, start=1):
        together = followed.publish(np.array(shown), k)
        so_far = [as_people(one) for one in releases[:number]]
        assert together.smallest == min(map(len, joint(*so_far).values()))
        assert together.isolated == len(isolated(k, *so_far))
        assert together.differencing == differencing_k(*so_far)
        assert together.intersection == (intersection_k(*so_far) if number > 1 else len(so_far[0]))


@given(releases=RELEASES)
def test_who_shares_a_trajectory_shares_all_classes(releases):
    """Persons have one number if and only if every release showed them alike, and none if none did."""
    followed = SimulatedFollowed(PERSONS)
    for shown in releases:
        followed.publish(np.array(shown), 2)
    seen = list(zip(*releases, strict=True))
    for one in range(PERSONS):
        for other in range(PERSONS):
            assert (followed.joint[one] == followed.joint[other]) == (seen[one] == seen[other])
    assert (followed.joint == NEVER_SHOWN).tolist() == [set(one) == {NOT_SHOWN} for one in seen]


def test_an_anonymizer_is_told_who_left_who_waits_and_who_must_be_forgotten():
    """Two of eight leave, one is erased and one comes: what is known of each record, and of who has none."""
    table = records_of(people(8), QIDS, entity="person")
    population = one_table(table, QIDS, 7, seed=2)
    found = continued(population, Turnover(leave=0.3, erase=0.15, come=0.15), releases=3, seed=2)
    followed, follow = SimulatedFollowed(found.persons), found.follow()
    now = next(follow)
    records, person = now.records(followed.given(now))
    first = followed.earlier(now, person)
    assert (first.releases, records.records, set(first.trajectory.tolist())) == (0, 7, {NEVER_SHOWN})
    assert set(first.exit_wave.tolist()) == {UNKNOWN}
    hidden = found.moves[1].left[0]
    followed.wait(now)
    followed.publish(np.where(now.present & (np.arange(found.persons) != hidden), 0, NOT_SHOWN), 2)
    now = next(follow)
    _, person = now.records(followed.given(now))
    second = followed.earlier(now, person, is_exit_known=True)
    of = {who: at for at, who in enumerate(person.tolist())}
    left, (erased,), (came,) = (getattr(found.moves[0], name).tolist() for name in ("left", "erased", "came"))
    assert {who for who in of if second.gone[of[who]] == 1} == set(left)
    assert erased not in of
    assert (second.missing.tolist(), second.is_missing_in_last.tolist()) == ([0], [True])
    assert [second.waited[of[who]] for who in (came, hidden)] == [0, 1]
    assert [second.trajectory[of[who]] for who in (came, hidden, left[0])] == [NEVER_SHOWN, NEVER_SHOWN, 0]
    assert [bool(second.is_in_last[of[who]]) for who in (hidden, left[0])] == [False, True]
    assert [second.exit_wave[of[who]] for who in (hidden, left[0])] == [0, UNKNOWN]


def test_a_person_with_records_in_several_classes_is_known_by_the_set_of_them():
    """Two persons in classes 0 and 1 share one, a third in 0 alone another, who has no record none."""
    person, classes = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 1, 0, 0, 0])
    found = classes_of_persons(person, classes, 4).tolist()
    assert (found[0] == found[1], found[0] == found[2], found[3]) == (True, False, NOT_SHOWN)
    assert classes_of_persons(person[:0], classes[:0], 2).tolist() == [NOT_SHOWN] * 2
