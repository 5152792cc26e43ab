"""The files of a policy's hierarchies: which they are, and their digests."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from hierarchy_columns import texts
from qidguard.anonymizing.declared import DeclaredHierarchies
from qidguard.anonymizing.hierarchy.policy import hierarchy_digests, hierarchy_paths
from qidguard.core.errors import PolicyError
from qidguard.policy import Policy, parse_policy

HEAD = """\
qidguard: 1
name: p
preset: pdpc-sg-5
roles: {quasi_identifiers: [age, sex, job]}
hierarchies:
"""


@pytest.fixture
def policy(tmp_path):
    """Return a function that gives a policy in a folder of its own."""

    def make(section: str) -> Policy:
        return parse_policy(HEAD + section, str(tmp_path / "p.yaml"))

    return make


def test_each_file_has_the_digest_of_its_bytes(policy, tmp_path):
    """Files are found beside the policy, and what has no file has no digest."""
    contents = {"age.csv": b"1;*\r\n2;*\r\n", "job.yaml": b"care: [nurse]\n"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    rules = policy("  job: {taxonomy: job.yaml}\n  sex: auto\n  age: {file: age.csv}\n")
    assert hierarchy_paths(rules) == {("job", "taxonomy"): "job.yaml", ("age", "file"): "age.csv"}
    assert list(hierarchy_digests(rules).items()) == [
        ("job", hashlib.sha256(contents["job.yaml"]).hexdigest()),
        ("age", hashlib.sha256(contents["age.csv"]).hexdigest()),
    ]


def test_a_digest_changes_with_the_file_alone(policy, tmp_path):
    """Under another name the same bytes have the same digest; one other byte has another."""
    (tmp_path / "a.csv").write_bytes(b"1;*\n")
    (tmp_path / "b.csv").write_bytes(b"1;*\n")
    rules = policy("  age: {file: a.csv}\n  sex: {file: b.csv}\n")
    before = hierarchy_digests(rules)
    assert before["age"] == before["sex"]
    (tmp_path / "b.csv").write_bytes(b"1;+\n")
    after = hierarchy_digests(rules)
    assert (after["age"] == before["age"], after["sex"] == before["sex"]) == (True, False)


def test_a_policy_without_files_has_no_digests():
    """Neither one without the section, nor one whose hierarchies are made."""
    without = parse_policy(HEAD.replace("hierarchies:\n", ""), "p.yaml")
    assert hierarchy_digests(without) == hierarchy_digests(parse_policy(HEAD + "  age: auto\n")) == {}


def test_a_ready_hierarchy_has_the_digest_of_its_data(policy):
    """Another version may have other groups, so the record names the very data."""
    rules = policy("  age: {ready: age_bands_un}\n  job: {ready: isco08}\n")
    folder = Path(__file__).parents[2] / "qidguard/anonymizing/hierarchy/ready"
    expected = {
        column: hashlib.sha256((folder / f"{name}.csv").read_bytes()).hexdigest()
        for column, name in (("age", "age_bands_un"), ("job", "isco08"))
    }
    assert hierarchy_digests(rules) == DeclaredHierarchies.read(rules).digests == expected


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("gone.csv", "No such file or directory"),
        (".", "Is a directory"),
        ('"a\\0b.csv"', "its name is not a path"),
        ("~nosuchuser/a.csv", "its name is not a path"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_at_its_line(policy, path, why):
    """One sentence with the line and the remedy."""
    with pytest.raises(PolicyError, match=rf"p\.yaml line 7: the hierarchy's file cannot be read \({why}\)"):
        hierarchy_digests(policy(f"  age: auto\n  sex: {{file: {path}}}\n"))


def test_files_are_read_once_and_named_by_what_was_read(policy, tmp_path):
    """Every table is bound to the bytes that the digest is of, whatever stands there later."""
    contents = {"age.csv": b"1;old;*\n", "job.yaml": b"care: [nurse]\n"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    declared = DeclaredHierarchies.read(policy("  job: {taxonomy: job.yaml}\n  age: {file: age.csv}\n"))
    (tmp_path / "age.csv").write_bytes(b"1;new;*\n")
    (tmp_path / "job.yaml").unlink()
    assert declared.digests == {
        "job": hashlib.sha256(contents["job.yaml"]).hexdigest(),
        "age": hashlib.sha256(contents["age.csv"]).hexdigest(),
    }
    columns = {"age": texts("1", name="age"), "job": texts("nurse", name="job")}
    table = SimpleNamespace(column=columns.__getitem__)
    for _ in range(2):
        assert declared.bound_to(table)["age"].labels[1] == (None, "old")
