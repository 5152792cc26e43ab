"""Paths in a policy are relative to the policy's file, wherever the process runs."""

import json

import pytest

import qidguard


@pytest.fixture
def policy_file(tmp_path, monkeypatch):
    """Return a policy in a folder with its sample and its population; the process runs elsewhere."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "sample.csv").write_text("age\n30\n30\n", encoding="utf-8")
    (folder / "population.csv").write_text("age\n30\n30\n30\n", encoding="utf-8")
    policy = {
        "qidguard": 1,
        "name": "sample",
        "source": {"path": "sample.csv"},
        "roles": {"quasi_identifiers": ["age"]},
        "population": {"path": "population.csv"},
        "thresholds": [{"metric": "k_map", "at_least": 3}],
    }
    (folder / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return folder / "policy.yaml"


def test_table_and_population_stand_beside_the_policy(policy_file):
    """Two persons of three with the same age: k-map is 3."""
    with qidguard.audit(None, policy=policy_file) as audit:
        assert (audit.report.records, audit.verdict.thresholds[0].measurement.value) == (2, 3)


@pytest.mark.parametrize("path", ["/data/visits.csv", "s3://bucket/visits.csv"])
def test_what_is_absolute_stays(policy_file, path):
    """An absolute path and a URL name one place."""
    assert qidguard.load_policy(policy_file).resolve(path) == path


def test_a_population_is_read_in_one_way(policy_file):
    """Its own section of reading options has no path of its own."""
    policy = json.loads(policy_file.read_text(encoding="utf-8"))
    policy["population"]["source"] = {"path": "other.csv"}
    with pytest.raises(qidguard.PolicyError, match="path"):
        qidguard.load_policy(policy)


@pytest.mark.slow
def test_releases_go_beside_the_policy_too(policy_file, tmp_path):
    """A relative destination that the policy writes is a folder beside it."""
    policy = json.loads(policy_file.read_text(encoding="utf-8"))
    policy["release"] = {"data_set": "sample", "destination": "published"}
    policy_file.write_text(json.dumps(policy), encoding="utf-8")
    made = qidguard.release(None, policy=policy_file, home=str(tmp_path / "home"), release_id="r1")
    assert made.address == str(policy_file.parent / "published" / "sample" / "r1")
