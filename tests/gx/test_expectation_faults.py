"""Whatever goes wrong fails, says so in one sentence, and shows no value of the table."""

import json
import logging

import pandas as pd
import pytest

from gx_batches import pandas_table
from qidguard.engines.duckdb.table import DuckdbTable
from qidguard.interfaces import batch_judging
from qidguard.policy.origin import value_digest
from qidguard_expectations import (
    ExpectTableColumnsToBeAsApproved,
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTablePrivacyMetricToBeWithin,
    ExpectTableReidentificationRiskToBeAtMost,
    ExpectTableShareAtRiskToBeAtMost,
    ExpectTableTClosenessToBeAtMost,
    ExpectTableToMeetPrivacyPolicy,
    answers,
)
from qidguard_expectations.expectations.privacy import ANSWER

pytestmark = pytest.mark.gx

MARK = "Xq7secret"
SECRETS = {
    "person": [f"{MARK}p{i}" for i in range(6)],
    "name": [f"{MARK}n{i // 2}" for i in range(6)],
    "age": [f"{MARK}a{i // 3}" for i in range(6)],
    "illness": [f"{MARK}i{i % 2}" for i in range(6)],
}
QIDS = ["name", "age"]
POLICY = {
    "qidguard": 1,
    "name": "p",
    "roles": {"quasi_identifiers": QIDS, "sensitive": ["illness"], "insensitive": ["person"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}, {"metric": "t_closeness", "at_most": 0.1}],
}


def every(qids=QIDS, **given):
    """Return each of our expectations."""
    return [
        ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=qids, at_least=2, **given),
        ExpectTableLDiversityToBeAtLeast(quasi_identifiers=qids, sensitive="illness", at_least=2, **given),
        ExpectTableTClosenessToBeAtMost(quasi_identifiers=qids, sensitive="illness", at_most=0.1, **given),
        ExpectTableReidentificationRiskToBeAtMost(quasi_identifiers=qids, at_most=0.2, **given),
        ExpectTableShareAtRiskToBeAtMost(quasi_identifiers=qids, at_most=0.1, k=3, **given),
        ExpectTablePrivacyMetricToBeWithin(
            metric="suda_dis_max", quasi_identifiers=qids, at_most=0.1, **given
        ),
        ExpectTableColumnsToBeAsApproved(columns=["name"]),
        ExpectTableToMeetPrivacyPolicy(policy=POLICY, policy_sha256=value_digest(POLICY)),
    ]


def test_no_value_is_shown(context, caplog):
    """No result, no rendered page and no log line holds a value of the table."""
    caplog.set_level(logging.DEBUG)
    run = pandas_table(context, SECRETS).run(*every(), result_format="COMPLETE")
    for result in run.results:
        result.render()
    assert run.success is False
    assert MARK not in json.dumps(run.to_json_dict())
    assert MARK not in str(run)
    assert MARK not in caplog.text


def raising(error):
    """Return a function that raises."""

    def raised(*_, **__):
        raise error

    return raised


SPOTS = {
    "host": (answers, "load_host"),
    "planning": (batch_judging, "plan"),
    "measuring": (batch_judging, "measure"),
    "describing": (batch_judging, "summarize"),
    "notes": (batch_judging, "notes_on"),
    "auditing": (batch_judging, "report_on"),
    "statistics": (DuckdbTable, "statistics"),
    "doubts": (batch_judging, "doubts"),
}
OF_THRESHOLDS = ("measuring", "describing", "notes", "doubts")
"""Where a fault concerns single figures only: an audit has these steps of its own."""


@pytest.mark.parametrize("error", [ValueError(MARK), KeyError(MARK), SystemExit(MARK), MemoryError(MARK)])
@pytest.mark.parametrize("spot", SPOTS)
def test_no_fault_passes_or_shows_a_value(context, caplog, monkeypatch, spot, error):
    """A fault anywhere fails; of its words, which may be values, only the type is shown."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(*SPOTS[spot], raising(error))
    table = pandas_table(context, SECRETS | {"name": [f"{MARK}n"] * 6})
    policy = POLICY | {"thresholds": [{"metric": "k_anonymity", "at_least": 2}]}
    run = table.run(
        ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=QIDS, at_least=2),
        ExpectTableToMeetPrivacyPolicy(policy=policy, policy_sha256=value_digest(policy)),
    )
    passes = {"auditing": [True, False]} | {one: [False, True] for one in OF_THRESHOLDS}
    assert [result.success for result in run.results] == passes.get(spot, [False, False])
    text = json.dumps(run.to_json_dict())
    assert MARK not in text
    assert MARK not in caplog.text
    assert type(error).__name__ in text
    raised = [result.exception_info["raised_exception"] for result in run.results]
    assert raised == [not result.success for result in run.results]


def test_stop_by_hand_is_no_answer(context, monkeypatch):
    """Ctrl-C stops the run; it is not turned into a result."""
    monkeypatch.setattr(batch_judging, "measure", raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        pandas_table(context, SECRETS).validate(every()[0])


@pytest.mark.parametrize("metrics", [{}, {ANSWER: None}, {ANSWER: True}, {ANSWER: {"is_passed": True}}])
def test_missing_answer_fails(metrics):
    """Without the answer of the batch nothing passes, whatever stands in its place."""
    for expectation in every():
        found = expectation._validate(metrics=metrics)
        assert found["success"] is False
        assert found["result"]["details"]["exit_code"] == 3
        assert "gave no answer" in found["result"]["details"]["reason"]


@pytest.mark.parametrize(
    ("person", "reason"),
    [
        (["a", "b", None, "c", "d", "e"], "is missing in 1 of 6 records"),
        ([None] * 6, "is missing in 6 of 6 records"),
        (["a", "b", "?", "c", "d", "NA"], "holds NaN or a text such as ? or NA in 2 records"),
    ],
)
def test_persons_that_cannot_be_counted_fail(context, person, reason):
    """A record without an entity may be anybody's: the figure is there, and nothing passes."""
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["age"], at_least=2, entity="person")
    (result,) = pandas_table(context, SECRETS | {"person": person}).validate(expectation)
    assert result.success is False
    assert reason in result.result["details"]["reason"]
    assert result.result["details"]["exit_code"] == 1


def test_warning_on_persons_that_cannot_be_counted_fails(context):
    """What only warns still fails where its figure means nothing."""
    expectation = ExpectTablePrivacyMetricToBeWithin(
        metric="k_anonymity", quasi_identifiers=["age"], at_least=9, entity="person", on_miss="warn"
    )
    (result,) = pandas_table(context, SECRETS | {"person": [None] * 6}).validate(expectation)
    assert result.success is False


@pytest.mark.parametrize(
    "column",
    [[1, "x", 2, 3, 4, 5], [[1], [2], [1], [1], [1], [1]], [{"a": 1}] * 6, [1j] * 6, [b"x"] * 6],
    ids=["mixed", "lists", "mappings", "complex", "bytes"],
)
def test_column_that_cannot_be_grouped_fails(context, column):
    """A QID whose values are no plain values of one kind is refused by its name."""
    table = pd.DataFrame({"age": pd.Series(column, dtype="object")})
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["age"], at_least=2)
    (result,) = pandas_table(context, table).validate(expectation)
    assert (result.success, result.result["observed_value"]) == (False, None)
    assert "'age'" in result.result["details"]["reason"]


def test_other_columns_are_no_matter_of_one_figure(context):
    """A column that a figure does not name may hold anything; a whole policy still refuses it."""
    table = pd.DataFrame(SECRETS | {"person": pd.Series([[1]] * 6, dtype="object")})
    policy = ExpectTableToMeetPrivacyPolicy(policy=POLICY, policy_sha256=value_digest(POLICY))
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["age"], at_least=3)
    found = pandas_table(context, table).validate(policy, expectation)
    assert [result.success for result in found] == [False, True]
    assert "'person'" in found[0].result["details"]["reason"]


@pytest.mark.parametrize(("records", "observed"), [(0, None), (1, 1), (2, 2)])
def test_smallest_batches(context, records, observed):
    """A batch without a record has no figure; one record is one class, and so are two alike."""
    table = pd.DataFrame({"age": [30] * records})
    expectation = ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["age"], at_least=2)
    (result,) = pandas_table(context, table).validate(expectation)
    assert (result.success, result.result["observed_value"]) == (records == 2, observed)
