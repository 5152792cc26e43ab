"""``qidguard init``: what it writes, what it never touches, and that a policy means the same from there."""

import json
import os
import re
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import qidguard.host
from qidguard import audit
from qidguard.host.loading import assemble
from qidguard.policy import load_policy
from qidguard.sdk import Command, hookimpl
from qidguard.trials.read_places import other_sources

ROOT = Path(__file__).resolve().parents[2]
DAGS = sorted(path.name for path in (ROOT / "dags").glob("*.py"))

OWN = """\
# reviewed in November
qidguard: 1
name: Ward statistics
source: {path: 'tables/ward.csv', delimiter: ";"} # from the clinic
population:
  path: tables/census.csv
roles:
  quasi_identifiers: [age]
thresholds:
  - {metric: k_anonymity, at_least: 5}
release:
  data_set: ward
  destination: releases
"""


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_working_set_is_written_once(run, tmp_path):
    """DAGs, policy, tables, suite and checkpoint; a second time nothing changes."""
    code, out, _ = run("init", "site")
    assert code == 0
    site = tmp_path / "site"
    written = files(site)
    assert sorted(written) == sorted(
        [
            *(f"dags/{name}" for name in DAGS),
            "dags/policies/demo.yaml",
            "data/demo.csv",
            "data/demo-raw.csv",
            "gx/checkpoints/demo-discharges.json",
            "gx/expectations/demo-discharges.json",
            "gx/validation_definitions/demo-discharges.json",
        ]
    )
    assert {name: written[f"dags/{name}"] for name in DAGS} == {
        name: (ROOT / "dags" / name).read_bytes() for name in DAGS
    }
    assert [line.split()[0] for line in out.splitlines()[:12]] == ["written"] * 12
    assert "airflow dags test gate_and_publish" in out

    code, out, _ = run("init", "site")
    assert (code, files(site)) == (0, written)
    assert [line.split()[0] for line in out.splitlines()[:12]] == ["unchanged"] * 12


@pytest.mark.slow
def test_the_demo_has_a_table_that_passes_and_one_that_is_blocked(run, tmp_path):
    """The good one passes release after release, and the next steps that are shown can be typed."""
    code, out, _ = run("init", "site", "--no-gx")
    assert code == 0
    [first] = [line.strip() for line in out.splitlines() if line.startswith("  qidguard release ")]
    command = first.split()[1:]
    assert [run(*command)[0] for _ in range(2)] == [0, 0]
    assert len(list((tmp_path / "site" / "published" / "demo").iterdir())) == 2
    command[1] = command[1].replace("demo.csv", "demo-raw.csv")
    assert run(*command)[0] == 1


def test_a_file_that_differs_is_never_overwritten(run, tmp_path):
    """It is named, and nothing at all is written; --force replaces it."""
    assert run("init", "site", "--no-gx")[0] == 0
    site = tmp_path / "site"
    before = files(site)
    (site / "dags" / "privacy_audit.py").write_text("mine", encoding="utf-8")
    (site / "data" / "demo.csv").unlink()
    (site / "dags" / "other.py").write_text("mine too", encoding="utf-8")
    code, out, err = run("init", "site", "--no-gx")
    assert (code, out) == (2, "")
    assert "these files differ from what would be written: dags/privacy_audit.py; nothing was written" in err
    assert not (site / "data" / "demo.csv").exists()

    assert run("init", "site", "--no-gx", "--force")[0] == 0
    assert files(site) == before | {"dags/other.py": b"mine too"}


SOURCES = {"fluent_datasources": {name: {"type": "pandas", "assets": {}} for name in ("one", "two")}}


@pytest.mark.parametrize(("name", "content", "words"), [
    ("gx/expectations/demo-discharges.json", {}, "demo-discharges.json"),
    ("gx/great_expectations.yml", SOURCES,
     "there are several data sources (one, two); choose one with --data-source of: qidguard gx"),
], ids=["suite", "data sources"])  # fmt: skip
def test_what_stands_in_a_project_already_stops_everything(run, tmp_path, name, content, words):
    """A reviewed suite is not lost, which data source is meant is not guessed, and no DAG is written."""
    file = tmp_path / "site" / name
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(content), encoding="utf-8")
    code, _, err = run("init", "site")
    assert (code, words in err, list(files(tmp_path / "site"))) == (2, True, [name])


def test_a_policy_of_ones_own_means_the_same_from_there(run, tmp_path):
    """Relative paths lead to the same files, the destination is a whole path, all else stays as written."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "w.yaml").write_text(OWN, encoding="utf-8")
    code, out, _ = run("init", "site", "--policy", "policies/w.yaml", "--no-gx")
    assert code == 0
    copy = tmp_path / "site" / "dags" / "policies" / "w.yaml"
    assert copy.read_text(encoding="utf-8") == OWN.replace(
        "'tables/ward.csv'", '"../../../policies/tables/ward.csv"'
    ).replace("tables/census.csv", '"../../../policies/tables/census.csv"').replace(
        "destination: releases", f'destination: "{tmp_path}/policies/releases"'
    )
    there, here = load_policy(copy), load_policy("policies/w.yaml")
    assert Path(str(there.source_path)).resolve() == Path(str(here.source_path)).resolve()
    assert not (tmp_path / "site" / "data").exists()
    gate = (tmp_path / "site" / "dags" / "gate_and_publish.py").read_text(encoding="utf-8")
    assert 'DATA_SET, POLICY_FILE = "ward", "w.yaml"\n' in gate
    consumer = (tmp_path / "site" / "dags" / "published_consumer.py").read_text(encoding="utf-8")
    assert "`ward/published`" in consumer
    assert not [name for name in files(tmp_path / "site" / "dags") if "demo" in name]
    assert "demo" not in out


HIERARCHIES = """\
hierarchies:
  age: {file: 'levels/age.csv', delimiter: ";"} # from the clinic
  "job: now":
    taxonomy: jobs.yaml
  income: {file: /srv/income.csv}
  town: {file: ~/town.csv}
  visit: {dates: [month, year]}
"""


def test_hierarchies_of_ones_own_mean_the_same_from_there(run, tmp_path):
    """Relative files lead to the same places, whole paths and all else stay as they are written."""
    (tmp_path / "policies").mkdir()
    own = OWN.replace("[age]", '[age, "job: now", income, town, visit]') + HIERARCHIES
    (tmp_path / "policies" / "w.yaml").write_text(own, encoding="utf-8")
    code, _, err = run("init", "site", "--policy", "policies/w.yaml", "--no-airflow", "--no-gx")
    assert (code, err) == (0, "")
    copy = tmp_path / "site" / "policies" / "w.yaml"
    written = copy.read_text(encoding="utf-8")
    assert written[written.index("hierarchies:") :] == HIERARCHIES.replace(
        "'levels/age.csv'", '"../../policies/levels/age.csv"'
    ).replace("jobs.yaml", '"../../policies/jobs.yaml"')
    there, here = load_policy(copy), load_policy("policies/w.yaml")
    assert [os.path.realpath(path) for path in other_sources(there)] == [
        os.path.realpath(path) for path in other_sources(here)
    ]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_policy_of_ones_own_keeps_its_mode(run, tmp_path, mode):
    """What others may not read, they may not read there either; what is replaced is no wider than before."""
    own = tmp_path / "own.yaml"
    own.write_text(OWN)
    own.chmod(mode)
    assert run("init", "site", "--policy", own)[0] == 0
    made = tmp_path / "site" / "dags" / "policies" / "own.yaml"
    assert stat.S_IMODE(made.stat().st_mode) == mode
    made.chmod(0o600)
    made.write_text("# changed\n")
    assert run("init", "site", "--policy", own, "--force")[0] == 0
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


def test_a_policy_that_says_no_places_is_told_what_it_lacks(run, tmp_path):
    """Where the table is and where releases go must be written before a schedule can run."""
    lean = OWN.replace("source:", "# source:").replace("  destination: releases\n", "")
    (tmp_path / "w.yaml").write_text(lean.replace("population:\n  path: tables/census.csv\n", ""))
    code, out, _ = run("init", "site", "-p", "w.yaml", "--no-gx")
    assert code == 0
    assert "where the table is: source: {path: ...}" in out
    assert "where releases go: release: {destination: ...}" in out


ODD_SOURCE = re.sub("source: .*", "source:\n  path: >-\n    odd.csv", OWN)
ODD_HIERARCHY = "hierarchies:\n  age:\n    file: >-\n      odd.csv\n  sex: auto\n"


@pytest.mark.parametrize(("odd", "path_of", "words"), [
    (ODD_SOURCE, lambda policy: policy.source.path, "on one line each"),
    (OWN.replace("[age]", "[age, sex]") + ODD_HIERARCHY, lambda policy: policy.hierarchies["age"].file,
     "the files of hierarchies on one line each"),
], ids=["source", "hierarchy"])  # fmt: skip
def test_a_path_that_cannot_be_written_anew_is_refused(run, tmp_path, odd, path_of, words):
    """A value over several lines is not guessed at; nothing is written."""
    (tmp_path / "w.yaml").write_text(odd, encoding="utf-8")
    assert path_of(load_policy("w.yaml")) == "odd.csv"
    code, out, err = run("init", "site", "-p", "w.yaml", "--no-gx")
    assert (code, out, words in err) == (2, "", True)
    assert not (tmp_path / "site").exists()


@pytest.mark.slow
def test_each_half_can_be_left_out(run, tmp_path):
    """Without the DAGs the policy stands in a folder of its own and still finds its table."""
    assert run("init", "site", "--no-airflow", "--no-gx")[0] == 0
    assert sorted(files(tmp_path / "site")) == ["data/demo-raw.csv", "data/demo.csv", "policies/demo.yaml"]
    policy = tmp_path / "site" / "policies" / "demo.yaml"
    assert load_policy(policy).source.path == "../data/demo.csv"
    with audit(policy=policy, source=None) as found:
        assert found.report.records == 2567


def test_the_suite_is_the_one_of_gx_export(run, tmp_path):
    """Both commands give the same suite for the same policy."""
    assert run("init", "site")[0] == 0
    policy = str(tmp_path / "site" / "dags" / "policies" / "demo.yaml")
    assert run("gx", "export", policy, "--to", "other", "--no-history", "--no-original")[0] == 0
    assert files(tmp_path / "other") == files(tmp_path / "site" / "gx")


def test_a_threshold_on_losses_is_left_to_the_release(run, tmp_path):
    """The suite of a working set judges what a batch can answer, and says what it does not judge."""
    own = OWN.replace("release:", "  - {metric: ncp, at_most: 0.5}\nrelease:")
    (tmp_path / "own.yaml").write_text(own, encoding="utf-8")
    code, out, err = run("init", "site", "-p", "own.yaml", "--no-airflow")
    assert code == 0
    assert "ncp is left to the release, which knows the original." in " ".join((out + err).split())
    [suite] = (tmp_path / "site" / "gx" / "expectations").iterdir()
    said = json.loads(suite.read_text(encoding="utf-8"))
    assert said["meta"]["qidguard"]["left_to_the_release"] == ["ncp"]


def test_without_the_extra_the_rest_is_written(run, tmp_path, monkeypatch):
    """A note says what is not there and how to get it; who asks for it is told by an error."""
    monkeypatch.setattr(qidguard.host, "load_host", lambda: assemble([]))
    code, out, err = run("init", "site")
    assert (code, "checkpoint" in out) == (0, False)
    assert err == (
        "Note: There is no suite and no checkpoint: the command gx comes with an extra:"
        ' pip install "qidguard[gx]"\n'
    )
    assert {name.partition("/")[0] for name in files(tmp_path / "site")} == {"dags", "data"}
    code, out, err = run("init", "other", "--gx")
    assert (code, out, 'pip install "qidguard[gx]"' in err) == (2, "", True)
    assert not (tmp_path / "other").exists()


def test_a_starter_that_fails_is_its_plugins_fault(run, tmp_path, monkeypatch):
    """Nothing is written, and the plugin is named."""

    def broken(*_: object) -> None:
        raise KeyError("Smith")

    command = Command(name="gx", title="Broken.", make=lambda: None, starter=broken)
    plugin = SimpleNamespace(qidguard_commands=hookimpl(lambda: [command]))
    plugin.qidguard_commands.__name__ = "qidguard_commands"
    host = assemble([], registered={"mine": plugin})
    monkeypatch.setattr(qidguard.host, "load_host", lambda: host)
    code, out, err = run("init", "site")
    assert (code, out) == (3, "")
    assert "command 'gx' failed with KeyError; mend the plugin" in err
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    "arguments",
    [["taken"], ["site", "-p", "absent.yaml"], ["site", "-p", "taken"], ["site", "-p", "{{ x }}.yaml"]],
)
def test_mistakes_end_with_2(run, tmp_path, arguments):
    """A file in the folder's place, no policy, what is none, and one whose name would be a template."""
    (tmp_path / "taken").write_text("text", encoding="utf-8")
    (tmp_path / "{{ x }}.yaml").write_text(OWN, encoding="utf-8")
    code, out, _ = run("init", *arguments)
    assert (code, out) == (2, "")
    assert not (tmp_path / "site").exists()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_wheel_brings_its_dags(tmp_path):
    """From the built package alone, with nothing of the work tree, the same working set is written."""
    environment = {k: v for k, v in os.environ.items() if k not in {"VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"}}
    build = ("uv", "build", "--quiet", "--wheel", "--out-dir", str(tmp_path), str(ROOT))
    subprocess.run(build, cwd=tmp_path, env=environment, check=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "wheel")
    assert sorted(files(tmp_path / "wheel" / "qidguard" / "starter")) == sorted(
        [
            *(f"dags/{name}" for name in DAGS),
            "dags/README.md",
            "dags/policies/demo.yaml",
            "dags/policies/series.yaml",
        ]
    )
    code = (
        "import sys; from pathlib import Path; import qidguard; from qidguard.interfaces.cli import main;"
        "assert Path(qidguard.__file__).is_relative_to(Path.cwd() / 'wheel');"
        "sys.exit(main(['init', 'site', '--no-gx']))"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(tmp_path / "wheel"), "QIDGUARD_HOME": str(tmp_path / "home")},
        check=True,
    )
    assert sorted(path.name for path in (tmp_path / "site" / "dags").glob("*.py")) == DAGS
