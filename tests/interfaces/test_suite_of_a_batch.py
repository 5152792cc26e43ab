"""Thresholds that no batch can answer: they block in the whole verdict, or are left to the release."""

import json
from pathlib import Path

import pytest

from audited import policy
from plugged import host_with, share_changed
from qidguard.core.errors import UserError
from qidguard.policy import load_policy
from qidguard_suites.export import export_policy
from qidguard_suites.project import Project

NOWHERE = Project(folder=Path("gx"), data_sources=None)
OVER_TIME = {"metric": "intersection_k_anonymity", "at_least": 5}
LOSS = {"metric": "share_changed", "at_most": 0.5}
"""Thresholds that no batch can answer: one needs earlier releases, the other the original."""


@pytest.fixture
def _changed_share(monkeypatch):
    """Let a plugin offer a metric that needs the original."""
    host = host_with(metrics=[share_changed()])
    for place in ("embedded", "suite"):
        monkeypatch.setattr(f"qidguard_suites.{place}.load_host", lambda: host)


def test_thresholds_over_time_can_be_left_to_the_release():
    """They are gone from the embedded policy, whose digest fits; suite and notes say who judges them."""
    fields = policy(
        thresholds=[
            {"metric": "k_anonymity", "at_least": 5},
            {"metric": "intersection_k_anonymity", "at_least": 5},
        ]
    )
    export = export_policy(fields, project=NOWHERE, has_history=False)
    kwargs = export.suite["expectations"][-1]["kwargs"]
    assert [t["metric"] for t in kwargs["policy"]["thresholds"]] == ["k_anonymity"]
    assert load_policy(kwargs["policy"]).digest != load_policy(fields).digest
    said = export.suite["meta"]["qidguard"]
    assert said["reviewed_sha256"] == load_policy(fields).digest != said["sha256"]
    assert said["left_to_the_release"] == ["intersection_k_anonymity"]
    assert export.notes == ("intersection_k_anonymity is left to the release, which knows the earlier ones.",)


@pytest.mark.usefixtures("_changed_share")
def test_a_threshold_on_losses_stands_in_the_whole_verdict_alone():
    """A batch does not know what it was made from, and the whole verdict blocks for that."""
    export = export_policy(policy(thresholds=[LOSS]), project=NOWHERE)
    *others, whole = export.suite["expectations"]
    assert [one["type"] for one in others] == ["expect_table_columns_to_be_as_approved"]
    assert [t["metric"] for t in whole["kwargs"]["policy"]["thresholds"]] == ["share_changed"]
    [note] = export.notes
    why = "it is measured against the original, which is known where a table is released"
    assert note == f"share_changed stands in the whole verdict alone: {why}."


@pytest.mark.usefixtures("_changed_share")
@pytest.mark.parametrize(("given", "left", "notes"), [
    ({"has_history": False}, ["k_anonymity", "share_changed"],
     {"intersection_k_anonymity": "the earlier ones"}),
    ({"has_original": False}, ["k_anonymity", "intersection_k_anonymity"], {"share_changed": "the original"}),
    ({"has_history": False, "has_original": False}, ["k_anonymity"],
     {"intersection_k_anonymity": "the earlier ones", "share_changed": "the original"}),
])  # fmt: skip
def test_losses_and_time_are_left_to_the_release_each_by_its_own_word(given, left, notes):
    """Neither takes the other along; suite and notes name what is left out, of combinations too."""
    fields = policy(
        thresholds=[{"metric": "k_anonymity", "at_least": 5}, OVER_TIME],
        combinations=[{"name": "voters", "quasi_identifiers": ["age"], "thresholds": [LOSS]}],
    )
    export = export_policy(fields, project=NOWHERE, **given)
    written = export.suite["expectations"][-1]["kwargs"]["policy"]
    every = [*written["thresholds"], *written["combinations"][0].get("thresholds", [])]
    said = export.suite["meta"]["qidguard"]
    assert [t["metric"] for t in every] == left
    assert said["left_to_the_release"] == list(notes)
    assert said["reviewed_sha256"] == load_policy(fields).digest
    assert [note for note in export.notes if "left to" in note] == [
        f"{metric} is left to the release, which knows {what}." for metric, what in notes.items()
    ]


@pytest.mark.parametrize("given", [{"has_history": False}, {"has_original": False}])
def test_a_policy_without_such_thresholds_is_exported_as_ever(given):
    """Nothing is taken out, and the suite says nothing of it."""
    fields = policy()
    assert export_policy(fields, project=NOWHERE, **given) == export_policy(fields, project=NOWHERE)


@pytest.mark.usefixtures("_changed_share")
@pytest.mark.parametrize(
    ("limit", "given"), [(OVER_TIME, {"has_history": False}), (LOSS, {"has_original": False})]
)
def test_a_policy_of_such_thresholds_alone_has_nothing_for_a_batch(limit, given):
    """A suite that judges nothing would pass everything."""
    with pytest.raises(UserError, match="nothing would be left for a batch"):
        export_policy(policy(thresholds=[limit]), project=NOWHERE, **given)


@pytest.mark.parametrize(("options", "left_out"), [
    ((), None),
    (("--no-original",), ["ncp"]),
    (("--no-history",), ["columns_appeared"]),
    (("--no-original", "--no-history"), ["columns_appeared", "ncp"]),
])  # fmt: skip
def test_the_command_has_an_option_for_each(run, options, left_out):
    """Both kinds stay unless somebody says otherwise."""
    limits = [{"metric": metric, "at_most": 0} for metric in ("ncp", "columns_appeared")]
    given = policy(thresholds=[{"metric": "k_anonymity", "at_least": 2}, *limits])
    Path("p.yaml").write_text(json.dumps(given), encoding="utf-8")
    assert run("gx", "export", "p.yaml", *options)[0] == 0
    suite = json.loads(Path("gx/expectations/p.json").read_text(encoding="utf-8"))
    assert suite["meta"]["qidguard"].get("left_to_the_release") == left_out
