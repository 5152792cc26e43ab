"""Auditing in a task: verdicts, sentences, retries, and what is left behind."""

import inspect
import json

import pandas as pd
import pytest
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from qidguard.budget import BudgetError
from qidguard.core.errors import ChangedError, InternalError, PluginError, UserError
from qidguard.ledger import LedgerError
from qidguard_provider.operators import (
    QidguardAnonymizeOperator,
    QidguardAuditOperator,
    QidguardExceptionOperator,
    QidguardReauditOperator,
    QidguardReleaseOperator,
    QidguardVerifyOperator,
)
from ward import FAILURE, SECRET, SENTENCES

CHECK = "qidguard.sdk.check"

pytestmark = pytest.mark.airflow


def _audit(source="bad.csv", **given):
    return QidguardAuditOperator(**{"task_id": "audit", "policy": "ward.yaml", "source": source, **given})


def test_a_good_table_passes(ward, tried):
    """The task ends well and leaves names and no sentence."""
    said = tried.execute(_audit("ward.csv"))
    assert {**said, "audit_id": None} == {
        "data_set": "ward",
        "audit_id": None,
        "release_id": None,
        "outcome": "passed",
        "address": None,
        "sentences": [],
        "policy": str(ward.folder / "ward.yaml"),
        "missed_metrics": [],
        "is_coverable": False,
        "is_remediable": False,
    }
    assert [entry.id for entry in ward.entries] == [said["audit_id"]]


def test_a_bad_table_fails_the_task_without_a_retry(ward, tried):
    """The failure says every reason, and what was found is left for links and later tasks."""
    with pytest.raises(AirflowFailException) as caught:
        tried.execute(_audit())
    assert str(caught.value) == FAILURE
    assert tried.left["return_value"]["sentences"] == list(SENTENCES)
    assert tried.left["return_value"]["missed_metrics"] == ["k_anonymity", "persons_isolated_over_releases"]
    assert tried.left["return_value"]["audit_id"] == ward.entries[0].id
    assert set(tried.left) == {"return_value"}


def test_a_block_can_leave_the_decision_to_later_tasks(tried):
    """With fail_on_block=False the task ends well, and its outcome says blocked."""
    said = tried.execute(_audit(fail_on_block=False))
    assert (said["outcome"], said["sentences"]) == ("blocked", list(SENTENCES))
    assert tried.left == {}


def test_what_is_not_pushed_stays_unpushed(tried):
    """A task without XCom leaves none when it fails either."""
    with pytest.raises(AirflowFailException):
        tried.execute(_audit(do_xcom_push=False))
    assert tried.left == {}


def test_the_ledger_says_what_started_it(ward, tried):
    """The entry names the DAG, the task, the run, its mapped index and its try."""
    tried.map_index, tried.try_number = 3, 2
    tried.execute(_audit("ward.csv"))
    by = {
        name: value for name, value in ward.entries[0].payload["by"].items() if name not in {"user", "host"}
    }
    assert by == {
        "door": "airflow",
        "dag_id": "gate",
        "task_id": "audit",
        "run_id": "manual__2026-11-21T12:00:00+00:00",
        "map_index": "3",
        "try_number": "2",
    }


@pytest.mark.parametrize(
    ("operator", "its_own"),
    [
        (QidguardAuditOperator, "policy source data_set deferrable"),
        (QidguardReleaseOperator, "policy source to release_id data_set deferrable"),
        (QidguardAnonymizeOperator, "policy source to data_set deferrable"),
        (QidguardReauditOperator, "policy data_set release_id deferrable"),
        (
            QidguardVerifyOperator,
            "address policy public_key data_set release_id is_unsigned_allowed is_elsewhere_allowed",
        ),
        (QidguardExceptionOperator, "audit_id answer covers approver_conn_id"),
    ],
)
def test_a_signature_shows_what_an_operator_takes(operator, its_own):
    """Who asks an editor, or help(), reads every argument, the data set under one word everywhere."""
    shown = inspect.signature(operator).parameters
    assert {*its_own.split(), "qidguard_conn_id"} == set(shown) - {"fail_on_block", "kwargs"}


def test_fields_are_templates(ward, tried):
    """Policy, source, data set and connection are rendered."""
    ward.write("other.yaml", "\n".join(ward.folder.joinpath("ward.yaml").read_text().splitlines()[:-1]))
    operator = _audit("{{ run_id[:0] }}ward.csv", policy="{{ 'other' }}.yaml", data_set="{{ dag.dag_id }}-x")
    assert tried.execute(operator)["data_set"] == "gate-x"


@pytest.mark.parametrize("source", [None, "", "{{ '' }}", " "])
def test_without_a_source_the_policy_says_where_the_table_is(ward, tried, source):
    """``source.path`` is looked up beside the policy; a template that gives nothing gives no source."""
    policy = ward.folder.joinpath("ward.yaml").read_text()
    ward.write("own.yaml", policy + "source: {path: ward.csv}\n")
    assert tried.execute(_audit(source, policy="own.yaml"))["outcome"] == "passed"


def test_without_any_source_the_sentence_says_where_to_name_one(tried):
    """Neither the task nor the policy names a table."""
    with pytest.raises(AirflowFailException, match=r"give source=, or write source: path: in the policy"):
        tried.execute(_audit(None))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"policy": "none.yaml"}, "none.yaml"),
        ({"source": "none.csv"}, "none.csv"),
        ({"data_set": "other"}, "The policy calls the data set 'ward'"),
        ({"qidguard_conn_id": "other"}, "There is no connection 'other'"),
    ],
)
def test_mistakes_fail_without_a_retry(tried, given, sentence):
    """A mistake of the user is one sentence, and no second try would help."""
    with pytest.raises(AirflowFailException, match=sentence):
        tried.execute(_audit(**{"source": "ward.csv", **given}))


def test_a_table_is_refused_when_the_dag_is_read():
    """Neither a frame nor a list is an address; no value of it is in the sentence."""
    with pytest.raises(UserError) as caught:
        _audit(pd.DataFrame({"illness": [SECRET]}))
    assert str(caught.value) == (
        "source must be a path or URL, not a Python DataFrame: nothing but addresses pass between tasks, so"
        " write a table to a file and give its address."
    )


def test_a_table_is_refused_when_the_task_runs(tried):
    """What another task leaves is looked at, too."""
    operator = _audit("ward.csv")
    operator.source = pd.DataFrame({"illness": [SECRET]})
    context = tried.context(operator)
    with pytest.raises(AirflowFailException, match="not a Python DataFrame"):
        operator.execute(context)


@pytest.mark.parametrize("error", [LedgerError, PluginError, InternalError])
def test_failures_that_may_pass_are_retried(tried, monkeypatch, error):
    """A ledger, a plugin or qidguard itself that fails is no mistake of the user."""
    monkeypatch.setattr(CHECK, _raising(error("It is away for a moment.")))
    with pytest.raises(AirflowException, match=r"It is away for a moment\.") as caught:
        tried.execute(_audit("ward.csv"))
    assert not isinstance(caught.value, AirflowFailException)


def test_what_passes_by_itself_is_retried(tried, monkeypatch):
    """A table that changed while it was read is another one a little later, mistake or not."""
    monkeypatch.setattr(CHECK, _raising(ChangedError("It changed meanwhile.")))
    with pytest.raises(AirflowException, match=r"It changed meanwhile\.") as caught:
        tried.execute(_audit("ward.csv"))
    assert not isinstance(caught.value, AirflowFailException)


def test_a_budget_that_is_spent_is_not_retried(tried, monkeypatch):
    """It blocks, and a second try would find it spent as well."""
    monkeypatch.setattr(CHECK, _raising(BudgetError("It is spent.")))
    with pytest.raises(AirflowFailException, match=r"It is spent\."):
        tried.execute(_audit("ward.csv"))


def test_a_foreign_exception_says_its_kind_alone(tried, monkeypatch, capfd):
    """Its words could carry values; neither the failure nor what hangs on it, nor the log, has them."""
    monkeypatch.setattr(CHECK, _raising(ValueError(SECRET)))
    with pytest.raises(AirflowException) as caught:
        tried.execute(_audit("ward.csv"))
    assert str(caught.value) == "internal error (ValueError), so nothing was let through"
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert SECRET not in "".join(capfd.readouterr())


def test_a_broken_plugin_fails_even_where_a_block_would_not(tried, monkeypatch):
    """A verdict that a fault made is no verdict: the task is retried, whatever fail_on_block says."""
    from dataclasses import replace

    from qidguard_provider import verdicts

    original = verdicts.of_recorded
    faulty = lambda *given: replace(original(*given), is_fault=True)  # noqa: E731 - it stands for a function
    monkeypatch.setattr("qidguard_provider.verdicts.of_recorded", faulty)
    with pytest.raises(AirflowException, match="is blocked") as caught:
        tried.execute(_audit(fail_on_block=False))
    assert not isinstance(caught.value, AirflowFailException)


def test_nothing_that_is_left_carries_a_value(tried, capfd, caplog):
    """Log, failure and XCom of a blocked table show no value of it; the log says why before Airflow does."""
    with pytest.raises(AirflowFailException) as caught:
        tried.execute(_audit())
    log = "".join(capfd.readouterr()) + caplog.text
    assert SECRET not in log + str(caught.value) + json.dumps(tried.left)
    assert str(caught.value) == FAILURE
    assert [log.count(sentence) for sentence in SENTENCES] == [1] * len(SENTENCES)


def test_a_secret_in_an_address_is_masked(tried):
    """A password in the URL of a table is no part of what Airflow shows, nor of what is left."""
    from airflow.sdk.log import _secrets_masker

    source = "s3://key:open-sesame@bucket/ward.csv"
    operator = _audit(source)
    assert _secrets_masker().redact({"source": operator.source}) == {"source": "***"}
    with pytest.raises(AirflowException) as caught:
        tried.execute(operator)
    assert "open-sesame" not in str(caught.value) + json.dumps(tried.left)


def test_progress_is_told_in_the_log(tried, capfd):
    """Each finished piece of work is a line."""
    tried.execute(_audit("ward.csv"))
    assert "loading: done" in "".join(capfd.readouterr())


def _raising(error):
    def stand_in(*_given, **_more):
        raise error

    return stand_in
