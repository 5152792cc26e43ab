"""What keeps a release from being signed off is named before a person is asked."""

import json

import pytest

from qidguard.evidence.keys import new_key_pair
from qidguard_provider.sign_off import obstacles

pytestmark = pytest.mark.airflow


def _connection(monkeypatch, path):
    said = {"conn_type": "qidguard", "extra": {"signing_key": str(path)}}
    monkeypatch.setenv("AIRFLOW_CONN_QIDGUARD_APPROVER", json.dumps(said))


def _policy(ward, key):
    text = (ward.folder / "ward.yaml").read_text()
    approvers = "[]" if key is None else f"[{{name: Roe, key: '{key.text}'}}]"
    return ward.write("approved.yaml", f"{text}exceptions: {{approvers: {approvers}}}\n")


def test_all_that_is_missing_is_named(ward):
    """The approver, the officers and the connection."""
    found = obstacles({"is_coverable": False, "policy": _policy(ward, None)}, officers=[])
    assert [sentence[:30] for sentence in found] == [
        "The policy names nobody who ma",
        "Nobody is asked: set QIDGUARD_",
        "There is no connection 'qidgua",
    ]


def test_nothing_keeps_it(ward, monkeypatch, tmp_path):
    """An approver with a key, the connection with it, and an officer."""
    key = new_key_pair(tmp_path / "keys", "roe")
    _connection(monkeypatch, tmp_path / "keys" / "roe.key")
    judged = {"is_coverable": True, "policy": _policy(ward, key)}
    assert obstacles(judged, officers=["roe"]) == []


def test_the_key_of_somebody_else(ward, monkeypatch, tmp_path):
    """It could sign nothing that this policy accepts."""
    key = new_key_pair(tmp_path / "keys", "roe")
    new_key_pair(tmp_path / "keys", "other")
    _connection(monkeypatch, tmp_path / "keys" / "other.key")
    (found,) = obstacles({"is_coverable": True, "policy": _policy(ward, key)}, officers=["roe"])
    assert "is none of the policy's exceptions.approvers" in found


def test_what_no_exception_covers(ward, tmp_path):
    """Nobody is asked in vain."""
    policy = _policy(ward, new_key_pair(tmp_path / "keys", "roe"))
    assert obstacles({"is_coverable": False, "policy": policy}, officers=["roe"]) == [
        "No exception could let this pass: something else than a measured threshold blocks."
    ]
