"""Each expectation on a table that can be checked by hand."""

import json

import pytest

from gx_batches import pandas_table
from qidguard_expectations import (
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTablePrivacyMetricToBeWithin,
    ExpectTableReidentificationRiskToBeAtMost,
    ExpectTableShareAtRiskToBeAtMost,
    ExpectTableTClosenessToBeAtMost,
)

pytestmark = pytest.mark.gx

QIDS = ["sex", "age"]
VISITS = {
    "patient": [1, 1, 2, 3, 4, 5, 6, 6],
    "sex": ["f", "f", "f", "m", "m", "m", "m", None],
    "age": [30, 30, 30, 41, 41, 41, 41, 41],
    "illness": ["flu", "flu", "acne", "flu", "flu", "flu", "acne", "flu"],
    "pain": [1, 1, 2, 3, 3, 3, 3, 3],
}
"""Classes over sex and age: of three records and two patients, of four and four, and of one whose sex is
missing. Flu stands in six of eight records; in the classes in two of three, three of four, and one of one.
Pain is 1 in two of eight, 2 in one, 3 in five; by age it is 1, 1, 2 in one class and 3 in the other."""

K, L, T = (
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTableTClosenessToBeAtMost,
)
RISK, SHARE, METRIC = (
    ExpectTableReidentificationRiskToBeAtMost,
    ExpectTableShareAtRiskToBeAtMost,
    ExpectTablePrivacyMetricToBeWithin,
)


A = {"quasi_identifiers": ["age"]}
ANY = {"metric": "k_anonymity", "quasi_identifiers": ["age", "illness"]}
BELOW = {"metric": "persons_below_k", "parameters": {"k": 4}}
MARKETER = {"attacker": "marketer", "statistic": "average"}
E = 5 / 4 ** (4 / 5)
"""Four of five have flu and one has acne: e to the entropy of 0.8 and 0.2."""


@pytest.mark.parametrize(
    ("made", "given", "limit", "beyond", "observed"),
    [
        (K, A, {"at_least": 3}, {"at_least": 4}, 3),
        (K, A | {"entity": "patient"}, {"at_least": 2}, {"at_least": 3}, 2),
        (L, A | {"sensitive": "illness"}, {"at_least": 2}, {"at_least": 3}, 2),
        (L, A | {"sensitive": "illness", "model": "entropy"}, {"at_least": 1.64}, {"at_least": 1.65}, E),
        (T, {"sensitive": "illness"}, {"at_most": 0.25}, {"at_most": 0.24}, 0.25),
        (T, A | {"sensitive": "pain"}, {"at_most": 0.625}, {"at_most": 0.62}, 0.625),
        (T, A | {"sensitive": "pain", "ordered": True}, {"at_most": 0.53}, {"at_most": 0.52}, 25 / 48),
        (RISK, {"statistic": "average"}, {"at_most": 0.375}, {"at_most": 0.37}, 0.375),
        (RISK, MARKETER, {"at_most": 0.375}, {"at_most": 0.37}, 0.375),
        (SHARE, {"k": 2}, {"at_most": 0.125}, {"at_most": 0.12}, 0.125),
        (SHARE, {"k": 4}, {"at_most": 0.5}, {"at_most": 0.49}, 0.5),
        (SHARE, {"risk": 0.3}, {"at_most": 0.5}, {"at_most": 0.49}, 0.5),
        (METRIC, {"metric": "sample_uniques"}, {"at_most": 1}, {"at_most": 0}, 1),
        (METRIC, BELOW, {"at_most": 4}, {"at_most": 3}, 4),
        (METRIC, ANY | {"attacker": {"knows_any": 1}}, {"at_least": 2}, {"at_least": 3}, 2),
    ],
)
def test_figure_is_the_one_counted_by_hand(context, made, given, limit, beyond, observed):
    """The figure is the one counted by hand: the limit itself passes, and the next stricter one fails."""
    given = {"quasi_identifiers": QIDS} | given
    table = pandas_table(context, VISITS)
    found = table.validate(made(**given, **limit), made(**given, **beyond))
    figures = [result.result["observed_value"] for result in found]
    assert ([result.success for result in found], figures) == ([True, False], [pytest.approx(observed)] * 2)


def test_journalist_is_measured_against_the_population(context, tmp_path):
    """The risk of a journalist is one over the size of the class in the population."""
    population = tmp_path / "population.csv"
    population.write_text("age\n" + "30\n" * 5 + "41\n" * 10)
    expectation = ExpectTableReidentificationRiskToBeAtMost(
        quasi_identifiers=["age"], attacker="journalist", at_most=0.2, population=str(population)
    )
    (result,) = pandas_table(context, VISITS).validate(expectation)
    assert (result.success, result.result["observed_value"]) == (True, 0.2)


def test_population_counts_its_own_entities(context, tmp_path):
    """With an entity column a population counts persons, given by name or inside of a mapping."""
    population = tmp_path / "population.csv"
    population.write_text("person,age\n" + "1,30\n" * 5 + "2,30\n" + "3,41\n4,41\n")
    given = {"quasi_identifiers": ["age"], "attacker": "journalist", "at_most": 0.2}
    named = {"population": str(population), "population_entity": "person"}
    mapped = {"population": {"path": str(population), "entity": "person"}}
    table = pandas_table(context, {"age": [30, 30, 41]})
    found = table.validate(
        *(ExpectTableReidentificationRiskToBeAtMost(**given, **p) for p in (named, mapped))
    )
    assert [r.result["observed_value"] for r in found] == [0.5, 0.5]


def test_journalist_without_a_population_is_refused():
    """Without a population the risk of a journalist has no number, and the sentence says what is missing."""
    with pytest.raises(ValueError, match="is measured against the population, and none is given"):
        ExpectTableReidentificationRiskToBeAtMost(
            quasi_identifiers=["age"], attacker="journalist", at_most=0.5
        )


def test_weights_estimate_the_sampling_fraction(context):
    """A weight column says how many of the population each record stands for."""
    given = {"metric": "population_uniqueness_dankar", "quasi_identifiers": QIDS, "at_most": 0.9}
    table = VISITS | {"weight": [2.0] * 8}
    found = pandas_table(context, table).validate(
        ExpectTablePrivacyMetricToBeWithin(**given, weight="weight"),
        ExpectTablePrivacyMetricToBeWithin(**given, sampling_fraction=0.5),
    )
    assert found[0].result["observed_value"] == found[1].result["observed_value"] is not None


def test_source_says_what_means_missing(context):
    """A text that means missing is one group with what is missing, once it is declared."""
    table = {"age": ["30", "30", "?", None]}
    expectations = [
        ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["age"], at_least=2, source=source)
        for source in (None, {"missing": ["?"]})
    ]
    found = pandas_table(context, table).validate(*expectations)
    assert [(r.success, r.result["observed_value"]) for r in found] == [(False, 1), (True, 2)]


def test_result_says_what_a_report_says(context):
    """The details are a threshold and its classes as a report has them, with counts and no reason."""
    expectation = ExpectTablePrivacyMetricToBeWithin(
        metric="k_anonymity",
        quasi_identifiers=["age"],
        at_least=2,
        entity="patient",
        combination="voter list",
    )
    (result,) = pandas_table(context, VISITS).validate(expectation)
    details = result.result["details"]
    threshold = details.pop("threshold")
    assert threshold["sentence"] == (
        "k-anonymity is 2 entities, must be at least 2 (exactly at the limit), over age"
        " (combination voter list)."
    )
    assert details == {
        "classes": {
            "combination": "voter list",
            "qids": ["age"],
            "classes": 2,
            "smallest": 2,
            "uniques": 0,
        },
        "records": 8,
        "entities": 6,
        "reason": None,
        "notes": [],
        "exit_code": 0,
    }


def test_missed_limit_says_why(context):
    """A missed limit has a sentence: the figure, the limit, how far off, and over which columns."""
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=QIDS, at_least=5)
    (result,) = pandas_table(context, VISITS).validate(expectation)
    assert result.result["details"]["reason"] == (
        "k-anonymity is 1 record, must be at least 5 (4 short), over sex, age."
    )
    assert result.result["details"]["exit_code"] == 1


def test_warning_passes_and_says_that_it_is_missed(context):
    """What only warns never fails, as in an audit; the threshold says that it is missed."""
    expectation = ExpectTablePrivacyMetricToBeWithin(
        metric="k_anonymity", quasi_identifiers=QIDS, at_least=5, on_miss="warn"
    )
    (result,) = pandas_table(context, VISITS).validate(expectation)
    threshold = result.result["details"]["threshold"]
    assert (result.success, threshold["is_met"], threshold["is_warning"]) == (True, False, True)


@pytest.mark.parametrize("severity", ["critical", "warning", "info"])
def test_severity_is_the_one_of_great_expectations(context, severity):
    """Severity changes no verdict; it is carried to the result."""
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=QIDS, at_least=2, severity=severity)
    (result,) = pandas_table(context, VISITS).validate(expectation)
    assert result.success is False
    assert result.to_json_dict()["expectation_config"]["severity"] == severity


@pytest.mark.parametrize("result_format", ["BOOLEAN_ONLY", "BASIC", "SUMMARY", "COMPLETE"])
def test_no_result_format_shows_values(context, result_format):
    """No format of results has unexpected values: they would be rows of small classes."""
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=QIDS, at_least=2)
    run = pandas_table(context, VISITS).run(expectation, result_format=result_format)
    assert run.success is False
    text = json.dumps(run.to_json_dict()["results"])
    assert "unexpected" not in text.replace('"partial_unexpected_count"', "")
    assert "flu" not in text


def test_single_expectation_on_a_batch(context):
    """An expectation can be tried on a batch alone, and through a validator's method of its name."""
    table = pandas_table(context, VISITS)
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=QIDS, at_least=2)
    assert table.batch().validate(expectation).success is False
    validator = context.get_validator(batch=table.batch())
    result = validator.expect_table_k_anonymity_to_be_at_least(quasi_identifiers=["age"], at_least=3)
    assert (result.success, result.result["observed_value"]) == (True, 3)


def test_suite_is_kept_and_read_again():
    """What a suite stores of an expectation makes the same expectation again."""
    expectation = ExpectTablePrivacyMetricToBeWithin(
        metric="k_anonymity",
        quasi_identifiers=QIDS,
        at_least={"$PARAMETER": "k"},
        attacker={"knows_any": 1},
        source={"missing": ["?"]},
    )
    stored = json.loads(json.dumps(expectation.configuration.to_json_dict()))
    again = ExpectTablePrivacyMetricToBeWithin(**stored["kwargs"])
    assert again == expectation
