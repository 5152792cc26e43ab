"""Arguments of expectations: wrong ones are refused in words, and limits may be given when a suite runs."""

import copy

import pytest
from great_expectations.exceptions import GreatExpectationsError

from gx_batches import pandas_table
from qidguard_expectations import (
    ExpectTableColumnsToBeAsApproved,
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTablePrivacyMetricToBeWithin,
    ExpectTableReidentificationRiskToBeAtMost,
    ExpectTableShareAtRiskToBeAtMost,
    ExpectTableTClosenessToBeAtMost,
    ExpectTableToMeetPrivacyPolicy,
)

pytestmark = pytest.mark.gx

K, L, T, RISK, SHARE, METRIC = (
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTableTClosenessToBeAtMost,
    ExpectTableReidentificationRiskToBeAtMost,
    ExpectTableShareAtRiskToBeAtMost,
    ExpectTablePrivacyMetricToBeWithin,
)
A = {"quasi_identifiers": ["a"]}
WHOLE = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": ["a"]},
    "thresholds": [{"metric": "k_anonimity", "at_least": 5}],
}
TABLE = {"a": [1, 1, 1, 2, 2, 2], "s": ["x", "y", "x", "y", "x", "y"]}


@pytest.mark.parametrize(
    ("made", "given", "sentence"),
    [
        (K, {"quasi_identifiers": [], "at_least": 2}, "quasi_identifiers must name at least one column"),
        (K, {"quasi_identifiers": "a", "at_least": 2}, "must be a list of columns"),
        (K, {"quasi_identifiers": ["a", "a"], "at_least": 2}, "names the column 'a' twice"),
        (K, {"quasi_identifiers": [1], "at_least": 2}, "must be text, not 1"),
        (K, A, "at_least\n  field required"),
        (K, A | {"at_least": "5"}, "at_least must be a number, not '5'"),
        (K, A | {"at_least": True}, "at_least must be a number, not true"),
        (K, A | {"at_least": float("nan")}, "at_least must be a finite number"),
        (K, A | {"at_least": float("inf")}, "at_least must be a finite number"),
        (K, A | {"at_least": {}}, "at_least must be a number, not a mapping"),
        (K, A | {"at_least": {"PARAMETER": "k"}}, "at_least must be a number, not a mapping"),
        (K, A | {"at_least": 2, "entity": "a"}, "cannot be a QID and the entity at once"),
        (K, A | {"at_least": 2, "entity": 3}, "entity must be text, not 3"),
        (K, A | {"at_least": 2, "at_most": 3}, "extra fields not permitted"),
        (K, A | {"at_least": 2, "source": {"missing": "?"}}, "source.missing must be a list"),
        (K, A | {"at_least": 2, "source": {"mising": ["?"]}}, "there is no field source.mising"),
        (K, {"at_least": 2}, "quasi_identifiers\n  field required"),
        (L, A | {"at_least": 2}, "sensitive\n  field required"),
        (L, A | {"at_least": 2, "sensitive": "a"}, "'a' is the only quasi-identifier, and it is measured"),
        (L, A | {"at_least": 2, "sensitive": "s", "model": "recursive"}, "model\n  unexpected value"),
        (T, A | {"at_most": 0.2, "sensitive": "s", "ordered": "yes"}, "not a valid boolean"),
        (RISK, A | {"at_most": 0.2, "attacker": "marketer"}, "a marketer is an average over persons"),
        (RISK, A | {"at_most": 0.2, "attacker": "me"}, "attacker\n  unexpected value"),
        (RISK, A | {"at_most": 0.2, "population_entity": "p"}, "population names none"),
        (RISK, A | {"at_most": 0.2, "sampling_fraction": 2}, "must be above 0 and at most 1"),
        (SHARE, A | {"at_most": 0.2}, "write exactly one of them"),
        (SHARE, A | {"at_most": 0.2, "k": 5, "risk": 0.2}, "write exactly one of them"),
        (SHARE, A | {"at_most": 0.2, "k": 2.5}, "k must be int, not 2.5"),
        (METRIC, A | {"metric": "k_anonymity", "at_least": 2, "at_most": 3}, "both at_least and at_most"),
        (METRIC, A | {"metric": " ", "at_least": 2}, "metric must not be empty"),
        (METRIC, A | {"at_least": 2}, "metric\n  field required"),
        (METRIC, A | {"metric": "k_anonymity"}, "the expectation has neither at_least nor at_most"),
        (METRIC, A | {"metric": "m", "at_least": 2, "attacker": {"knows_any": 2}}, "there is only 1 QID"),
        (METRIC, A | {"metric": "m", "at_least": 2, "attacker": "some"}, "must be all, or knows_any"),
        (
            METRIC,
            A | {"metric": "k_anonymity", "at_least": 2, "on_miss": "shrug"},
            "on_miss\n  unexpected value",
        ),
        (
            METRIC,
            A | {"metric": "m", "at_least": 2, "parameters": {"k": {"$PARAMETER": "k"}}},
            "parameters.k",
        ),
        (ExpectTableColumnsToBeAsApproved, {"columns": []}, "columns must name at least one column"),
        (ExpectTableColumnsToBeAsApproved, {"columns": ["a", "a"]}, "names 'a' twice"),
        (ExpectTableToMeetPrivacyPolicy, {"policy": {"qidguard": 1}, "policy_sha256": "x"}, "lacks 'name'"),
        (
            ExpectTableToMeetPrivacyPolicy,
            {"policy": WHOLE, "policy_sha256": "x"},
            "there is no metric 'k_anonimity'; did you mean 'k_anonymity'?",
        ),
        (ExpectTableToMeetPrivacyPolicy, {"policy": {}}, "policy_sha256\n  field required"),
    ],
)
def test_wrong_arguments_are_refused(made, given, sentence):
    """What no batch could make right is refused when the expectation is made, in one sentence."""
    with pytest.raises(ValueError, match="validation error") as refused:
        made(**given)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("made", "given", "reason"),
    [
        (K, {"quasi_identifiers": "auto", "at_least": 2}, "must be a list of columns"),
        (K, A | {"at_least": 2, "source": {"delimiter": ";"}}, "source.delimiter says how a file is read"),
        (RISK, A | {"at_most": 0.2, "attacker": "journalist"}, "is measured against the population"),
        (METRIC, A | {"metric": "k_map", "at_least": 5}, "is measured against the population, and none is"),
        (K, A | {"at_least": 0}, "at_least 0 lies outside the metric's range"),
        (L, A | {"sensitive": "s", "at_least": -1}, "lies outside the metric's range"),
        (T, A | {"sensitive": "s", "at_most": 1.5}, "at_most 1.5 lies outside the metric's range 0..1"),
        (SHARE, A | {"at_most": 0.2, "k": 1}, "k must be at least 2"),
        (SHARE, A | {"at_most": 0.2, "risk": 2}, "risk must lie in 0.0..1.0"),
        (METRIC, A | {"metric": "k_anonimity", "at_least": 2}, "did you mean 'k_anonymity'?"),
        (METRIC, A | {"metric": "k_anonymity", "at_most": 5}, "would let every unsafe table through"),
        (
            METRIC,
            A | {"metric": "k_anonymity", "at_least": 2, "parameters": {"q": 1}},
            "unknown parameter 'q'",
        ),
        (METRIC, A | {"metric": "t_closeness", "at_most": 0.2}, "needs a sensitive attribute"),
        (METRIC, A | {"metric": "k_anonymity", "at_least": 2, "sensitive": "s"}, "remove sensitive"),
        (METRIC, A | {"metric": "columns_appeared", "at_most": 0}, "is measured against earlier releases"),
        (METRIC, A | {"metric": "ncp", "at_most": 0.5}, "measured against the table that this one was made"),
        (
            METRIC,
            A | {"metric": "k_anonimity", "at_least": {"$PARAMETER": "k"}},
            "did you mean 'k_anonymity'?",
        ),
        (SHARE, A | {"at_most": {"$PARAMETER": "share"}, "k": 1}, "k must be at least 2"),
        (K, A | {"at_least": 2, "row_condition": "a > 1"}, "row_condition is not supported: the records"),
        (K, A | {"at_least": 2, "condition_parser": "pandas"}, "condition_parser is not supported"),
    ],
)
def test_what_can_never_run_is_refused(made, given, reason):
    """What no batch could be judged by is refused when the expectation is made, in words of its arguments."""
    with pytest.raises(ValueError, match="1 validation error for Expect") as refused:
        made(**given)
    sentence = str(refused.value)
    assert reason in sentence
    internals = ("__root__", "policy:", "threshold on", "thresholds[", "roles.", "'threshold'")
    assert not [name for name in internals if name in sentence]


@pytest.mark.parametrize(
    ("made", "given", "reason"),
    [
        (K, {"quasi_identifiers": ["b"], "at_least": 2}, "the table has no column 'b'"),
        (K, {"quasi_identifiers": ["A"], "at_least": 2}, "the table has no column 'A'"),
        (K, A | {"at_least": 2, "entity": "person"}, "the table has no column 'person'"),
        (L, A | {"at_least": 2, "sensitive": "ill"}, "the table has no column 'ill'"),
    ],
)
def test_what_does_not_fit_fails_with_a_reason(context, made, given, reason):
    """What only a batch can refuse is a failed result, and stands where Great Expectations says why."""
    (result,) = pandas_table(context, TABLE).validate(made(**given))
    assert result.success is False
    assert result.result["observed_value"] is None
    assert reason in result.result["details"]["reason"]
    assert result.result["details"]["exit_code"] == 2
    assert result.exception_info["raised_exception"] is True
    assert result.exception_info["exception_message"] == result.result["details"]["reason"]


def test_a_missed_limit_is_no_exception(context):
    """What was judged and fails is a result like any other."""
    (result,) = pandas_table(context, TABLE).validate(K(**A, at_least=4))
    assert (result.success, result.exception_info["raised_exception"]) == (False, False)
    assert result.exception_info["exception_message"] is None


LIMITED = [
    (K(**A, at_least={"$PARAMETER": "limit"}), 3, 4),
    (L(**A, sensitive="s", at_least={"$PARAMETER": "limit"}), 2, 3),
    (T(**A, sensitive="s", at_most={"$PARAMETER": "limit"}), 0.5, 0.1),
    (RISK(**A, at_most={"$PARAMETER": "limit"}), 0.4, 0.3),
    (SHARE(**A, at_most=0.5, k={"$PARAMETER": "limit"}), 3, 4),
    (SHARE(**A, at_most=0.5, risk={"$PARAMETER": "limit"}), 0.4, 0.3),
    (METRIC(**A, metric="k_anonymity", at_least={"$PARAMETER": "limit"}), 3, 4),
    (METRIC(**A, metric="share_unique", at_most={"$PARAMETER": "limit"}), 0, None),
]


@pytest.mark.parametrize(("expectation", "passes", "fails"), LIMITED)
def test_limit_is_given_when_the_suite_runs(context, expectation, passes, fails):
    """A limit that is a parameter is judged by the value that the run gives it."""
    table = pandas_table(context, TABLE)
    given = [passes] if fails is None else [passes, fails]
    found = [table.validate(copy.copy(expectation), parameters={"limit": value}) for value in given]
    assert [result.success for (result,) in found] == [True, False][: len(given)]


NAMED = [
    (K(quasi_identifiers={"$PARAMETER": "names"}, at_least=3), ["a"], ["a", "s"]),
    (K(**A, at_least=2, entity={"$PARAMETER": "names"}), "s", "nobody"),
    (L(**A, sensitive={"$PARAMETER": "names"}, at_least=2), "s", "one"),
    (METRIC(**A, metric="t_closeness", sensitive={"$PARAMETER": "names"}, at_most=0.3), "s", "nobody"),
    (
        METRIC(
            quasi_identifiers={"$PARAMETER": "names"},
            metric="k_anonymity",
            at_least=3,
            attacker={"knows_any": 1},
        ),
        ["a", "s"],
        [],
    ),
    (ExpectTableColumnsToBeAsApproved(columns={"$PARAMETER": "names"}), ["a", "s", "one"], ["a", "s"]),
]


@pytest.mark.parametrize(("expectation", "passes", "fails"), NAMED)
def test_columns_are_given_when_the_suite_runs(context, expectation, passes, fails):
    """Columns that are a parameter are those that the run gives; others fail or are refused."""
    table = pandas_table(context, TABLE | {"one": ["x"] * 6})
    (result,) = table.validate(copy.copy(expectation), parameters={"names": passes})
    assert result.success is True, result
    (result,) = table.validate(copy.copy(expectation), parameters={"names": fails})
    assert result.success is False


@pytest.mark.parametrize("value", [3, None, "a", [3], [], {"$PARAMETER": "names"}, ["a", "a"]])
def test_columns_that_are_none_fail(context, value):
    """A parameter that names no columns is a failed expectation that says so, and no end of the run."""
    expectation = K(quasi_identifiers={"$PARAMETER": "names"}, at_least=2)
    (result,) = pandas_table(context, TABLE).validate(expectation, parameters={"names": value})
    assert result.success is False
    assert result.exception_info["raised_exception"] is True
    assert result.exception_info["exception_message"].startswith("quasi_identifiers")


@pytest.mark.parametrize("parameters", [None, {}, {"other": 3}])
def test_limit_that_nobody_gives_fails(context, parameters):
    """A run that does not give the parameter has no result at all."""
    expectation = K(**A, at_least={"$PARAMETER": "limit"})
    with pytest.raises(GreatExpectationsError, match="limit"):
        pandas_table(context, TABLE).validate(expectation, parameters=parameters)


@pytest.mark.parametrize("value", ["3", True, None, float("nan"), [3], {"$PARAMETER": "limit"}])
def test_limit_that_is_no_number_fails(context, value):
    """A parameter that is no number is a failed expectation that says so, and no end of the run."""
    expectation = K(**A, at_least={"$PARAMETER": "limit"})
    (result,) = pandas_table(context, TABLE).validate(expectation, parameters={"limit": value})
    assert result.success is False
    assert result.exception_info["raised_exception"] is True
    assert "at_least" in result.exception_info["exception_message"]
    assert result.result["details"]["exit_code"] == 2


@pytest.mark.parametrize("value", ["many", 0.5, [3]])
def test_what_a_run_gives_wrongly_concerns_one_expectation(context, value):
    """The others of the suite are judged all the same."""
    wrong, right = K(**A, at_least={"$PARAMETER": "limit"}), K(**A, at_least=2)
    results = pandas_table(context, TABLE).validate(wrong, right, parameters={"limit": value})
    assert [result.success for result in results] == [False, True]


def test_changed_expectation_is_judged_by_what_it_is_now(context):
    """A limit that is changed after the expectation was made is the one that counts."""
    expectation = K(**A, at_least=3)
    expectation.at_least = 4
    (result,) = pandas_table(context, TABLE).validate(expectation)
    assert result.success is False


def test_changed_to_nonsense_fails(context):
    """An expectation that was changed to nonsense after it was made lets nothing pass."""
    expectation = K(**A, at_least=3)
    expectation.at_least = "many"
    try:
        (result,) = pandas_table(context, TABLE).validate(expectation)
    except (ValueError, GreatExpectationsError):
        return
    assert result.success is False
