"""Attacks are rehearsed on a table without some of its people, who are the control group."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from plugged import OWNER, Coarse, Counting, Doing, chosen
from qidguard.anonymizing.rehearsal import ChosenAttack, rehearse, withheld_records
from qidguard.sdk import AnonymizationTask, NotMeasurable, PluginError
from snapshots import snapshot_of

TASK = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=7)
BY_PERSON = replace(TASK, entity="person")


def people(records: int, each: int = 1) -> pd.DataFrame:
    """Return records of persons who have ``each`` of them."""
    rows = range(records)
    return pd.DataFrame({"person": [f"p{i // each}" for i in rows], "age": [20 + i % 3 for i in rows]})


def rehearsed(table, *attacks, anonymizer=None, task=TASK, hierarchies=lambda _: {}):
    """Rehearse attacks on a table whose ages are published as one interval."""
    asked = [ChosenAttack(attack=attack, arguments={}, owner=OWNER) for attack in attacks]
    with snapshot_of(table) as snapshot:
        return rehearse(asked, snapshot, chosen(anonymizer or Coarse()), task, hierarchies=hierarchies)


def test_a_fifth_of_the_records_is_withheld_and_the_attack_sees_both_groups():
    """Ten records: two withheld, eight anonymized; the result is the attack's own.

    Hierarchies are bound to the records that are left, whose codes are not those of the whole table.
    """
    attack, asked = Counting(), []
    found = rehearsed(people(10), attack, hierarchies=lambda records: asked.append(records.records) or {})
    assert [result.sentence for result in found.attacks] == ["8 were attacked and 2 withheld."]
    assert found.notes == ()
    [attacked] = attack.seen
    assert attacked.changes.kept.tolist() == [True] * 8
    assert attacked.task.seed == 7
    assert asked == [8]


def test_all_records_of_a_person_are_withheld_or_none():
    """Ten persons with three records each: two persons are the control group, not six records of many."""
    with snapshot_of(people(30, each=3)) as snapshot:
        withheld = withheld_records(snapshot, BY_PERSON)
    by_person = withheld.reshape(10, 3)
    assert by_person.all(axis=1).sum() == 2
    assert (by_person.all(axis=1) | ~by_person.any(axis=1)).all()


@settings(max_examples=examples(12, fewest=4), deadline=None, derandomize=True, database=None)
@given(records=st.integers(2, 30), each=st.integers(1, 4), seed=st.integers(0, 2**63 - 1))
def test_at_least_one_person_is_withheld_and_one_is_left(records, each, seed):
    """Wherever there are two; the same seed withholds the same, and persons are never split."""
    persons = -(-records // each)
    with snapshot_of(people(records, each)) as snapshot:
        task = replace(BY_PERSON, seed=seed)
        first, again = withheld_records(snapshot, task), withheld_records(snapshot, task)
    assert (first == again).all()
    split = {person: set(first[np.arange(records) // each == person]) for person in range(persons)}
    assert all(len(kinds) == 1 for kinds in split.values())
    assert sum(kinds == {True} for kinds in split.values()) == max(1, round(0.2 * persons))


def test_another_seed_withholds_others():
    """The draw is the seed's."""
    with snapshot_of(people(30)) as snapshot:
        draws = {tuple(withheld_records(snapshot, replace(TASK, seed=seed))) for seed in range(5)}
    assert len(draws) == 5


@pytest.mark.parametrize("task", [TASK, BY_PERSON])
def test_one_person_alone_cannot_be_attacked(task):
    """There is nobody left to be the control group, and the note says so."""
    found = rehearsed(people(1), Counting(), task=task)
    assert found.attacks == ()
    assert found.notes == ("No attack was rehearsed: it takes two people, one of whom is withheld.",)


def raising(error):
    """Return an anonymizer that raises."""

    def do(*_):
        raise error

    return Doing(do)


def test_without_an_attack_nothing_is_anonymized():
    """A rehearsal costs a run of the method."""
    assert rehearsed(people(10), anonymizer=raising(AssertionError())).attacks == ()


def test_a_method_that_cannot_reach_its_target_on_fewer_people_is_a_note():
    """The table itself may well have been anonymized: no attack blocks a release."""
    gives_up = raising(NotMeasurable("k = 9 leaves none of the records"))
    found = rehearsed(people(10), Counting(), anonymizer=gives_up)
    assert found.attacks == ()
    [note] = found.notes
    assert note == (
        "No attack was rehearsed, which works on 8 of 10 records: The remedy doing cannot make the policy"
        " hold: k = 9 leaves none of the records"
    )


class Answering(Counting):
    """An attack that does something else with what it is given than to count."""

    def __init__(self, do, name="counting"):
        super().__init__(name)
        self.do = do

    def attack(self, attacked, arguments):
        """Do it."""
        return self.do(attacked, arguments)


def does_not_apply(*_):
    """Say that there is nothing to attack."""
    raise NotMeasurable("there is no sensitive attribute")


def fails(attacked, _):
    """Fail with a value in the words."""
    raise ValueError(attacked.changes.before.column("age").texts[1])


def test_an_attack_that_does_not_apply_is_a_note_and_the_others_count():
    """The note says why."""
    found = rehearsed(people(10), Answering(does_not_apply, "first"), Counting("second"))
    assert [result.attack for result in found.attacks] == ["second"]
    assert found.notes == ("The attack first does not apply: there is no sensitive attribute",)


@pytest.mark.parametrize(
    ("attack", "said"),
    [
        (Answering(fails), "attack 'counting' failed with ValueError"),
        (Answering(lambda *_: None), "attack 'counting' returned NoneType, not an AttackResult of its own"),
        (Answering(Counting("another").attack),
         "attack 'counting' returned that of 'another', not an AttackResult of its own"),
    ],
)  # fmt: skip
def test_a_fault_of_an_attack_is_an_error_of_its_plugin(attack, said):
    """Not a note: evidence that was asked for is missing. No value is in it."""
    with pytest.raises(PluginError) as raised:
        rehearsed(people(10), attack)
    assert str(raised.value) == f"{OWNER}: {said}; mend the plugin"
