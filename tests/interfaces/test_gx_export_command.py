"""``qidguard gx export``: a policy as files of a Great Expectations project, in the light install too."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from audited import policy
from qidguard.interfaces.cli import main
from qidguard_suites.project import Project
from releases import at_least

NOWHERE = Project(folder=Path("gx"), data_sources=None)
SETTINGS = """fluent_datasources:
  clinic:
    id: 11111111-1111-1111-1111-111111111111
    assets:
      visits:
        id: 22222222-2222-2222-2222-222222222222
        batch_definitions:
          whole: {id: 33333333-3333-3333-3333-333333333333}
          yearly: {id: 44444444-4444-4444-4444-444444444444}
      bills: {}
"""
FILES = ["gx/expectations/clinic.json", "gx/validation_definitions/clinic.json", "gx/checkpoints/clinic.json"]


@pytest.fixture
def project() -> Path:
    """Return the folder of a project with two assets, one of them with two batch definitions."""
    folder = Path("gx")
    folder.mkdir()
    (folder / "great_expectations.yml").write_text(SETTINGS, encoding="utf-8")
    return folder


def test_three_files_are_written_and_the_same_bytes_again(run, write_policy):
    """Under one name where a project keeps them; a second export changes nothing: no clock, no chance."""
    code, out, err = run("gx", "export", write_policy(2))
    assert (code, [line.split() for line in out.splitlines()]) == (0, [[file, "written"] for file in FILES])
    assert "no project is there yet; the checkpoint will judge clinic / clinic / clinic." in err
    before = [Path(file).read_bytes() for file in FILES]
    assert [json.loads(content)["name"] for content in before] == ["clinic"] * 3
    code, out, _ = run("gx", "export", write_policy(2))
    assert (code, out.count("unchanged")) == (0, 3)
    run("gx", "export", write_policy(2), "--to", "other/gx")
    assert [Path(file).read_bytes() for file in FILES] == before
    assert [(Path("other") / file).read_bytes() for file in FILES] == before
    assert "so run it where it is exported" in " ".join(run("gx", "export", "--help")[1].split())


@pytest.mark.slow
def test_it_needs_no_great_expectations(write_policy):
    """The files are written by a process in which that library cannot be imported."""
    code = (
        "import sys; sys.modules['great_expectations'] = None\n"
        "from qidguard.interfaces.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "gx", "export", write_policy(2)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.count("written")) == (0, 3), done.stderr


def test_a_changed_limit_changes_few_lines(run, write_policy):
    """Ids hang on names alone: only the limit, its copies in the whole policy and digests change."""
    run("gx", "export", write_policy(2))
    before = Path(FILES[0]).read_text(encoding="utf-8").splitlines()
    code, out, _ = run("gx", "export", write_policy(3), "--force")
    after = Path(FILES[0]).read_text(encoding="utf-8").splitlines()
    changed = [new.strip() for old, new in zip(before, after, strict=True) if old != new]
    digests = [line for line in changed if "sha256" in line]
    assert code == 0
    assert [line.split()[1] for line in out.splitlines()] == ["written", "unchanged", "written"]
    assert [line for line in changed if line not in digests] == [
        *('"at_least": 3,', '"at_least": 3,', '"    at_least: 3",')
    ]
    assert len(digests) == 6


@pytest.mark.parametrize("content", ['{"name": "mine"}', "not json", "[]", ""])
@pytest.mark.parametrize("file", FILES)
def test_a_file_that_differs_is_not_overwritten(run, write_policy, file, content):
    """Exit 2, the file stays, and no other file is written; --force replaces it."""
    path = Path(file)
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8")
    code, out, err = run("gx", "export", write_policy(2))
    assert (code, out) == (2, "")
    assert f"these files differ from what would be written: {file.removeprefix('gx/')}; nothing" in err
    assert path.read_text(encoding="utf-8") == content
    assert [other for other in FILES if Path(other).exists()] == [file]
    assert run("gx", "export", write_policy(2), "--force")[0] == 0
    assert json.loads(path.read_text(encoding="utf-8"))["name"] == "clinic"


def test_ids_that_a_project_filled_in_are_no_difference(run, write_policy):
    """Great Expectations adds the ids of its data when it saves; nothing else may differ."""
    run("gx", "export", write_policy(2))
    path = Path(FILES[1])
    saved = json.loads(path.read_text(encoding="utf-8"))
    saved["data"]["asset"]["id"] = "22222222-2222-2222-2222-222222222222"
    path.write_text(json.dumps(saved), encoding="utf-8")
    assert run("gx", "export", write_policy(2))[0] == 0
    saved["data"]["asset"]["name"] = "bills"
    path.write_text(json.dumps(saved), encoding="utf-8")
    assert run("gx", "export", write_policy(2))[0] == 2


@pytest.mark.parametrize(("options", "sentence"), [
    ((), "there are several assets (visits, bills); choose one with --asset"),
    (("--asset", "visit"), "there is no asset 'visit'; did you mean 'visits'?"),
    (("--asset", "bills"), "there is no batch definition to judge; add one to the project first"),
    (("--asset", "visits"), "several batch definitions (whole, yearly); choose one with --batch-definition"),
    (("--data-source", "shop"), "there is no data source 'shop'; choose from: 'clinic'"),
    (("--name", "a/b"), "The name 'a/b' must be of at most 100 letters"),
    (("--name", "a.b"), "The name 'a.b' must be of at most 100 letters"),
    (("--to", "."), "'.' holds a project in its folder gx; write --to gx"),
])  # fmt: skip
@pytest.mark.usefixtures("project")
def test_a_wrong_name_is_said_in_one_sentence(run, write_policy, options, sentence):
    """Exit 2, the rule, the names that are there, and nothing is written."""
    code, out, err = run("gx", "export", write_policy(2), *options)
    assert (code, out) == (2, "")
    assert sentence in err
    assert not Path("gx/expectations").exists()


@pytest.mark.usefixtures("project")
def test_the_projects_own_ids_are_taken(run, write_policy):
    """The validation definition names the data as the project does."""
    options = ("--asset", "visits", "--batch-definition", "yearly", "--name", "gate")
    code, _, err = run("gx", "export", write_policy(2), *options)
    written = json.loads(Path("gx/validation_definitions/gate.json").read_text(encoding="utf-8"))
    assert (code, err) == (0, "")
    assert {kind: one["id"][0] for kind, one in written["data"].items()} == {
        "datasource": "1",
        "asset": "2",
        "batch_definition": "4",
    }


def test_a_project_that_cannot_be_read_or_written_is_a_mistake(run, write_policy, project):
    """Exit 2 and one sentence, whatever stands in the settings, or where a file is in the folder's place."""
    (project / "great_expectations.yml").write_text("a: [", encoding="utf-8")
    Path("file").write_text("", encoding="utf-8")
    for more, words in (
        ((), "cannot be read as YAML; correct them"),
        (("--to", "file/gx"), "cannot be written"),
    ):
        code, _, err = run("gx", "export", write_policy(2), *more)
        assert (code, words in err) == (2, True)


@pytest.mark.parametrize(("metric", "limit", "why"), [
    ("intersection_k_anonymity", 2, "it is measured against earlier"),
    ("accuracy", 0.5, "it is measured beside the target column"),
])  # fmt: skip
def test_a_metric_of_more_than_a_batch_is_left_to_the_whole_verdict_and_named(run, metric, limit, why):
    """A batch knows no earlier release, and an expectation has no place for a target; a note says so."""
    given = policy(thresholds=at_least(**{"k_anonymity": 2, metric: limit}))
    given["roles"]["target"] = "outcome"
    Path("p.yaml").write_text(json.dumps(given), encoding="utf-8")
    code, _, err = run("gx", "export", "p.yaml")
    assert code == 0
    assert f"{metric} stands in the whole verdict alone: {why}" in err
    suite = json.loads(Path("gx/expectations/p.json").read_text(encoding="utf-8"))
    assert len(suite["expectations"]) == 3
    assert metric not in [e["kwargs"].get("metric") for e in suite["expectations"]]


def test_a_threshold_that_does_not_fit_its_metric_is_not_exported(run):
    """Exit 2 with the policy's line, and no file."""
    given = policy(thresholds=[{"metric": "k_anonymity", "at_most": 2}])
    Path("p.yaml").write_text(json.dumps(given), encoding="utf-8")
    code, _, err = run("gx", "export", "p.yaml")
    assert (code, Path("gx").exists()) == (2, False)
    assert "p.yaml line 1: threshold on k_anonymity" in err


def test_the_checkpoint_records_unless_told_otherwise(run, write_policy):
    """Its first action is ours: it writes to the ledger, or with --no-ledger sees that there is a verdict."""
    for options, first in (((), "record_in_ledger"), (("--no-ledger", "--force"), "require_privacy_verdict")):
        run("gx", "export", write_policy(2), *options)
        actions = json.loads(Path(FILES[2]).read_text())["actions"]
        assert [one["type"] for one in actions] == [first, "update_data_docs"]


def test_the_reviewed_files_are_exports_of_their_policies(monkeypatch, tmp_path):
    """The commands of expectations/README.md, run as they stand, give the files there byte for byte."""
    root = Path(__file__).resolve().parents[2]
    commands = re.findall(
        r"^qidguard (gx export .*)$",
        (root / "expectations" / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    policies = [
        *(root / "expectations" / "policies").glob("*.yaml"),
        root / "qidguard" / "demo" / "policy.yaml",
    ]
    monkeypatch.chdir(root)
    for command in commands:
        assert main(command.replace("expectations/gx", str(tmp_path / "gx")).split()) == 0
    written = {path.relative_to(tmp_path): path.read_bytes() for path in (tmp_path / "gx").rglob("*.json")}
    there = root / "expectations"
    reviewed = {path.relative_to(there): path.read_bytes() for path in (there / "gx").rglob("*.json")}
    assert sorted(command.split()[2] for command in commands) == sorted(
        str(path.relative_to(root)) for path in policies
    )
    assert written == reviewed
    assert len(reviewed) == 3 * len(policies)
