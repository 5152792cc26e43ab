"""A folder of policies as a list of work."""

import json

import pytest

from audited import policy
from qidguard.core.errors import UserError
from qidguard_provider.work_list import ListedPolicy, listed_policies, policies_of_releases

pytestmark = pytest.mark.airflow


def write(folder, name, **changes):
    """Write a policy; JSON is YAML."""
    (folder / name).write_text(json.dumps(policy(**changes)), encoding="utf-8")


def test_policies_are_named_by_their_data_set(tmp_path):
    """By the name that they give, else their table's; what cannot be read keeps the file's name."""
    write(tmp_path, "b.yaml", release={"data_set": "ward"})
    write(tmp_path, "a.yml", source={"path": "tables/visits.csv"})
    (tmp_path / "c.yaml").write_text("not a policy", encoding="utf-8")
    (tmp_path / ".hidden.yaml").write_text("not a policy", encoding="utf-8")
    (tmp_path / "README").write_text("what these are", encoding="utf-8")
    (tmp_path / "notes.md").write_text("not a policy", encoding="utf-8")
    (tmp_path / "d.yaml").mkdir()
    write(tmp_path, "readme.yaml", release={"data_set": "read"})
    write(tmp_path, "E.YAML", release={"data_set": "loud"})
    assert listed_policies(tmp_path) == (
        ListedPolicy(data_set="loud", file="E.YAML"),
        ListedPolicy(data_set="visits", file="a.yml"),
        ListedPolicy(data_set="ward", file="b.yaml"),
        ListedPolicy(data_set="c", file="c.yaml", is_readable=False),
        ListedPolicy(data_set="read", file="readme.yaml"),
    )


@pytest.mark.parametrize("name", ["i.json", "ward.yaml~", "ward", "notes.txt"])
def test_a_file_that_may_be_a_policy_is_not_passed_over(tmp_path, name):
    """Somebody who saved it under another name believes that it is judged by."""
    write(tmp_path, "a.yaml")
    write(tmp_path, name)
    with pytest.raises(UserError, match=f"holds '{name}', which is no .yaml file"):
        listed_policies(tmp_path)


def test_a_policy_that_cannot_be_read_is_told_of_beside_the_others(tmp_path):
    """Whichever data set it is about, it comes, so that a task of its own fails."""
    write(tmp_path, "a.yaml", release={"data_set": "ward"})
    for name in ("c.yaml", "c.yml", "ward.yaml"):
        (tmp_path / name).write_text("not a policy", encoding="utf-8")
    assert policies_of_releases(tmp_path, [("ward", "r1")]) == (
        ("ward", "r1", "a.yaml"),
        ("ward", "r1", "ward.yaml"),
        ("c", "unknown", "c.yaml"),
        ("c", "unknown", "c.yml"),
    )


@pytest.mark.parametrize("is_there", [False, True])
def test_nothing_to_judge_by_is_a_mistake(tmp_path, is_there):
    """No folder and an empty one are refused alike."""
    if is_there:
        (tmp_path / "policies").mkdir()
    with pytest.raises(UserError, match="folder of policies"):
        listed_policies(tmp_path / "policies")


def test_a_release_is_judged_by_every_policy_about_its_data_set(tmp_path):
    """Two policies judge it twice; without one, a file that is not there is named."""
    write(tmp_path, "a.yaml", release={"data_set": "ward"})
    write(tmp_path, "b.yaml", release={"data_set": "ward"})
    assert policies_of_releases(tmp_path, [("ward", "r1"), ("lost", "r2")]) == (
        ("ward", "r1", "a.yaml"),
        ("ward", "r1", "b.yaml"),
        ("lost", "r2", "lost.yaml"),
    )
