"""Algorithm 2 with installed anonymizers inside, on a small table and on Adult."""

import pandas as pd
import pytest

from qidguard.sdk import DataError, UserError, records_of
from qidguard_qir.calls import compare_choices, find_dimension
from qidguard_qir.gain import RehearsedGain, mean_risk

ADULT_QIDS = (
    *("hours-per-week", "age", "native-country", "education", "education-num", "occupation", "workclass"),
    *("marital-status", "relationship", "race"),
)
"""The ten of the paper's Table 2, in the order of falling risk."""


@pytest.fixture(scope="module")
def visits():
    """Return 600 visits of 200 patients: an age each, their sex, and one of 30 wards."""
    patient = [n % 200 for n in range(600)]
    return pd.DataFrame(
        {
            "sex": ["f" if n % 3 else "m" for n in patient],
            "age": [20 + n % 50 for n in patient],
            "patient": patient,
            "ward": [f"w{n * 7 % 30}" for n in range(600)],
        }
    )


def test_the_same_seed_gives_the_same(visits):
    """Two calls are equal, run for run; the order of rows and of quasi-identifiers changes nothing."""
    asked = {"k": [3], "sizes": [0.5], "seeds": 2, "seed": 4}
    found = find_dimension(visits, ["sex", "age", "ward"], **asked)
    shuffled = visits.sample(frac=1.0, random_state=1)
    assert found == find_dimension(shuffled, ["ward", "sex", "age"], **asked)
    assert found.qids == ("age", "ward", "sex")
    assert all(run.gain.smallest_after >= 3 for run in found.runs)


def test_persons_are_drawn_and_counted(visits):
    """With the patient as entity, half of the persons are 100, and k counts persons, not visits."""
    found = find_dimension(visits, ["sex", "age"], entity="patient", k=[3], sizes=[0.5], seeds=1)
    assert {run.gain.persons for run in found.runs} == {100}
    assert found.risks == (50 / 200, 2 / 200)


def test_a_sample_smaller_than_k_is_a_row_with_the_reason(visits):
    """Twenty persons make no class of fifty: each row says so, and none is chosen."""
    found = find_dimension(visits, ["sex"], anonymizer="mondrian", k=[50], sizes=[20], seeds=1)
    assert found.dimension is None
    assert found.runs[0].reason.startswith("mondrian: ")


def test_an_anonymizer_that_knows_no_k_is_no_k_anonymity(visits):
    """Rounding ages leaves small classes; no figure of it is taken for one of k-anonymity."""
    found = find_dimension(visits, ["age"], anonymizer="rounding[base=age=5]", k=[70], seeds=1, sizes=[None])
    assert found.dimension is None
    assert found.runs[0].reason == "it leaves a class of 24, fewer than k = 70"


@pytest.mark.parametrize(
    ("qids", "given", "error", "words"),
    [
        (["sex"], {"anonymizer": "no_such"}, UserError, "no_such"),
        (["sex"], {"anonymizer": "mondrian[size=5]"}, UserError, "size"),
        (["sex", "height"], {}, DataError, "height"),
    ],
    ids=["anonymizer", "parameter", "column"],
)
def test_mistakes_are_said(visits, qids, given, error, words):
    """An unknown anonymizer, parameter or column is an error that names it, and no row."""
    with pytest.raises(error, match=words):
        find_dimension(visits, qids, seeds=1, k=[3], **given)


@pytest.mark.slow
def test_the_comparison_has_both_algorithms_and_other_sets(visits):
    """QIR's choice, SQI's two and a named set are anonymized at each k and size."""
    dimensions, found = compare_choices(
        visits,
        ["sex", "age", "ward"],
        others={"mine": ["sex"]},
        k=[3, 5],
        sizes=[0.5],
        sizes_k=[3],
    )
    assert found.choices == {
        "QIR": dimensions.quasi_identifiers,
        "SQI selective": ("age",),
        "SQI decompose": ("sex", "age", "ward"),
        "mine": ("sex",),
    }
    assert (len(found.by_k), len(found.by_size)) == (8, 4)
    assert all(run.gain.smallest_after >= run.k for run in (*found.by_k, *found.by_size))


def test_who_knows_all_gains_at_least_as_much(visits):
    """PG for an attacker who knows every quasi-identifier is what is left of the same published table."""
    records = records_of(visits, ["sex", "age", "ward"])
    own, wide = RehearsedGain().over(records, ("age",), 5, 0, (("age",), ("sex", "age", "ward")))
    assert wide.risk_before == mean_risk(records, ("sex", "age", "ward"))
    assert wide.risk_after >= own.risk_after


@pytest.fixture(scope="module")
def typed_adult(adult):
    """Return Adult with numbers that are numbers, as its file is read."""
    return adult.astype(dict.fromkeys(["age", "education-num", "hours-per-week"], "Int64"))


@pytest.mark.realdata
@pytest.mark.slow
def test_the_choice_on_adult_is_stable(typed_adult):
    """At least nine of ten samples make the same choice at each k: it is no accident of the sample."""
    found = find_dimension(typed_adult, ADULT_QIDS)
    assert (found.qids, found.quasi_identifiers) == (ADULT_QIDS, ("hours-per-week",))
    assert not [run for run in found.runs if run.reason]
    assert [(one.k, one.dimension) for one in found.chosen] == [(5, 2), (15, 1), (25, 1)]
    assert min(one.stability for one in found.chosen) >= 0.9


@pytest.mark.realdata
@pytest.mark.slow
def test_how_values_are_stored_changes_no_choice(adult, typed_adult):
    """The same ages and hours as texts choose the same at k = 15: their kind decides how they are grouped."""
    found = find_dimension(adult, ADULT_QIDS, k=[15], seeds=3)
    typed = find_dimension(typed_adult, ADULT_QIDS, k=[15], seeds=3)
    assert found.quasi_identifiers == typed.quasi_identifiers == ("hours-per-week",)
