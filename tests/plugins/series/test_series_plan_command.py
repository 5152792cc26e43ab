"""``qidguard series plan``: what it prints, writes and returns."""

import json

import jsonschema
import pytest

from qidguard.interfaces.cli import main
from qidguard_series.plugin import published_series_plan_schema, qidguard_commands
from qidguard_testing import check_command
from series import people

POLICY = """qidguard: 1
name: clinic
roles:
  quasi_identifiers: [age, sex]
  entity: person
thresholds:
  - metric: k_anonymity
    at_least: 3
"""
MOVE = ("--leave", "0.1", "--come", "0.1", "--releases", "3")


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Return a function that runs the command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments):
        code = main(arguments)
        return (code, *capsys.readouterr())

    return call


@pytest.fixture
def planned(run, tmp_path):
    """Return a function that plans a series of twenty persons by a method that looks at no other release."""
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    people(20).to_csv(tmp_path / "june.csv", index=False)
    people(18).iloc[1:].to_csv(tmp_path / "may.csv", index=False)
    return lambda *more: run(
        "series", "plan", "june.csv", "--policy", "policy.yaml", "--with", "mondrian", *more
    )


def test_a_method_that_looks_at_no_other_release_isolates_people(planned):
    """It is a row, the persons are counted, and it is exit 1."""
    code, out, err = planned(*MOVE)
    assert (code, err) == (1, "")
    assert "june.csv: 20 persons, policy clinic, k = 3, 3 releases" in out
    assert "No way that was tried keeps the series." in out
    assert "persons stand in joint classes of fewer than 3" in out


def test_json_keeps_the_published_schema(planned, tmp_path):
    """The document is what ``qidguard schema series-plan`` describes; earlier files say who moves."""
    code, out, _ = planned("--earlier", "may.csv", "--format", "json", "--output", "plan.json")
    assert (code, out) == (1, "")
    document = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads(published_series_plan_schema()))
    assert (document["true_releases"], document["releases"], document["persons"]) == (2, 12, 17)
    assert document["turnover"]["leave"] == 0


def test_the_schema_is_printed(run):
    """The command prints the file as it lies in the package."""
    assert run("schema", "series-plan")[1] == published_series_plan_schema()


def test_plots_are_written(planned, tmp_path):
    """One picture of two panels, as SVG and as PNG."""
    code, _, err = planned(*MOVE, "--plots", "drawn")
    names = sorted(path.name for path in (tmp_path / "drawn").iterdir())
    assert (code, names) == (1, ["series_plan.png", "series_plan.svg"])
    assert err.split() == ["drawn/series_plan.svg", "drawn/series_plan.png"]


@pytest.mark.parametrize(("arguments", "sentence"), [
    ((), "nobody says who moves from one release to the next"),
    (("--leave", "2"), "2.0 is not in the range 0<=x<=1"),
    ((*MOVE, "--stay", "0,6"), "mondrian has no parameter leavers_stay"),
    ((*MOVE, "--wait", "soon"), "--wait takes numbers with commas between them, not 'soon'"),
    ((*MOVE, "--stay", "6,,12"), "--stay takes numbers with commas between them, not '6,,12'"),
    ((*MOVE, "--output", "june.csv"), "june.csv"),
    ((*MOVE, "--earlier", "april.csv"), "april.csv"),
])  # fmt: skip
def test_a_mistake_is_exit_2(planned, arguments, sentence):
    """One sentence says what is wrong, and nothing else is printed."""
    code, out, err = planned(*arguments)
    assert (code, out) == (2, "")
    assert sentence in " ".join(err.split())


def test_the_command_is_one_that_a_plugin_may_offer():
    """It is made when it is called, and returns its exit code."""
    (command,) = qidguard_commands()
    assert check_command(command, ["plan", "--help"]) == []


def test_the_output_replaces_nothing_that_is_read(planned, tmp_path):
    """A policy that is named as the output stays as it is, and an earlier plan goes away."""
    assert planned(*MOVE, "--output", "policy.yaml")[0] == 2
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == POLICY
    (tmp_path / "plan.txt").write_text("old", encoding="utf-8")
    assert planned(*MOVE, "--with", "no_such", "--output", "plan.txt")[0] == 2
    assert not (tmp_path / "plan.txt").exists()
