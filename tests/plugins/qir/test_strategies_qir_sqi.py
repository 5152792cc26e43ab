"""The search strategies ``qir`` and ``sqi``: what they answer is what their algorithms find."""

import numpy as np
import pandas as pd
import pytest

import qidguard
from qidguard.sdk import NotMeasurable, StoppedBy, records_of
from qidguard_qir.calls import find_dimension
from qidguard_qir.classification import classify
from qidguard_qir.gain import RehearsedGain
from qidguard_qir.sqi import select

COLUMNS = ("sex", "age", "ward", "weight", "site")


@pytest.fixture(scope="module")
def people():
    """Return 400 people: a sex, an age, a ward, a weight that hardly two share, and one site."""
    draw = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "sex": draw.choice(["f", "m"], 400),
            "age": draw.integers(20, 60, 400),
            "ward": draw.choice(list("abcdefgh"), 400),
            "weight": draw.normal(70, 9, 400).round(1),
            "site": ["x"] * 399 + ["y"],
        }
    )


def searched(people, strategy, **parameters):
    """Return what ``qidguard discover`` finds by a strategy."""
    return qidguard.discover(people, strategy=strategy, parameters=parameters, candidates=COLUMNS, seed=0)


QIR = {"alpha": 15.0, "beta": 1.0, "k": 3, "sample": 50.0, "samples": 2}


def test_qir_answers_with_its_classes_and_its_dimension(people):
    """The set is that of Algorithm 2, the roles those of Algorithm 1; a low risk makes no column safe."""
    found = searched(people, "qir", **QIR)
    classes = classify(people, COLUMNS, alpha=15.0, beta=1.0)
    dimensions = find_dimension(people, classes.quasi_identifiers, k=[3], sizes=[0.5], seeds=2)
    assert classes.quasi_identifiers == ("age", "ward")
    assert set(found.quasi_identifiers) == set(dimensions.quasi_identifiers)
    roles = {one.assignment.column: one.assignment.role.value for one in found.search.classification}
    assert roles == {"weight": "sensitive", "age": "quasi_identifier", "ward": "quasi_identifier"}
    assert {c.assignment.column for c in found.search.classification if c.is_sure} == {"age", "ward"}
    assert [table.name for table in found.search.tables] == ["classes", "means"]
    assert len(found.search.plots) == 3
    assert "the others stay as exposed as they are" in found.search.choice.reason


def test_qir_takes_no_more_columns_than_a_set_may_have(people):
    """With sets of one column the dimension is sought among the first by risk alone."""
    found = qidguard.discover(people, strategy="qir", parameters=QIR, candidates=COLUMNS, largest=1)
    assert found.quasi_identifiers == ("age",)


def test_qir_without_a_quasi_identifier_says_so(people):
    """Where no risk lies between the thresholds there is nothing to search, in a sentence."""
    with pytest.raises(NotMeasurable, match="lower beta or raise alpha"):
        searched(people, "qir", alpha=99.0, beta=98.0)


@pytest.mark.slow
def test_qir_leaves_the_choice_to_the_fitness_where_nothing_can_be_anonymized(people):
    """A sample of four people makes no class of 50: the reason says so, and no set is chosen by the rule."""
    found = searched(people, "qir", **{**QIR, "k": 50, "sample": 1.0})
    assert found.search.choice is None
    assert found.search.reason.startswith("no dimension can be anonymized: full_domain")


def test_ctrl_c_is_told_by_the_host(people, monkeypatch):
    """Interrupted in the second sample, the search ends as interrupted, with the sets seen until then."""
    calls = []
    rehearsed = RehearsedGain.__call__

    def interrupted(self, *asked):
        calls.append(asked)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return rehearsed(self, *asked)

    monkeypatch.setattr(RehearsedGain, "__call__", interrupted)
    found = searched(people, "qir", **QIR)
    assert (found.search.stopped_by, found.search.choice) == (StoppedBy.INTERRUPTED, None)


@pytest.mark.parametrize(
    ("rehearsals", "words"),
    [
        (3, "in 100 % of 1 samples"),
        (1, "the time was too short for one whole sample, 1 of 2 dimensions were tried"),
    ],
    ids=["one sample", "none"],
)
def test_when_the_time_is_up_whole_samples_count(people, monkeypatch, rehearsals, words):
    """After three rehearsals of two dimensions the first sample chooses; after one nothing does, and why."""
    calls = []
    rehearsed = RehearsedGain.__call__

    def counted(self, *asked):
        calls.append(asked)
        return rehearsed(self, *asked)

    monkeypatch.setattr(RehearsedGain, "__call__", counted)
    is_up = property(lambda _: len(calls) >= rehearsals)
    monkeypatch.setattr("qidguard.search.problem.MeasuredProblem.is_stopped", is_up)
    found = searched(people, "qir", **{**QIR, "samples": 9})
    assert words in (found.search.reason if found.search.choice is None else found.search.choice.reason)


@pytest.mark.slow
def test_persons_of_a_policy_are_counted(people):
    """With an entity in the policy risks are of persons, here 100 of four visits each."""
    visits = people.assign(person=[row // 4 for row in range(400)])
    policy = {
        "qidguard": 1,
        "name": "visits",
        "roles": {"quasi_identifiers": "auto", "entity": "person"},
        "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    }
    found = qidguard.discover(
        visits, policy=policy, strategy="qir", parameters={**QIR, "alpha": 90.0}, candidates=["age", "ward"]
    )
    (classes, _) = found.search.tables
    expected = classify(visits, ["age", "ward"], alpha=90.0, beta=1.0, entity="person")
    assert {row[0]: row[2] for row in classes.rows} == {
        one.column: one.risk.risk_percent for one in expected.attributes
    }


@pytest.mark.samples(1)
@pytest.mark.parametrize("algorithm", ["selective", "decompose"])
def test_sqi_answers_with_what_it_selects(people, algorithm):
    """The chosen set is that of ``select``; it counts, and draws nothing."""
    found = searched(people, "sqi", algorithm=algorithm)
    selected = select(records_of(people), COLUMNS, algorithm=algorithm)
    assert set(found.quasi_identifiers) == set(selected.quasi_identifiers)
    assert found.search.tables[0].rows[0][-1] == selected.sets[0].distinct


def test_sqi_nominates_the_most_distinct(people):
    """With two nominated attributes the weight and the age are left."""
    assert set(searched(people, "sqi", nominated=2).search.tables[0].rows[-1][0].split(", ")) <= {
        "weight",
        "age",
    }


def test_names_with_commas_are_no_fault(people):
    """A column called ``age, years`` is chosen like any other by both, and no table splits its name."""
    named = people.rename(columns={"age": "age, years"})
    candidates = ["sex", "age, years", "ward"]
    for strategy, parameters in (("sqi", {}), ("qir", QIR)):
        found = qidguard.discover(named, strategy=strategy, parameters=parameters, candidates=candidates)
        assert "age, years" in found.quasi_identifiers
    assert find_dimension(named, candidates, k=[3], seeds=1).qids[0] == "age, years"
