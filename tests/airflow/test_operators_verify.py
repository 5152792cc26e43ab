"""Verifying and re-auditing what is published, in a task."""

import json
from pathlib import Path

import pytest
from airflow.sdk.exceptions import AirflowFailException

from qidguard.evidence.key_roles import KeyRole, declare_role
from qidguard.evidence.keys import new_key_pair
from qidguard_provider.operators import (
    QidguardReauditOperator,
    QidguardReleaseOperator,
    QidguardVerifyOperator,
)

pytestmark = pytest.mark.airflow


@pytest.fixture
def public(ward):
    """Return the public key of the ward's signing key, which its list of keys lets sign releases."""
    folder = ward.home / "keys"
    key = new_key_pair(folder, "signing")
    declare_role(folder, key, KeyRole.RELEASE, "signing")
    return key


def _published(ward, tried, **given):
    usual = {"task_id": "publish", "policy": "ward.yaml", "source": "ward.csv", "to": str(ward.published)}
    return tried.execute(QidguardReleaseOperator(**{**usual, **given}))


def _verify(address, **given):
    return QidguardVerifyOperator(task_id="verify", address=address, **given)


def _tamper(address):
    path = next(path for path in Path(address).iterdir() if path.suffix != ".json")
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b"x")


@pytest.mark.usefixtures("public")
def test_a_release_is_verified_by_the_keys_folder(ward, tried):
    """Where no key is named, those of the home folder are trusted."""
    made = _published(ward, tried)
    said = tried.execute(_verify(made["address"], policy="ward.yaml", data_set="ward"))
    assert (said["outcome"], said["data_set"], said["release_id"]) == ("passed", "ward", made["release_id"])


@pytest.mark.usefixtures("public")
def test_a_changed_release_fails(ward, tried):
    """A file that was changed is found, and the task is not retried."""
    made = _published(ward, tried)
    _tamper(made["address"])
    with pytest.raises(AirflowFailException, match=r"ward is blocked( for \d reasons)?:"):
        tried.execute(_verify(made["address"]))


def test_an_unsigned_release_passes_only_where_that_is_allowed(ward, tried):
    """Nobody vouches for it, so nothing but a word of the DAG's author lets it pass."""
    made = _published(ward, tried)
    with pytest.raises(AirflowFailException, match="signed by nobody"):
        tried.execute(_verify(made["address"]))
    assert tried.execute(_verify(made["address"], is_unsigned_allowed=True))["outcome"] == "passed"


def test_a_release_from_elsewhere_is_refused_where_that_is_asked(ward, tried):
    """An unsigned one that whoever sends an event has made lies not where the policy publishes."""
    policy = ward.folder.joinpath("ward.yaml").read_text()
    ward.write("own.yaml", policy.replace("{data_set", f"{{destination: {ward.published}, data_set"))
    own = _published(ward, tried, policy="own.yaml")
    tried.run_id = "another"
    made = _published(ward, tried, policy="own.yaml", to=str(ward.folder / "elsewhere"))
    given = {"policy": "own.yaml", "is_unsigned_allowed": True}
    assert tried.execute(_verify(made["address"], **given))["outcome"] == "passed"
    given["is_elsewhere_allowed"] = False
    assert tried.execute(_verify(own["address"], **given))["outcome"] == "passed"
    with pytest.raises(AirflowFailException, match=r"ward is blocked: it does not lie below .*published"):
        tried.execute(_verify(made["address"], **given))


def test_without_a_destination_nothing_can_be_told_to_be_elsewhere(ward, tried):
    """The policy says where its releases go, or there is nothing to compare with."""
    made = _published(ward, tried)
    for given in ({}, {"policy": "ward.yaml"}):
        with pytest.raises(AirflowFailException, match="no policy with a release: destination:"):
            tried.execute(
                _verify(made["address"], is_unsigned_allowed=True, is_elsewhere_allowed=False, **given)
            )


@pytest.mark.parametrize("form", ["text", "file", "beside"])
def test_a_public_key_may_be_named(ward, tried, public, form):
    """As text, as a file, or as a file beside the DAG."""
    made = _published(ward, tried)
    file = ward.write("ours.pub", public.text)
    key = {"text": public.text, "file": file, "beside": "ours.pub"}[form]
    assert tried.execute(_verify(made["address"], public_key=key))["outcome"] == "passed"


@pytest.mark.usefixtures("public")
def test_another_key_does_not_verify(ward, tried):
    """What our key signed is not signed by another one."""
    made = _published(ward, tried)
    other = new_key_pair(ward.folder / "other", "other")
    with pytest.raises(AirflowFailException, match=r"ward is blocked[^-]*[:-] attestation"):
        tried.execute(_verify(made["address"], public_key=other.text))


@pytest.mark.usefixtures("public")
def test_the_signers_of_a_policy_are_the_keys(ward, tried):
    """Another key in the keys folder does not count where the policy names who signs."""
    other = new_key_pair(ward.folder / "other", "other")
    made = _published(ward, tried)
    policy = ward.folder.joinpath("ward.yaml").read_text()
    ward.write("strict.yaml", policy.replace("{data_set", f"{{signers: ['{other.text}'], data_set"))
    with pytest.raises(AirflowFailException, match=r"ward is blocked[^-]*[:-] attestation"):
        tried.execute(_verify(made["address"], policy="strict.yaml"))


def test_a_connection_that_signs_also_verifies(ward, tried, monkeypatch):
    """A worker without a home folder trusts its own key."""
    new_key_pair(ward.folder / "keys", "ours")
    text = Path(ward.folder, "keys", "ours.key").read_text()
    ledger = str(ward.folder / "ledger.db")
    extra = {"signing_key": text, "history_key": "ab" * 32, "ledger": ledger}
    monkeypatch.setenv("AIRFLOW_CONN_QIDGUARD_DEFAULT", json.dumps({"conn_type": "qidguard", "extra": extra}))
    made = _published(ward, tried)
    assert tried.execute(_verify(made["address"]))["outcome"] == "passed"
    again = QidguardReauditOperator(
        task_id="again", policy="ward.yaml", data_set="ward", release_id=made["release_id"]
    )
    assert tried.execute(again)["outcome"] == "passed"


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("part", ["policy", "public_key", "data_set", "release_id"])
def test_a_template_that_gives_nothing_compares_nothing_away(ward, tried, part):
    """What was to be compared and is empty is no reason to compare less."""
    made = _published(ward, tried)
    operator = _verify(made["address"])
    setattr(operator, part, "")
    with pytest.raises(AirflowFailException):
        tried.execute(operator)


def test_what_is_no_release_is_a_block_and_what_is_nothing_a_mistake(ward, tried):
    """An empty folder has no manifest; a folder that is not there cannot be looked into."""
    (ward.folder / "empty").mkdir()
    with pytest.raises(AirflowFailException, match="is no release"):
        tried.execute(_verify("empty"))
    with pytest.raises(AirflowFailException, match="none"):
        tried.execute(_verify("none"))


@pytest.mark.usefixtures("public")
def test_what_is_published_is_judged_by_the_policy_of_today(ward, tried):
    """A stricter policy blocks what passed; the verdict is recorded with the release's name."""
    made = _published(ward, tried)
    ward.write(
        "strict.yaml", ward.folder.joinpath("ward.yaml").read_text().replace("at_least: 2", "at_least: 3")
    )
    given = {"task_id": "again", "data_set": "ward", "release_id": made["release_id"]}
    assert tried.execute(QidguardReauditOperator(policy="ward.yaml", **given))["outcome"] == "passed"
    with pytest.raises(AirflowFailException, match="must be at least 3"):
        tried.execute(QidguardReauditOperator(policy="strict.yaml", **given))
    newest = ward.entries[-1]
    assert (newest.kind, newest.payload["release_id"]) == ("checked", made["release_id"])
    assert tried.left["return_value"]["audit_id"] == newest.id


@pytest.mark.usefixtures("public")
def test_a_changed_release_is_blocked_by_a_new_audit(ward, tried):
    """The bytes are verified before they are judged."""
    made = _published(ward, tried)
    _tamper(made["address"])
    given = {"data_set": "ward", "release_id": made["release_id"], "fail_on_block": False}
    said = tried.execute(QidguardReauditOperator(task_id="again", policy="ward.yaml", **given))
    assert said["outcome"] == "blocked"


def test_a_release_that_the_ledger_does_not_know_is_a_mistake(tried):
    """There is nothing to judge."""
    given = {"data_set": "ward", "release_id": "never"}
    with pytest.raises(AirflowFailException, match="never"):
        tried.execute(QidguardReauditOperator(task_id="again", policy="ward.yaml", **given))
