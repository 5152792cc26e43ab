"""A checkpoint whose policy was not judged fails loudly, whatever the library left out of its suite."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import qidguard_expectations  # noqa: F401 - its expectations register themselves
from audited import TABLE, policy
from gx_project import entries, exported, opened, results, run
from qidguard.core.errors import UserError
from qidguard.measuring.evaluator import NO_ORIGINAL
from qidguard.policy import load_policy
from qidguard.policy.origin import value_digest

pytestmark = pytest.mark.gx

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
PASSWORD = "hunter2-never-shown"  # noqa: S105 - a made-up one, which no text may show
BAD = TABLE.assign(age=[30, 30, 31, 41, 41, 41], illness=[*["flu"] * 5, SECRET])


def test_a_suite_whose_classes_were_not_imported_never_passes(folder, home, monkeypatch):
    """The library leaves out what it does not know, and what is left passes; the checkpoint raises then."""
    from great_expectations.expectations import registry

    exported(folder, policy())
    known = {name: one for name, one in registry._registered_expectations.items() if "privacy" not in name}
    monkeypatch.setattr(registry, "_registered_expectations", known)
    with pytest.raises(UserError, match="run without the verdict of its policy; import"):
        run(opened(folder), "p", TABLE)
    assert [entry.payload["outcome"] for entry in entries(home)] == ["blocked"]


def test_a_checkpoint_that_records_nothing_needs_the_verdict_too(folder, monkeypatch):
    """Without a ledger the action that asks for the verdict raises."""
    from great_expectations.expectations import registry

    exported(folder, policy(), is_recorded=False)
    assert run(opened(folder), "p", TABLE).success is True
    known = {
        name: one for name, one in registry._registered_expectations.items() if "expect_table_" not in name
    }
    monkeypatch.setattr(registry, "_registered_expectations", known)
    with pytest.raises(UserError, match="run without the verdict of its policy"):
        run(opened(folder), "p", TABLE)


def test_a_checkpoint_without_our_import_cannot_be_loaded(folder, monkeypatch):
    """An action that nobody imported is an error of the library, recorded or not."""
    from great_expectations.checkpoint import checkpoint

    monkeypatch.setattr(checkpoint._VALIDATION_ACTION_REGISTRY, "_registered_actions", {})
    for is_recorded in (True, False):
        name = f"recorded-{is_recorded}"
        exported(folder, policy(), name=name, is_recorded=is_recorded)
        with pytest.raises(Exception, match=r"record_in_ledger|require_privacy_verdict|validation action"):
            opened(folder).checkpoints.get(name)


def test_another_policys_verdict_is_not_enough(folder, home):
    """The checkpoint asks for the verdict of the policy it was exported with, by its digest."""
    exported(folder, policy())
    checkpoint = folder / "gx" / "checkpoints" / "p.json"
    before = checkpoint.read_text(encoding="utf-8")
    stricter = policy(thresholds=[{"metric": "k_anonymity", "at_least": 2}])
    exported(folder, stricter, name="other")
    suite = json.loads((folder / "gx" / "expectations" / "other.json").read_text(encoding="utf-8"))
    suite |= {"name": "p", "id": json.loads((folder / "gx" / "expectations" / "p.json").read_text())["id"]}
    (folder / "gx" / "expectations" / "p.json").write_text(json.dumps(suite), encoding="utf-8")
    assert before == checkpoint.read_text(encoding="utf-8")
    with pytest.raises(UserError, match="without the verdict of its policy"):
        run(opened(folder), "p", TABLE)
    assert [entry.payload["outcome"] for entry in entries(home)] == ["blocked"]


def edited(path: Path, change: Any) -> None:
    """Change a document of a project by hand."""
    said = json.loads(path.read_text(encoding="utf-8"))
    change(said)
    path.write_text(json.dumps(said), encoding="utf-8")


WEAK = policy(thresholds=[{"metric": "share_unique", "at_most": 0.5}])


def weaken(folder: Path) -> None:
    """Put another policy into suite and checkpoint, with a digest that fits; their meta stays."""
    digest = value_digest(WEAK)

    def suite(said: Any) -> None:
        said["expectations"] = said["expectations"][-1:]
        said["expectations"][0]["kwargs"] = {"policy": WEAK, "policy_sha256": digest}

    edited(folder / "gx" / "expectations" / "p.json", suite)
    edited(
        folder / "gx" / "checkpoints" / "p.json", lambda said: said["actions"][0].update(policy_sha256=digest)
    )


def test_the_ledger_names_the_policy_that_was_judged(folder, home):
    """Whoever weakens the embedded policy and mends every digest does not get the approved one's name."""
    exported(folder, policy())
    weaken(folder)
    assert run(opened(folder), "p", BAD).success is True
    (entry,) = entries(home)
    assert entry.payload["policy"]["sha256"] == load_policy(WEAK).digest
    assert entry.payload["policy"]["approved_sha256"] == load_policy(policy()).digest


def test_the_result_names_the_file_of_the_policy(folder, home):
    """Result and ledger say the SHA-256 that a person computes of the file, with its paths and remarks."""
    file, census = folder / "policies" / "p.yaml", folder / "policies" / "more" / "census.csv"
    census.parent.mkdir(parents=True)
    TABLE.to_csv(census, index=False)
    given = policy(source={"path": "visits.csv"}, population={"path": "more/census.csv"})
    file.write_text(f"# agreed by the board\n{json.dumps(given, indent=1)}\n", encoding="utf-8")
    exported(folder, str(file))
    done = run(opened(folder), "p", TABLE)
    digest = sha256(file.read_bytes()).hexdigest()
    assert results(done)[-1].result["details"]["document"]["policy"]["sha256"] == digest
    assert entries(home)[0].payload["policy"]["sha256"] == digest


@pytest.mark.parametrize(
    "change",
    [
        lambda kwargs: kwargs.update(policy=WEAK, policy_sha256=value_digest(WEAK)),
        lambda kwargs: kwargs["policy_text"].append("unnamed_columns: insensitive"),
    ],
    ids=["policy", "text"],
)
def test_a_text_that_is_not_the_policys_passes_nothing(folder, home, change):
    """Whoever weakens the policy, or its text alone, has no verdict under the name of the file."""
    file = folder / "p.yaml"
    file.write_text(
        "\n".join(f"{name}: {json.dumps(value)}" for name, value in policy().items()), encoding="utf-8"
    )
    exported(folder, str(file))
    place = folder / "gx" / "expectations" / "p.json"
    edited(place, lambda said: change(said["expectations"][-1]["kwargs"]))
    kwargs = json.loads(place.read_text(encoding="utf-8"))["expectations"][-1]["kwargs"]
    edited(
        folder / "gx" / "checkpoints" / "p.json",
        lambda said: said["actions"][0].update(policy_sha256=kwargs["policy_sha256"]),
    )
    done = run(opened(folder), "p", TABLE)
    assert done.success is False
    assert "policy_text is not the text of the policy" in results(done)[-1].result["details"]["reason"]
    assert entries(home)[0].payload["outcome"] == "blocked"


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("name", ["sha256", "reviewed_sha256"])
@pytest.mark.parametrize("place", ["suite", "expectation", "checkpoint"])
def test_suite_and_checkpoint_name_one_approved_policy(folder, home, place, name, is_recorded):
    """A digest changed by hand in any of the three blocks."""
    exported(folder, policy(), is_recorded=is_recorded)
    kind = "checkpoints" if place == "checkpoint" else "expectations"

    def change(said: Any) -> None:
        if place == "checkpoint":
            said["actions"][0][name.replace("sha256", "approved_sha256") if name == "sha256" else name] = (
                "0" * 64
            )
        else:
            holder = said if place == "suite" else said["expectations"][-1]
            holder["meta"]["qidguard"][name] = "0" * 64

    edited(folder / "gx" / kind / "p.json", change)
    with pytest.raises(UserError, match="and its checkpoint name different approved policies"):
        run(opened(folder), "p", TABLE)
    made = entries(home) if is_recorded else []
    assert [entry.payload["outcome"] for entry in made] == ["blocked"] * is_recorded


def test_a_policy_without_its_thresholds_over_time_is_told_from_its_file(folder, home):
    """What was judged, and the file that was reviewed, both stand in the entry."""
    given = policy(
        source={"path": "visits.csv"},
        thresholds=[
            {"metric": "k_anonymity", "at_least": 3},
            {"metric": "intersection_k_anonymity", "at_least": 3},
        ],
    )
    export = exported(folder, given, has_history=False)
    assert run(opened(folder), "p", TABLE).success is True
    (entry,) = entries(home)
    judged = load_policy(export.suite["expectations"][-1]["kwargs"]["policy"]).digest
    assert entry.payload["policy"] == {
        "name": "p",
        "preset": None,
        "sha256": judged,
        "approved_sha256": judged,
        "reviewed_sha256": load_policy(given).digest,
    }


@pytest.mark.parametrize("has_original", [True, False])
def test_a_threshold_on_losses_blocks_unless_it_is_left_to_the_release(folder, home, has_original):
    """Any limit blocks, as in an audit without the original; what is left out is told from the file."""
    given = policy(
        thresholds=[{"metric": "k_anonymity", "at_least": 3}, {"metric": "ncp", "at_most": 0.9}],
    )
    exported(folder, given, has_original=has_original)
    done = run(opened(folder), "p", TABLE)
    (entry,) = entries(home)
    assert done.success is not has_original
    assert entry.payload["outcome"] == ("blocked" if has_original else "passed")
    reviewed = None if has_original else load_policy(given).digest
    assert entry.payload["policy"].get("reviewed_sha256") == reviewed
    reason = results(done)[-1].result["details"]["reason"]
    assert (reason is not None and NO_ORIGINAL in reason) is has_original


@pytest.mark.parametrize("marks", ["suite", "expectation", "both", "checkpoint"])
def test_a_checkpoint_of_a_policys_suite_names_its_policy(folder, home, marks):
    """``"policy_sha256": null`` would be content with any expectation on privacy."""
    exported(folder, policy())

    def unmark(said: Any) -> None:
        if marks in {"suite", "checkpoint"}:
            said["expectations"][-1]["meta"] = {}
        if marks in {"expectation", "checkpoint"}:
            del said["meta"]["qidguard"]

    edited(folder / "gx" / "expectations" / "p.json", unmark)
    edited(
        folder / "gx" / "checkpoints" / "p.json", lambda said: said["actions"][0].update(policy_sha256=None)
    )
    with pytest.raises(UserError, match="comes from a policy, but its checkpoint names none"):
        run(opened(folder), "p", TABLE)
    assert [entry.payload["outcome"] for entry in entries(home)] == ["blocked"]


def test_a_checkpoint_that_records_nothing_names_its_policy_too(folder):
    """Without the digest it cannot be loaded."""
    exported(folder, policy(), is_recorded=False)
    edited(
        folder / "gx" / "checkpoints" / "p.json", lambda said: said["actions"][0].update(policy_sha256=None)
    )
    with pytest.raises(Exception, match="policy_sha256"):
        run(opened(folder), "p", TABLE)


def test_a_population_that_is_not_there_blocks(folder, tmp_path, home, monkeypatch):
    """A checkpoint that runs elsewhere than it was exported looks for the file there, and says so."""
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    TABLE.to_csv(tmp_path / "here" / "census.csv", index=False)
    monkeypatch.chdir(tmp_path / "here")
    given = policy(population={"path": "census.csv"}, thresholds=[{"metric": "k_map", "at_least": 3}])
    exported(folder, given)
    assert run(opened(folder), "p", TABLE).success is True
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run(opened(folder), "p", TABLE).success is False
    said = entries(home)[1].payload
    assert (said["outcome"], said["figures"], said["policy"]) == ("blocked", [], None)
    assert said["blocks"] == ["The file 'census.csv' does not exist; check the path."]


def test_what_would_make_a_blocked_batch_pass_is_recorded(folder, home):
    """The lines that Data Docs show stand in the entry; that of a batch that passes has none."""
    exported(folder, policy(thresholds=[{"metric": "k_anonymity", "at_least": 4}]))
    exported(folder, policy(), name="good")
    context = opened(folder)
    run(context, "p", TABLE)
    run(context, "good", TABLE)
    blocked, passed = (entry.payload for entry in entries(home))
    assert blocked["advice"]["lines"][0] == "What would make it pass"
    assert blocked["advice"]["sentence"].endswith("are below k = 4.")
    assert "advice" not in passed
