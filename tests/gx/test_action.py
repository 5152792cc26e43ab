"""A checkpoint writes its verdict to the ledger, or fails loudly."""

import json
import sqlite3
import traceback
from pathlib import Path
from typing import Any

import pytest

from audited import TABLE, policy, roles
from gx_project import DATA, exported, new_context, opened, run
from qidguard.core.errors import QidguardError, UserError
from qidguard.core.policy import load_policy
from qidguard.interfaces.gx import ExpectTableKAnonymityToBeAtLeast, RecordInLedgerAction
from qidguard.ledger import open_ledger

pytestmark = pytest.mark.gx

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
PASSWORD = "hunter2-never-shown"  # noqa: S105 - a made-up one, which no text may show
BAD = TABLE.assign(age=[30, 30, 31, 41, 41, 41], illness=[*["flu"] * 5, SECRET])


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Return the home folder, in which the ledger is."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("QIDGUARD_LEDGER", raising=False)
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path, home) -> Path:
    """Return the folder of a file project beside the home."""
    assert home.parent == tmp_path
    new_context(tmp_path / "project")
    return tmp_path / "project"


def entries(home: Path) -> list[Any]:
    """Return what the ledger holds."""
    with open_ledger(str(home / "ledger.db")) as ledger:
        return list(ledger.entries())


def checkpoint_of(*expectations: Any, actions: list[Any]) -> Any:
    """Return a checkpoint of somebody's own suite, in memory."""
    import great_expectations as gx

    found = new_context()
    batch = found.data_sources.get(DATA[0]).get_asset(DATA[1]).get_batch_definition(DATA[2])
    suite = found.suites.add(gx.ExpectationSuite("own", expectations=list(expectations)))
    definition = found.validation_definitions.add(
        gx.ValidationDefinition(name="own", data=batch, suite=suite)
    )
    return found.checkpoints.add(
        gx.Checkpoint(name="own", validation_definitions=[definition], actions=actions)
    )


def test_a_passed_run_is_one_entry(folder, home):
    """Kind checked, the policy as its file is known, every figure, and what started it."""
    (folder / "p.yaml").write_text("# reviewed\n" + json.dumps(policy()), encoding="utf-8")
    exported(folder, folder / "p.yaml")
    assert run(opened(folder), "p", TABLE).success is True
    (entry,) = entries(home)
    said = entry.payload
    assert (entry.kind, entry.data_set) == ("checked", "visits")
    assert (said["outcome"], said["exit_code"], said["blocks"], said["missed"]) == ("passed", 0, [], [])
    assert (said["source"], said["records"], said["entities"]) == ("clinic/visits", 6, None)
    assert said["policy"] == {
        "name": "p",
        "sha256": load_policy(folder / "p.yaml").digest,
        "preset": None,
    }
    assert [(f["metric"], f["value"], f["limit"]) for f in said["figures"]] == [
        ("k_anonymity", 3, 3),
        ("distinct_l_diversity", 2, 2),
    ]
    assert (said["by"]["door"], said["by"]["checkpoint"]) == ("great_expectations", "p")
    assert "qidguard" in said["versions"]


def test_a_blocked_run_says_why_and_shows_no_value(folder, home):
    """Missed figures in sentences, a column that nobody approved as a block, and nothing of the table."""
    exported(folder, policy())
    assert run(opened(folder), "p", BAD.assign(shelf=SECRET)).success is False
    (entry,) = entries(home)
    said = entry.payload
    assert (said["outcome"], said["exit_code"]) == ("blocked", 1)
    assert said["missed"] == [
        "k-anonymity is 1 record, must be at least 3 (2 short), over sex, age.",
        "distinct l-diversity of illness is 1 value, must be at least 2 (1 short), over sex, age.",
    ]
    assert said["blocks"] == [
        "Column 'shelf' is not named by the policy; give it a role or drop it.",
        "The columns are not as approved: 'shelf' was added; approve the table anew or drop it.",
    ]
    assert SECRET not in json.dumps(entry.payload)
    assert SECRET.encode() not in (home / "ledger.db").read_bytes()


def test_each_run_is_an_entry_of_its_own(folder, home):
    """Two runs of one checkpoint are two entries with names of their own, in a chain that holds."""
    exported(folder, policy())
    found = opened(folder)
    assert [run(found, "p", frame).success for frame in (BAD, TABLE)] == [False, True]
    made = entries(home)
    assert [entry.payload["outcome"] for entry in made] == ["blocked", "passed"]
    assert len({entry.id for entry in made}) == 2
    with open_ledger(str(home / "ledger.db")) as ledger:
        assert list(ledger.check()) == []


def test_the_policys_own_name_of_the_data_set_is_kept(folder, home):
    """A policy with release.data_set records under that name, whatever the asset is called."""
    exported(folder, policy(release={"data_set": "clinic-visits"}))
    run(opened(folder), "p", TABLE)
    assert [entry.data_set for entry in entries(home)] == ["clinic-visits"]


@pytest.mark.parametrize(
    ("asset", "data_set"),
    [("Visits 2026/all", "Visits-2026-all"), (".hidden", "hidden"), ("…", "table"), ("a" * 120, "a" * 100)],
)
def test_an_assets_name_is_made_a_data_sets(asset, data_set):
    """What cannot stand in a data set's name becomes hyphens."""
    from great_expectations.core import ExpectationSuiteValidationResult

    from qidguard.interfaces.gx.action_findings import data_set_of

    meta = {"active_batch_definition": {"datasource_name": "clinic", "data_asset_name": asset}}
    result = ExpectationSuiteValidationResult(
        success=True, results=[], suite_name="s", statistics={}, meta=meta
    )
    assert data_set_of(result, None) == data_set


def test_a_failing_builtin_expectation_blocks_by_its_type_alone(home):
    """Beside ours that passes it makes the verdict blocked; its unexpected values stay out."""
    import great_expectations as gx

    checkpoint = checkpoint_of(
        ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["sex"], at_least=3),
        gx.expectations.ExpectColumnValuesToBeInSet(column="illness", value_set=["flu"]),
        actions=[RecordInLedgerAction(name="record", data_set="own")],
    )
    done = checkpoint.run(batch_parameters={"dataframe": BAD})
    (entry,) = entries(home)
    assert done.success is False
    assert entry.payload["outcome"] == "blocked"
    assert entry.payload["blocks"] == ["expect_column_values_to_be_in_set is not met."]
    assert [figure["is_met"] for figure in entry.payload["figures"]] == [True]
    assert entry.payload["policy"] is None
    assert SECRET not in json.dumps(entry.payload)


def test_a_suite_without_privacy_is_not_recorded_as_passed(home):
    """Built-in expectations alone judge nothing of what the ledger is for: a block, and the run raises."""
    import great_expectations as gx

    checkpoint = checkpoint_of(
        gx.expectations.ExpectTableRowCountToEqual(value=6),
        actions=[RecordInLedgerAction(name="record")],
    )
    with pytest.raises(UserError, match="No expectation of the suite is on privacy, so nothing was judged"):
        checkpoint.run(batch_parameters={"dataframe": TABLE})
    (entry,) = entries(home)
    assert entry.payload["outcome"] == "blocked"
    assert entry.payload["blocks"][0].startswith("No expectation of the suite is on privacy")


def test_a_plugin_that_fails_is_no_fault_of_the_table(folder, home, monkeypatch):
    """Exit code 3, and the words of the plugin's error, which may hold values, stay out."""
    from dataclasses import replace

    from qidguard.core.metric import TableFunction
    from qidguard.host import load_host

    def broken(*_: object) -> float:
        raise RuntimeError(SECRET)

    exported(folder, policy())
    host = load_host()
    failing = replace(host.metric("k_anonymity"), method=TableFunction(measure=broken))
    metrics = {**host.metrics, "k_anonymity": failing}
    host = replace(host, registry={**host.registry, "metrics": metrics})
    for place in ("answering", "action_findings"):
        monkeypatch.setattr(f"qidguard.interfaces.gx.{place}.load_host", lambda: host)
    assert run(opened(folder), "p", TABLE).success is False
    (entry,) = entries(home)
    assert (entry.payload["outcome"], entry.payload["exit_code"]) == ("blocked", 3)
    assert SECRET not in json.dumps(entry.payload)


def test_a_batch_that_does_not_fit_is_blocked_with_the_reason(folder, home):
    """A column that is gone: no figure, and the sentence of the audit."""
    exported(folder, policy())
    assert run(opened(folder), "p", TABLE.drop(columns="age")).success is False
    (entry,) = entries(home)
    assert (entry.payload["outcome"], entry.payload["figures"]) == ("blocked", [])
    assert any("the table has no column 'age'" in sentence for sentence in entry.payload["blocks"])


def test_results_without_details_are_recorded_all_the_same(folder, home):
    """A checkpoint that keeps booleans alone still gives the verdict."""
    exported(folder, policy())
    path = folder / "gx" / "checkpoints" / "p.json"
    path.write_text(path.read_text(encoding="utf-8").replace("SUMMARY", "BOOLEAN_ONLY"), encoding="utf-8")
    found = opened(folder)
    assert [run(found, "p", frame).success for frame in (TABLE, BAD)] == [True, False]
    assert [entry.payload["outcome"] for entry in entries(home)] == ["passed", "blocked"]


def test_a_ledger_that_cannot_be_written_fails_the_run(folder, home):
    """The run raises, although every expectation passed: a verdict without a trace counts for nothing."""
    exported(folder, policy())
    run(opened(folder), "p", TABLE)
    with sqlite3.connect(home / "ledger.db") as database:
        database.execute("DROP TABLE chain_head")
    database.close()
    with pytest.raises(QidguardError):
        run(opened(folder), "p", TABLE)


def test_a_ledger_that_cannot_be_reached_fails_the_run_without_its_secret(folder, monkeypatch):
    """An address out of the environment is used, and no part of its user, password or query is shown."""
    monkeypatch.setenv("QIDGUARD_LEDGER", f"postgresql://officer:{PASSWORD}@127.0.0.1:1/evidence")
    exported(folder, policy())
    with pytest.raises(QidguardError) as raised:
        run(opened(folder), "p", TABLE)
    assert PASSWORD not in str(raised.value)
    assert PASSWORD not in "".join(traceback.format_exception(raised.value))


def test_any_other_error_is_told_by_its_kind_alone(folder, monkeypatch):
    """What a library says may hold a password."""
    exported(folder, policy())

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(PASSWORD)

    monkeypatch.setattr("qidguard.interfaces.gx.action.record_check", broken)
    with pytest.raises(QidguardError, match=r"could not be written to the ledger \(RuntimeError\)") as raised:
        run(opened(folder), "p", TABLE)
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://officer:{PASSWORD}@server/evidence",
        f"postgresql://server/evidence?password={PASSWORD}",
        f"postgresql://officer:{PASSWORD}@[server/evidence",
    ],
)
def test_an_address_with_a_password_is_refused(address):
    """A checkpoint's file holds its actions, so the address has to be a variable; the refusal shows none."""
    with pytest.raises(ValueError, match="write \\$\\{NAME\\}") as raised:
        RecordInLedgerAction(name="record", ledger=address)
    assert PASSWORD not in str(raised.value)


def test_an_address_comes_from_a_variable(folder, tmp_path, monkeypatch):
    """``${NAME}`` stands in the file, its value nowhere."""
    monkeypatch.setenv("EVIDENCE", f"sqlite:///{tmp_path}/elsewhere-{PASSWORD}.db")
    exported(folder, policy())
    found = opened(folder)
    checkpoint = found.checkpoints.get("p")
    checkpoint.actions[0] = RecordInLedgerAction(name="record", ledger="${EVIDENCE}", data_set="own")
    checkpoint.save()
    stored = (folder / "gx" / "checkpoints" / "p.json").read_text(encoding="utf-8")
    loaded = opened(folder).checkpoints.get("p")
    assert ("${EVIDENCE}" in stored, PASSWORD in stored) == (True, False)
    assert PASSWORD not in repr(loaded)
    loaded.run(batch_parameters={"dataframe": TABLE})
    with open_ledger(f"{tmp_path}/elsewhere-{PASSWORD}.db") as ledger:
        assert len(list(ledger.entries())) == 1


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


def test_entities_are_counted_in_the_entry(folder, home):
    """Six records of three persons."""
    given = policy(
        **roles(entity="visit", insensitive=[]), thresholds=[{"metric": "k_anonymity", "at_least": 1}]
    )
    exported(folder, given)
    run(opened(folder), "p", TABLE.assign(visit=[1, 2, 3, 1, 2, 3]))
    (entry,) = entries(home)
    assert (entry.payload["records"], entry.payload["entities"]) == (6, 3)
