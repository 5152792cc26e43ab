"""A policy in a project of Great Expectations: that library loads what was written, to the byte."""

import json
from pathlib import Path

import pytest

from audited import TABLE, policy, roles
from gx_project import DATA, exported, new_context, opened, results, run
from qidguard.core.errors import UserError
from qidguard_expectations import RecordInLedgerAction, add_to_context

pytestmark = pytest.mark.gx

RICH = policy(
    name="rich policy",
    description="Everything at once.",
    preset="pdpc-sg-5",
    review_by="2999-01-01",
    source={"missing": ["?"], "trim": True, "suppression_mark": "*"},
    sampling_fraction=0.25,
    release={"data_set": "visits"},
    thresholds=[
        {"metric": "k_anonymity", "at_least": 2},
        {"metric": "k_anonymity", "at_least": 3, "on_miss": "warn"},
        {"metric": "distinct_l_diversity", "at_least": 2},
        {"metric": "entropy_l_diversity", "at_least": 1.5},
        {"metric": "t_closeness", "at_most": 0.5},
        {"metric": "t_closeness_ordered", "at_most": 0.9, "on_miss": "warn"},
        {"metric": "prosecutor_risk_max", "at_most": 0.5},
        {"metric": "prosecutor_risk_average", "at_most": 0.5},
        {"metric": "marketer_risk", "at_most": 0.5},
        {"metric": "share_below_k", "at_most": 0, "parameters": {"k": 3}},
        {"metric": "prosecutor_share_above", "at_most": 0.2, "parameters": {"threshold": 0.5}},
        {"metric": "sample_uniques", "at_most": 0},
        {"metric": "suda_dis_max", "at_most": 0.9},
    ],
    combinations=[
        {
            "name": "voter list",
            "quasi_identifiers": ["sex", "age"],
            "attacker": {"knows_any": 1},
            "thresholds": [{"metric": "k_anonymity", "at_least": 3}],
        }
    ],
)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Return the folder of a file project; the ledger is in it too."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    new_context(tmp_path / "project")
    return tmp_path / "project"


def files(folder: Path, export) -> dict[str, bytes]:
    """Return the content of what was exported."""
    return {path: (folder / "gx" / path).read_bytes() for path in export.files}


@pytest.mark.parametrize("given", [policy(), RICH], ids=["plain", "rich"])
def test_saving_what_was_loaded_changes_no_byte(folder, given):
    """Suite, validation definition and checkpoint come back from the library as they were written."""
    export = exported(folder, given)
    before = files(folder, export)
    found = opened(folder)
    found.suites.get(export.name).save()
    definition = found.validation_definitions.get(export.name)
    found.validation_definitions.add_or_update(definition)
    found.checkpoints.get(export.name).save()
    assert before == files(folder, export)


def test_every_expectation_that_was_written_is_loaded(folder):
    """The library drops what it cannot read and only logs it: none of our expectations is dropped."""
    export = exported(folder, RICH)
    loaded = opened(folder).suites.get(export.name)
    written = export.suite["expectations"]
    assert [one["type"] for one in written] == [one.expectation_type for one in loaded.expectations]
    assert [one["id"] for one in written] == [one.id for one in loaded.expectations]
    assert [one["kwargs"] for one in written] == [one.configuration.kwargs for one in loaded.expectations]
    assert [one["severity"] for one in written] == [one.severity.value for one in loaded.expectations]


def test_the_checkpoint_judges_the_only_batch_of_the_project(folder):
    """Data source, asset and batch definition are found in the project's settings with their ids."""
    export = exported(folder, policy())
    data = export.validation_definition["data"]
    found = opened(folder).checkpoints.get("p").validation_definitions[0]
    assert tuple(data[kind]["name"] for kind in ("datasource", "asset", "batch_definition")) == DATA
    assert data["batch_definition"]["id"] == found.data.id
    assert data["datasource"]["id"] == str(found.data_source.id)
    assert data["asset"]["id"] == str(found.asset.id)


def test_the_checkpoint_runs_and_passes(folder):
    """A table that the policy passes passes every expectation."""
    export = exported(folder, policy())
    done = run(opened(folder), export.name, TABLE)
    assert done.success is True
    assert [one.success for one in results(done)] == [True] * len(export.suite["expectations"])


def test_a_threshold_that_only_warns_fails_nothing(folder):
    """It is shown as missed, with severity warning, and the suite still passes."""
    given = policy(
        thresholds=[
            {"metric": "k_anonymity", "at_least": 3},
            {"metric": "k_anonymity", "at_least": 100, "on_miss": "warn"},
        ]
    )
    export = exported(folder, given)
    done = run(opened(folder), export.name, TABLE)
    warning = results(done)[1]
    assert export.suite["expectations"][1]["severity"] == "warning"
    assert warning.result["details"]["threshold"]["is_met"] is False
    assert (warning.success, done.success) == (True, True)


def test_a_policy_edited_by_hand_inside_the_suite_blocks(folder):
    """A limit that was lowered in the file no longer fits the digest beside it."""
    export = exported(folder, policy(thresholds=[{"metric": "k_anonymity", "at_least": 4}]))
    path = folder / "gx" / "expectations" / "p.json"
    suite = json.loads(path.read_text(encoding="utf-8"))
    suite["expectations"][0]["kwargs"]["at_least"] = 3
    suite["expectations"][-1]["kwargs"]["policy"]["thresholds"][0]["at_least"] = 3
    path.write_text(json.dumps(suite), encoding="utf-8")
    done = run(opened(folder), export.name, TABLE)
    assert [one.success for one in results(done)] == [True, True, False]
    assert "export it again" in results(done)[-1].result["details"]["reason"]


def test_a_population_beside_the_policy_is_found_from_the_project(folder, tmp_path, monkeypatch):
    """The suite names it as seen from the folder in which it was exported and is run; never absolutely."""
    (tmp_path / "policies").mkdir()
    TABLE.to_csv(tmp_path / "policies" / "census.csv", index=False)
    written = tmp_path / "policies" / "p.yaml"
    written.write_text(
        json.dumps(
            policy(population={"path": "census.csv"}, thresholds=[{"metric": "k_map", "at_least": 3}])
        ),
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    for given in ("policies/p.yaml", written):
        export = exported(folder, given)
        assert str(tmp_path) not in json.dumps(export.suite)
        assert "policies/census.csv" in json.dumps(export.suite)
    assert run(opened(folder), "p", TABLE).success is True


def test_a_policy_is_added_to_a_context_in_python():
    """Without a file: suite and checkpoint are made, and a second call brings them up to date."""
    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    for limit, is_passed in ((4, False), (3, True)):
        given = policy(thresholds=[{"metric": "k_anonymity", "at_least": limit}])
        checkpoint = add_to_context(found, given, batch, is_recorded=False)
        assert checkpoint.run(batch_parameters={"dataframe": TABLE}).success is is_passed
    assert [suite.name for suite in found.suites.all()] == ["p"]
    assert [one.type for one in found.checkpoints.get("p").actions] == [
        "require_privacy_verdict",
        "update_data_docs",
    ]


@pytest.mark.parametrize(
    ("left_out", "given"), [("ncp", {"has_original": False}), ("columns_appeared", {"has_history": False})]
)
def test_what_no_batch_knows_can_be_left_to_the_release_in_python(left_out, given):
    """With the threshold every table is blocked, without it this one passes."""
    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    limits = [{"metric": "k_anonymity", "at_least": 3}, {"metric": left_out, "at_most": 0}]
    for more, is_passed in (({}, False), (given, True)):
        checkpoint = add_to_context(found, policy(thresholds=limits), batch, is_recorded=False, **more)
        assert checkpoint.run(batch_parameters={"dataframe": TABLE}).success is is_passed


def test_a_checkpoint_in_python_records_unless_told_otherwise():
    """Recording is what a gate does."""
    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    checkpoint = add_to_context(found, policy(), batch)
    assert isinstance(checkpoint.actions[0], RecordInLedgerAction)


@pytest.mark.parametrize("what", ["suite", "validation definition", "checkpoint"])
def test_what_somebody_else_made_is_not_overwritten_in_python(what):
    """What comes from no policy stays; the sentence says what to do."""
    import great_expectations as gx

    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    suite = found.suites.add(gx.ExpectationSuite("p" if what == "suite" else "own"))
    name = "own" if what == "suite" else "p"
    definition = found.validation_definitions.add(
        gx.ValidationDefinition(name="own" if what == "checkpoint" else name, data=batch, suite=suite)
    )
    if what == "checkpoint":
        found.checkpoints.add(gx.Checkpoint(name="p", validation_definitions=[definition]))
    with pytest.raises(UserError, match=f"has a {what} 'p' that comes from no policy, and it is not over"):
        add_to_context(found, policy(), batch)
    assert [len(one.expectations) for one in found.suites.all()] == [0]


def test_a_policy_that_chooses_its_quasi_identifiers_itself_is_judged_whole(folder):
    """What is recognized only when the table is there cannot be expected column by column."""
    given = policy(
        **roles(quasi_identifiers="auto", sensitive=[], insensitive=[]),
        thresholds=[{"metric": "k_anonymity", "at_least": 2}],
    )
    export = exported(folder, given)
    assert [one["type"] for one in export.suite["expectations"]] == ["expect_table_to_meet_privacy_policy"]
    assert run(opened(folder), export.name, TABLE).success is False
