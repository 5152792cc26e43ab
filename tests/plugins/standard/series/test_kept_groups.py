"""Groups that are kept: who leaves, who comes, who waits, on tables small enough to be followed by hand."""

import numpy as np
import pytest

from qidguard.sdk import NotMeasurable
from qidguard_standard.anonymizers.series.kept_groups import KeptGroups
from series_stream import Stream


def stream(**arguments):
    """Return a series over ages, of groups of three."""
    given = {"k": 3, "leavers_stay": "until_k", **arguments}
    return Stream(anonymizer=KeptGroups(), arguments=given, qids=("age",))


def ages(*values):
    """Return a table of ages."""
    return {"age": np.array(values)}


def shown(done, who):
    """Return the groups of those who are published, as sets of persons."""
    groups = {}
    for person, is_kept, code in zip(who, done.kept, done.columns["age"].codes.tolist(), strict=True):
        if is_kept:
            groups.setdefault(code, set()).add(person)
    return sorted(map(sorted, groups.values()))


SIX = (20, 21, 22, 40, 41, 42)


def test_first_release_is_mondrian():
    """A first release has groups of k, and nobody waits."""
    series = stream()
    done = series.release(ages(*SIX), range(6), [0] * 6)
    assert shown(done, range(6)) == [[0, 1, 2], [3, 4, 5]]
    assert series.smallest == 3


def test_who_left_stays_until_the_group_can_spare_k():
    """One of a group left: the record stays with its last value, and is told as stale."""
    series = stream()
    series.release(ages(*SIX), range(6), [0] * 6)
    done = series.release(ages(*SIX), range(6), [1, 0, 0, 0, 0, 0])
    assert shown(done, range(6)) == [[0, 1, 2], [3, 4, 5]]
    assert "1 person is stale, 16.7% of those published" in " ".join(done.notes)


def test_k_leave_together_where_k_stay():
    """Three of a group of six left and three stay: the three go, and both parts are three persons."""
    series = stream(first_groups=2.0)
    series.release(ages(*SIX), range(6), [0] * 6)
    done = series.release(ages(*SIX), range(6), [1, 1, 1, 0, 0, 0])
    assert shown(done, range(6)) == [[3, 4, 5]]
    assert series.smallest == 3


def test_a_whole_group_leaves_at_once():
    """Nobody of a group is present: it goes, with nothing stale."""
    series = stream()
    series.release(ages(*SIX), range(6), [0] * 6)
    done = series.release(ages(*SIX), range(6), [1, 1, 1, 0, 0, 0])
    assert shown(done, range(6)) == [[3, 4, 5]]


def test_companions_are_those_far_from_the_median():
    """Past the limit a leaver goes with k−1 present persons, those farthest from the median."""
    series = stream(leavers_stay=1, first_groups=2.0)
    who = range(6)
    table = ages(20, 21, 22, 23, 60, 70)
    series.release(table, who, [0] * 6)
    assert shown(series.release(table, who, [0, 0, 1, 0, 0, 0]), who) == [[0, 1, 2, 3, 4, 5]]
    done = series.release(table, who, [0, 0, 2, 0, 0, 0])
    assert shown(done, who) == [[0, 1, 3]]
    assert "2 present persons went with them as companions" in " ".join(done.notes)
    assert series.smallest == 3


def test_a_group_that_cannot_spare_companions_is_dissolved():
    """A group of three of whom one is past the limit goes whole; its present persons wait to come back."""
    series = stream(leavers_stay=1, first_groups=1.0)
    series.release(ages(*SIX), range(6), [0] * 6)
    done = series.release(ages(*SIX), range(6), [2, 0, 0, 0, 0, 0])
    assert shown(done, range(6)) == [[3, 4, 5]]
    assert "1 group was dissolved, with 2 present persons" in " ".join(done.notes)
    assert series.smallest == 3


def test_who_is_missing_has_left_without_last_values():
    """A person without a record leaves at once, whatever the policy: here the group is dissolved."""
    series = stream()
    series.release(ages(*SIX), range(6), [0] * 6)
    done = series.release(ages(*SIX[1:]), range(1, 6), [0] * 5)
    assert shown(done, range(1, 6)) == [[3, 4, 5]]
    assert series.smallest == 3


def test_newcomers_enter_three_at_a_time():
    """Two newcomers wait; with the third they enter as a group of their own."""
    series = stream(newcomers_wait=0)
    series.release(ages(*SIX), range(6), [0] * 6)
    done = series.release(ages(*SIX, 20, 20), range(8), [0] * 8)
    assert shown(done, range(8)) == [[0, 1, 2], [3, 4, 5]]
    assert "2 newcomers wait" in " ".join(done.notes)
    done = series.release(ages(*SIX, 30, 30, 30), range(9), [0] * 9, [*[0] * 6, 1, 1, 0])
    assert shown(done, range(9)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_newcomers_wait_for_a_group_that_loses_little():
    """Three newcomers far from one another wait as long as they may, and no longer."""
    series = stream(newcomers_wait=2)
    twelve = [20, 20, 20, 30, 30, 30, 31, 31, 31, 42, 42, 42]
    series.release(ages(*twelve), range(12), [0] * 12)
    table = ages(*twelve, 20, 30, 42)
    for waited, is_shown in ((0, False), (1, False), (2, True)):
        done = series.release(table, range(15), [0] * 15, [*[0] * 12, *[waited] * 3])
        assert done.kept[12:].all() == is_shown
    assert series.smallest == 3


def test_a_changed_value_keeps_the_group():
    """A group stays together however its values change, and is shown with today's."""
    series = stream()
    series.release(ages(*SIX), range(6), [0] * 6)
    done = series.release(ages(90, 21, 22, 40, 41, 42), range(6), [0] * 6)
    assert shown(done, range(6)) == [[0, 1, 2], [3, 4, 5]]
    assert "[21, 90]" in done.columns["age"].values


def test_who_comes_back_comes_with_the_batch():
    """Of a batch of three that left one comes back and waits; all three come back."""
    series = stream()
    series.release(ages(*SIX), range(6), [0] * 6)
    series.release(ages(*SIX), range(6), [1, 1, 1, 0, 0, 0])
    done = series.release(ages(*SIX), range(6), [0, 2, 2, 0, 0, 0])
    assert shown(done, range(6)) == [[3, 4, 5]]
    assert "1 person waits to come back, whom an earlier release showed" in " ".join(done.notes)
    assert shown(series.release(ages(*SIX), range(6), [0] * 6), range(6)) == [[0, 1, 2], [3, 4, 5]]


def test_of_a_batch_that_comes_back_k_stay_away_or_nobody():
    """Of six who left together five are back: three of them come, so that three stay away."""
    series = stream(first_groups=3.0)
    table = ages(20, 21, 22, 23, 24, 25, 26, 27, 28)
    who, left = range(9), [1] * 6 + [0] * 3
    series.release(table, who, [0] * 9)
    assert shown(series.release(table, who, left), who) == [[6, 7, 8]]
    done = series.release(table, who, [2] + [0] * 8)
    assert int(done.kept[:6].sum()) == 3
    assert not done.kept[0]
    assert series.smallest == 3


def test_a_group_for_one_of_whom_it_is_time_enters_whole():
    """Three of six newcomers have waited long enough; they enter with those who stand between them."""
    series = stream(newcomers_wait=2)
    twelve = [20, 20, 20, 30, 30, 30, 31, 31, 31, 42, 42, 42]
    series.release(ages(*twelve), range(12), [0] * 12)
    table, waited = ages(*twelve, 20, 30, 42, 21, 31, 41), [0] * 12 + [2] * 3 + [0] * 3
    done = series.release(table, range(18), [0] * 18, waited)
    assert shown(done, range(18))[4:] == [[12, 13, 15], [14, 16, 17]]


def test_groups_are_formed_within_a_wave_of_exits():
    """Whoever leaves in the same month is a group, although others are nearer."""
    series = stream(leavers_stay=0)
    table, exits = ages(20, 21, 22, 23, 24, 25), [1, 5, 1, 5, 1, 5]
    done = series.release(table, range(6), [0] * 6, exits=exits)
    assert series.smallest == 3
    assert done.kept.all()
    done = series.release(table, range(6), [1, 0, 1, 0, 1, 0], exits=[0, 4, 0, 4, 0, 4])
    assert shown(done, range(6)) == [[1, 3, 5]]
    assert "nobody is stale" in done.notes


def test_persons_of_several_records_share_one_class():
    """The records of a person are published alike."""
    series = stream()
    series.entity = "who"
    who = [0, 0, 1, 2, 3, 4, 5]
    table = {"age": np.array([20, 40, 21, 22, 40, 41, 42]), "who": np.array(who)}
    done = series.release(table, who, [0] * 7)
    codes = done.columns["age"].codes
    assert codes[0] == codes[1]
    assert series.smallest == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"leavers_stay": 0, "turnover": 0.02}, "about k/turnover = 150 persons a group"),
        ({"leavers_stay": 12}, "set turnover"),
    ],
)
def test_what_cannot_be_had_is_told_before_it_begins(arguments, words):
    """Leavers gone at once and narrow classes: the sentence has the figure."""
    with pytest.raises(NotMeasurable, match=words):
        stream(**arguments).release(ages(*SIX), range(6), [0] * 6)


def test_a_sensitive_attribute_refuses_stale_records_until_somebody_says_that_they_may_stay():
    """The default refuses, before anything is released."""
    series = stream()
    series.sensitive = ("ill",)
    table = {**ages(*SIX), "ill": np.array(list("ababab"))}
    with pytest.raises(NotMeasurable, match="sensitive_changes: never"):
        series.release(table, range(6), [0] * 6)
    series.arguments["sensitive_changes"] = "accepted"
    series.release(table, range(6), [0] * 6)
    done = series.release(table, range(6), [1, 0, 0, 0, 0, 0])
    assert any("tells stale records" in note for note in done.notes)


def test_unknown_waits_are_refused():
    """Who does not know how long newcomers waited cannot hold a limit on it."""
    series = stream()
    series.release(ages(*SIX), range(6), [0] * 6)
    with pytest.raises(NotMeasurable, match="nobody kept it"):
        series.release(ages(*SIX, 30), range(7), [0] * 7, [*[0] * 6, -1])
