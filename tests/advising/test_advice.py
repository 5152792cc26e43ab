"""Advice is on a table that misses its policy's limits, and says whom each quasi-identifier exposes."""

import numpy as np
import pandas as pd
import pytest

from advised import advised, policy
from qidguard.advising.advice import Exposed
from qidguard.advising.classes import ClassLimit, DistinctRows
from qidguard.advising.run import exposure

TWO = pd.DataFrame({"age": [30, 30, 41, 41], "town": ["A", "A", "B", "C"]})


def test_persons_below_and_each_column_left_away():
    """Two of four are alone by age and town; without the town nobody is, without the age they are."""
    found = advised(TWO, policy(["age", "town"]))
    assert (found.limit, found.person, found.persons, found.below, found.alone) == (2, "records", 4, 2, 2)
    assert found.share_below == 0.5
    assert found.without == (
        Exposed(columns=("town",), below=0, alone=0, added=0),
        Exposed(columns=("age",), below=2, alone=2, added=2),
    )
    assert found.smallest == (Exposed(columns=("town",), below=2, alone=2, added=2),)


def test_a_person_with_one_record_in_a_small_class_is_below():
    """Where an entity column says whose a record is, classes hold persons, and one record is enough."""
    table = pd.DataFrame({"who": [1, 1, 2, 3, 3], "age": [30, 41, 30, 52, 52]})
    rules = policy(["age"], roles={"entity": "who"})
    found = advised(table, rules)
    assert (found.person, found.persons, found.below, found.alone) == ("entities", 3, 2, 2)


def test_sensitive_values_count_too():
    """A class of two persons with one illness holds too few values where the policy asks for two."""
    table = pd.DataFrame({"age": [30, 30, 41, 41], "ill": ["flu", "flu", "flu", "cold"]})
    asked = ({"metric": "k_anonymity", "at_least": 2}, {"metric": "distinct_l_diversity", "at_least": 2})
    found = advised(table, policy(["age"], *asked, roles={"sensitive": ["ill"]}))
    assert (found.limit, found.diversity, found.below) == (2, (("ill", 2),), 2)


def test_of_several_combinations_the_worst_is_told():
    """Figures are of the combination with the most persons below its limit."""
    table = TWO.assign(sex=["f", "m", "f", "m"])
    limit = {"metric": "k_anonymity", "at_least": 2}
    more = {"name": "more", "quasi_identifiers": ["town", "sex"], "thresholds": [limit]}
    found = advised(table, policy(["age", "town"], combinations=[more]))
    assert (found.combination, found.qids, found.below) == ("more", ("town", "sex"), 4)


@pytest.mark.slow
def test_an_attacker_who_knows_any_two_is_counted_by_pairs():
    """Who is told apart by three columns only is not below for somebody who knows two of them."""
    table = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]})
    known = advised(table, policy(["a", "b", "c"], attacker={"knows_any": 1}, preset="pdpc-sg-5"))
    assert (known.knows_any, known.limit, known.below) == (1, 5, 4)
    assert advised(table, policy(["a", "b", "c"], attacker={"knows_any": 1})).hindrances == (
        "The policy holds; nothing has to be changed.",
    )


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (policy(["age"]), "No change of levels removes this: "),
        (policy(["age"], roles={"insensitive": ["town"]}), "The policy holds"),
    ],
)
def test_what_no_level_removes_is_said_and_nothing_is_counted(rules, said):
    """An undecided column blocks whatever the levels are, and a policy that holds needs no change."""
    found = advised(TWO, rules)
    assert found.below is None
    assert said in found.hindrances[0]


@pytest.mark.slow
@pytest.mark.realdata
def test_education_hides_behind_its_number(data):
    """On Adult education and education-num tell each other: neither is worth much alone, both are."""
    names = "age workclass fnlwgt education education-num marital-status occupation relationship race sex"
    names += " capital-gain capital-loss hours-per-week native-country income"
    table = pd.read_csv(data / "adult" / "adult.data", names=names.split(), skipinitialspace=True)
    qids = ["age", "education", "education-num", "race", "sex", "native-country"]
    rules = policy(qids, {"metric": "k_anonymity", "at_least": 5})
    found = advised(table[qids], rules)
    told = {one.columns: one.below for one in found.without}
    assert told["education",] == told["education-num",] == found.below
    assert told["education", "education-num"] < found.below / 2
    sizes = table.groupby(["age", "race", "sex", "native-country"]).age.transform("size")
    assert told["education", "education-num"] == int((sizes < 5).sum())


@pytest.mark.slow
@pytest.mark.realdata
def test_persons_of_the_hospital_and_each_column_left_away(data):
    """Of 71,518 patients 45,759 are in classes below 11, and 23,854 without the days in hospital."""
    qids = ["age", "gender", "race", "weight", "time_in_hospital", "discharge_disposition_id"]
    qids += ["medical_specialty", "payer_code"]
    whole = pd.read_csv(data / "hospital" / "diabetic_data.csv", dtype=str)
    columns = [whole[qid].factorize()[0] for qid in qids]
    rows = DistinctRows.of(
        np.stack(columns, axis=1).astype(np.int32), person=whole["patient_nbr"].factorize()[0]
    )
    limit = ClassLimit(columns=tuple(range(len(qids))), persons=11)
    sizes = whole.groupby(qids)["patient_nbr"].transform("nunique")
    alone = whole[sizes == 1]["patient_nbr"].nunique()
    found = exposure(rows, [limit], qids)
    assert (rows.persons, found.below, found.alone) == (71_518, 45_759, alone)
    assert (found.without[0].columns, found.without[0].below) == (("time_in_hospital",), 23_854)
    assert whole[sizes < 11]["patient_nbr"].nunique() == 45_759
