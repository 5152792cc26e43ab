"""A checkpoint writes its verdict to the ledger, or fails loudly."""

import json
from typing import Any

import pytest

from audited import TABLE, policy, roles
from gx_project import DATA, entries, exported, new_context, opened, run
from qidguard.core.errors import UserError
from qidguard.ledger import open_ledger
from qidguard.policy import load_policy
from qidguard_expectations import ExpectTableKAnonymityToBeAtLeast, RecordInLedgerAction

pytestmark = pytest.mark.gx

SECRET = "Zanzibar-7f"  # noqa: S105 - a value of the table, no password
PASSWORD = "hunter2-never-shown"  # noqa: S105 - a made-up one, which no text may show
BAD = TABLE.assign(age=[30, 30, 31, 41, 41, 41], illness=[*["flu"] * 5, SECRET])


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
    """Kind checked, the policy by its file, every figure, and what started it."""
    (folder / "p.yaml").write_text("# reviewed\n" + json.dumps(policy()), encoding="utf-8")
    exported(folder, folder / "p.yaml")
    assert run(opened(folder), "p", TABLE).success is True
    (entry,) = entries(home)
    said = entry.payload
    assert (entry.kind, entry.data_set) == ("checked", "clinic.visits")
    assert (said["outcome"], said["exit_code"], said["blocks"], said["missed"]) == ("passed", 0, [], [])
    assert (said["source"], said["records"], said["entities"]) == ("clinic/visits", 6, None)
    assert said["policy"] == {
        "name": "p",
        "sha256": load_policy(folder / "p.yaml").digest,
        "preset": None,
        "approved_sha256": load_policy(folder / "p.yaml").digest,
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


def data_set(source, asset):
    """Return the data set of a batch."""
    from great_expectations.core import ExpectationSuiteValidationResult

    from qidguard_expectations.verdicts import data_set_of

    meta = {"active_batch_definition": {"datasource_name": source, "data_asset_name": asset}}
    result = ExpectationSuiteValidationResult(
        success=True, results=[], suite_name="s", statistics={}, meta=meta
    )
    return data_set_of(result, None)


SOURCES_AND_ASSETS = [
    *(("clinic", "t"), ("ward", "t"), ("clinic.t", "t"), ("clinic", "t.t"), ("a b", "t"), ("a-b", "t")),
    *(("clinic", "Visits 2026/all"), ("clinic", ".hidden"), ("clinic", "…"), ("…", "clinic"), ("…", "…")),
    *(("a" * 120, "t"), ("a" * 121, "t"), ("t", "a" * 120), ("", "clinic"), ("clinic", "")),
]


def test_source_and_asset_are_the_data_set():
    """Tables of one name in two data sources are two data sets, whatever letters the names have."""
    from qidguard.releasing.context import checked_name

    names = [data_set(source, asset) for source, asset in SOURCES_AND_ASSETS]
    assert names[:2] == ["clinic.t", "ward.t"]
    assert len(set(names)) == len(names)
    assert [checked_name(name, "data set") for name in names] == names


def test_tables_of_one_name_have_histories_of_their_own(home):
    """Two data sources with an asset t, one checkpoint each: two data sets in the ledger."""
    import great_expectations as gx

    from qidguard_expectations import add_to_context

    found = gx.get_context(mode="ephemeral")
    found.variables.progress_bars = {"globally": False}
    for name in ("clinic", "ward"):
        asset = found.data_sources.add_pandas(name).add_dataframe_asset("t")
        batch = asset.add_batch_definition_whole_dataframe("whole")
        checkpoint = add_to_context(found, policy(), batch, name=name)
        checkpoint.run(batch_parameters={"dataframe": TABLE})
    assert [entry.data_set for entry in entries(home)] == ["clinic.t", "ward.t"]


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
    for place in ("answers", "questions"):
        monkeypatch.setattr(f"qidguard_expectations.{place}.load_host", lambda: host)
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


@pytest.mark.parametrize("frame", [TABLE, BAD], ids=["passes", "is blocked"])
@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_verdict_without_figures_is_none(folder, home, frame, is_recorded):
    """A checkpoint that keeps booleans alone has no evidence: blocked, and the run raises."""
    exported(folder, policy(), is_recorded=is_recorded)
    path = folder / "gx" / "checkpoints" / "p.json"
    path.write_text(path.read_text(encoding="utf-8").replace("SUMMARY", "BOOLEAN_ONLY"), encoding="utf-8")
    with pytest.raises(UserError, match="without the figures of its verdict; run with result_format SUMMARY"):
        run(opened(folder), "p", frame)
    made = entries(home) if is_recorded else []
    assert [entry.payload["outcome"] for entry in made] == ["blocked"] * is_recorded


def test_entities_are_counted_in_the_entry(folder, home):
    """Six records of three persons."""
    given = policy(
        **roles(entity="visit", insensitive=[]), thresholds=[{"metric": "k_anonymity", "at_least": 2}]
    )
    exported(folder, given)
    run(opened(folder), "p", TABLE.assign(visit=[1, 2, 3, 1, 2, 3]))
    (entry,) = entries(home)
    assert (entry.payload["records"], entry.payload["entities"]) == (6, 3)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("many", "at_least must be a number, not 'many'; write for example at_least: 5"),
        (0, "k_anonymity: at_least 0 lies outside the metric's range 1..inf (persons); correct the limit"),
    ],
)
def test_what_a_run_gives_wrongly_is_recorded(home, given, sentence):
    """A value of a parameter that makes no limit ends no run: it fails, and the ledger says why."""
    expectation = ExpectTableKAnonymityToBeAtLeast(
        quasi_identifiers=["age", "sex"], at_least={"$PARAMETER": "k"}
    )
    checkpoint = checkpoint_of(expectation, actions=[RecordInLedgerAction(name="record")])
    found = checkpoint.run(batch_parameters={"dataframe": TABLE}, expectation_parameters={"k": given})
    assert found.success is False
    (entry,) = entries(home)
    assert (entry.payload["outcome"], entry.payload["blocks"]) == ("blocked", [sentence])
