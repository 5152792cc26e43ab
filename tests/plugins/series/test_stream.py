"""Streams of persons: who comes, leaves, changes, returns and is erased, drawn by a stated turnover."""

import numpy as np
import pytest

from qidguard.sdk import UserError, records_of
from qidguard_series.simulated_stream import continued, one_table
from qidguard_series.stream import Turnover
from series import QIDS, people


def stream(number=40, *, releases=5, first=None, seed=1, table=None, **shares):
    """Return a stream of some people."""
    held = records_of(people(number) if table is None else table, QIDS, entity="person")
    population = one_table(held, QIDS, first, seed)
    return continued(population, Turnover(**shares), releases=releases, seed=seed)


def present(found):
    """Return for each release the numbers of who is there."""
    return [set(np.flatnonzero(now.present).tolist()) for now in found.follow()]


def test_shares_of_persons_move():
    """Of forty a tenth leaves and a tenth comes: four each, whom nobody has seen before."""
    first, second, *_ = present(stream(leave=0.1, come=0.1))
    assert (len(first), len(first - second), len(second - first)) == (40, 4, 4)


def test_what_is_left_over_of_a_person_is_carried_on():
    """A fortieth of ten persons is a quarter of one: one leaves with the fourth move, of nine the fifth."""
    counts = [len(one) for one in present(stream(10, releases=10, leave=0.025))]
    assert counts == [10, 10, 10, 10, 9, 9, 9, 9, 9, 8]


def test_who_was_held_back_comes_first_and_then_persons_like_the_others():
    """Six of eight begin; two come, who are of the table; the next two are like some of it."""
    found = stream(8, first=6, come=1 / 3, releases=3)
    here = [now.records(np.flatnonzero(now.present))[0] for now in found.follow()]
    ages = [sorted(records.column("age").texts[1:]) for records in here]
    assert [len(one) for one in present(found)] == [6, 8, 10]
    assert ages[1] == ages[2] == sorted(map(str, people(8)["age"]))


def test_one_quasi_identifier_of_who_changes_is_another():
    """Of forty who stay four have one other cell where changes are true ones, and the others none."""
    held = records_of(people(40), QIDS, entity="person")
    population = one_table(held, QIDS, None, 1)
    population.are_changes_true = True
    found = continued(population, Turnover(change=0.1), releases=2, seed=1)
    before, after = map(cells_of, found.follow())
    differ = [sum(map(str.__ne__, before[who], after[who])) for who in range(40)]
    assert sorted(differ) == [0] * 36 + [1] * 4
    assert [who for who in range(40) if differ[who]] == sorted(found.moves[0].changed.tolist())


def test_what_is_drawn_anew_may_be_what_it_was():
    """Of a hundred whose sex or age is drawn anew about a quarter keep it: half of those whose sex is."""
    found = stream(100, change=1.0, releases=2)
    first, second = (now.records(np.arange(100))[0].column("sex").codes for now in found.follow())
    assert len(found.moves[0].changed) == 100
    assert 10 < int((first != second).sum()) < 40


def test_who_left_keeps_the_last_values():
    """Whoever is gone is as when the person was there last, and half of them return as they were."""
    found = stream(leave=0.25, come_back=0.5, change=0.2, releases=6)
    assert any(len(move.returned) for move in found.moves)
    last = {}
    for now in found.follow():
        cells = cells_of(now)
        moved = set() if now.number == 0 else set(found.moves[now.number - 1].changed.tolist())
        assert {who for who in last if cells[who] != last[who]} <= moved
        assert not (now.present & (now.gone > 0)).any()
        last = cells


def cells_of(now):
    """Return the cells of each of forty persons, who are there or gone."""
    records, _ = now.records(np.arange(40))
    read = [records.column(name) for name in QIDS]
    return {who: tuple(one.texts[one.codes[who]] for one in read) for who in range(40)}


def test_who_is_erased_never_returns():
    """Erased persons are gone for good, whatever share returns."""
    found = stream(erase=0.2, come_back=1.0, releases=6)
    erased = {person for move in found.moves for person in move.erased.tolist()}
    assert erased
    assert not any(erased & set(move.returned.tolist()) for move in found.moves)
    *_, last = (now.erased.copy() for now in found.follow())
    assert set(np.flatnonzero(last).tolist()) == erased


def test_the_exit_that_is_known_is_the_one_that_comes():
    """Whoever has no release left is not in the next one, and everybody else is."""
    found = stream(200, leave=0.1, come=0.1, come_back=0.2, releases=8, seed=3)
    follow = found.follow()
    now = next(follow)
    goes, here = now.exit_wave == 0, now.present.copy()
    for now in follow:
        assert (here & goes).tolist() == (here & ~now.present).tolist()
        goes, here = now.exit_wave == 0, now.present.copy()


def test_all_records_of_a_person_move_together():
    """Each of four persons has two records; who is there has both, and a change is one of the person."""
    table = people(8).assign(person=[f"p{i // 2}" for i in range(8)])
    found = stream(table=table, leave=0.25, change=0.25, releases=2)
    for now in found.follow():
        who = np.flatnonzero(now.present)
        records, person = now.records(who)
        assert person.tolist() == np.repeat(who, 2).tolist()
        assert np.unique(records.codes(("person",)), return_counts=True)[1].tolist() == [2] * len(who)


def test_the_same_seed_draws_the_same():
    """A stream can be followed twice, and drawn twice; another seed draws another."""
    shares = {"leave": 0.1, "come": 0.1, "change": 0.1, "come_back": 0.1, "erase": 0.05}
    one, other, different = (stream(seed=seed, **shares) for seed in (5, 5, 6))
    assert present(one) == present(one) == present(other)
    assert present(different) != present(one)


@pytest.mark.parametrize("first", [0, 41])
def test_a_first_release_has_persons_of_the_table(first):
    """None, or more than there are, is a mistake."""
    with pytest.raises(UserError, match="the first release has 1 to 40 persons"):
        stream(first=first)


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ({"leave": 2}, "leave is a share of persons, 0 to 1, not 2; 0.02 is two percent"),
        ({"come": -0.1}, "come is a share"),
        ({"change": float("nan")}, "change is a share"),
        ({"leave": "0.1"}, "leave is a share"),
        ({"leave": True}, "leave is a share"),
        ({"leave": 0.6, "erase": 0.4}, "1 of the persons leave"),
        ({"leave": 0.6, "change": 0.6}, "which is more than all"),
    ],
)
def test_shares_are_checked(shares, sentence):
    """What is no share, or more than all persons, is one sentence."""
    with pytest.raises(UserError, match=sentence):
        Turnover(**shares)


def test_a_turnover_is_told_in_words():
    """Only what moves is named."""
    assert str(Turnover(leave=0.02, erase=0.001)) == "2 % leave, 0.1 % are erased"
    assert str(Turnover()) == "nobody moves"
