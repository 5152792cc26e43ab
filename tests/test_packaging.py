"""The built packages work where nothing of the work tree is."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import pages

ROOT = Path(__file__).resolve().parents[1]
PLUGINS = (
    "standard",
    "checks",
    "comparison",
    "gx",
    "hybrid_dp",
    "learning",
    "mo_obam",
    "qidlearning",
    "qir",
    "series",
    "airflow",
    "testing",
)
POLICY = """\
qidguard: 1
name: p
roles:
  quasi_identifiers: [age, sex]
thresholds:
  - {metric: k_anonymity, at_least: 2}
"""


def project(folder: Path) -> dict[str, object]:
    """Return the metadata that a folder's pyproject.toml states."""
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(folder: Path) -> dict[str, Requirement]:
    """Return name → requirement of a project, its extras apart."""
    return {r.name: r for r in map(Requirement, project(folder)["dependencies"])}


def run(*command: str | Path, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command outside the project and return what it printed."""
    away = {"VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "QIDGUARD_PLUGINS"}
    environment = {k: v for k, v in os.environ.items() if k not in away}
    environment |= {"COLUMNS": "200", "QIDGUARD_HOME": str(cwd / "home")}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def install(wheels: Path, folder: Path, *names: str) -> Path:
    """Install distributions into a new environment, ours from the wheels alone; return its ``bin``."""
    folder.mkdir()
    python = folder / "env" / "bin" / "python"
    run("uv", "venv", "--quiet", folder / "env", cwd=folder)
    run("uv", "pip", "install", "--quiet", "--python", python, "--find-links", wheels, *names, cwd=folder)
    return python.parent


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> Path:
    """Return a folder with the wheels of the host and of every plugin."""
    folder = tmp_path_factory.mktemp("wheels")
    for source in (ROOT, *(ROOT / "plugins" / name for name in PLUGINS)):
        run("uv", "build", "--quiet", "--wheel", "--out-dir", folder, source, cwd=folder)
    assert len(list(folder.glob("*.whl"))) == 1 + len(PLUGINS)
    return folder


@pytest.mark.parametrize("name", ["standard", "checks"])
def test_the_host_asks_for_what_a_verdict_needs_and_not_the_other_way_round(name):
    """A plain install brings both in versions that fit, and no two packages ask for each other."""
    folder = ROOT / "plugins" / name
    assert project(folder)["version"] in requirements(ROOT)[f"qidguard-{name}"].specifier
    assert "qidguard" not in requirements(folder)


def test_a_library_comes_with_the_plugins_that_stand_on_it():
    """They name versions that fit, and it does not ask for the host, which asks for one of them."""
    library = ROOT / "plugins" / "learning"
    for name in ("standard", "hybrid_dp", "mo_obam"):
        asked = requirements(ROOT / "plugins" / name)["qidguard-learning"]
        assert project(library)["version"] in asked.specifier
    assert "qidguard" not in requirements(library)


@pytest.mark.packaging
@pytest.mark.timeout(600)
def test_a_plain_install_can_judge(tmp_path, wheels):
    """`pip install qidguard` alone: the demo runs, a policy blocks and passes, the package has its files."""
    place = tmp_path / "plain"
    qidguard = install(wheels, place, "qidguard") / "qidguard"
    assert "PASSED" in run(qidguard, "demo", cwd=place).stdout
    (place / "p.yaml").write_text(POLICY, encoding="utf-8")
    (place / "unique.csv").write_text("age,sex\n30,f\n31,m\n", encoding="utf-8")
    (place / "pairs.csv").write_text("age,sex\n30,f\n30,f\n", encoding="utf-8")
    assert "BLOCKED" in run(qidguard, "audit", "unique.csv", "--policy", "p.yaml", cwd=place, code=1).stdout
    assert "PASSED" in run(qidguard, "audit", "pairs.csv", "--policy", "p.yaml", cwd=place).stdout
    assert "pdpc-sg" in run(qidguard, "policy", "presets", cwd=place).stdout
    assert "neoplasms" in run(qidguard, "hierarchy", "ready", "icd9", cwd=place).stdout
    assert '"$schema"' in run(qidguard, "schema", "audit", cwd=place).stdout
    (place / "search.csv").write_text("age,ward\n30,a\n30,b\n41,a\n41,a\n", encoding="utf-8")
    search = run(qidguard, "discover", "search.csv", cwd=place, code=2)
    assert "no installed plugin offers objectives; install one" in search.stderr
    python = qidguard.with_name("python")
    run("uv", "pip", "uninstall", "--quiet", "--python", python, "qidguard-checks", cwd=place)
    (place / "q.yaml").write_text(POLICY.replace("sex]", "sex]\n  insensitive: [ward]"), encoding="utf-8")
    (place / "wards.csv").write_text("age,sex,ward\n" + "30,f,a\n30,f,b\n" * 9, encoding="utf-8")
    unchecked = run(qidguard, "audit", "wards.csv", "--policy", "q.yaml", cwd=place, code=3).stdout
    told = " ".join(unchecked.split())
    assert "there is no leak check 'undoing', since no installed plugin offers leaks" in told
    assert (
        "qidguard[compare]" in run(qidguard, "compare", "pairs.csv", "-p", "p.yaml", cwd=place, code=2).stderr
    )
    assert "qidguard[gx]" in run(qidguard, "init", "dags", cwd=place).stderr
    assert "qidguard[gx]" in run(qidguard, "gx", "export", "p.yaml", cwd=place, code=2).stderr
    for words in (("series", "plan", "pairs.csv"), ("schema", "series-plan")):
        assert "qidguard[series]" in run(qidguard, *words, cwd=place, code=2).stderr
    assert (place / "dags" / "dags" / "gate_and_publish.py").is_file()


@pytest.mark.packaging
@pytest.mark.timeout(600)
def test_a_further_plugin_is_installed_beside_the_standard_one(tmp_path, wheels):
    """Plugins that ask for the host get it with its metrics, and all are listed."""
    place = tmp_path / "further"
    names = ("qidguard-qidlearning", "qidguard-qir", "qidguard-mo-obam", "qidguard-expectations")
    names += ("qidguard-series",)
    qidguard = install(wheels, place, *names) / "qidguard"
    listed = run(qidguard, "plugins", cwd=place).stdout
    assert "qidguard-expectations" in listed
    (place / "p.yaml").write_text(POLICY, encoding="utf-8")
    assert "qidguard-series-plan/1" in run(qidguard, "schema", "series-plan", cwd=place).stdout
    assert "written" in run(qidguard, "gx", "export", "p.yaml", cwd=place).stdout
    assert "qidguard-standard" in listed
    assert "qidguard-qidlearning" in listed
    assert "qidguard-qir" in listed
    assert "qidguard-mo-obam" in listed


@pytest.mark.packaging
@pytest.mark.timeout(600)
def test_comparing_comes_by_its_extra(tmp_path, wheels):
    """`pip install "qidguard[compare]"` brings the command, its schema, and the solutions of a method."""
    place = tmp_path / "compared"
    qidguard = install(wheels, place, "qidguard[compare]") / "qidguard"
    (place / "p.yaml").write_text(POLICY, encoding="utf-8")
    (place / "t.csv").write_text("age,sex\n30,f\n31,f\n30,m\n31,m\n", encoding="utf-8")
    asked = ("t.csv", "--policy", "p.yaml", "-a", "mondrian")
    assert "loses least" in run(qidguard, "compare", *asked, cwd=place).stdout
    assert "Solutions of mondrian" in run(qidguard, "anonymize", *asked, "--pareto", cwd=place).stdout
    assert '"qidguard-comparison/1"' in run(qidguard, "schema", "comparison", cwd=place).stdout


@pytest.mark.packaging
@pytest.mark.timeout(600)
def test_the_kit_comes_by_its_extra(tmp_path, wheels):
    """`pip install "qidguard[testing]"` is all that a test of an anonymizer needs, its mark included."""
    place = tmp_path / "kit"
    programs = install(wheels, place, "qidguard[testing]")
    (place / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    (place / "test_kit.py").write_text(
        "from qidguard_testing import AnonymizerConformance\n\n\n"
        "class TestNone(AnonymizerConformance):\n    pass\n",
        encoding="utf-8",
    )
    found = run(programs / "python", "-m", "pytest", "--collect-only", "-q", cwd=place).stdout
    assert "test_hundred_thousand_records" in found


@pytest.mark.packaging
@pytest.mark.timeout(600)
def test_the_package_of_the_plugin_guide_can_be_installed(tmp_path, wheels):
    """Its files, by themselves in a folder, are built and installed, and its metric is explained."""
    pages.write_files(ROOT / "plugins" / "README.md", tmp_path)
    (tmp_path / "my-plugin" / "mine" / "__init__.py").touch()
    place = tmp_path / "guide"
    qidguard = install(wheels, place, str(tmp_path / "my-plugin")) / "qidguard"
    assert "mine 1.0" in run(qidguard, "explain", "share_in_pairs", cwd=place).stdout


@pytest.mark.packaging
@pytest.mark.timeout(600)
def test_without_any_plugin_the_host_still_stands(tmp_path, wheels):
    """The standard plugin can be uninstalled: a table is described, and what needs a metric says so."""
    place = tmp_path / "bare"
    programs = install(wheels, place, "qidguard")
    qidguard = programs / "qidguard"
    run("uv", "pip", "uninstall", "--quiet", "--python", programs / "python", "qidguard-standard", cwd=place)
    (place / "t.csv").write_text("age,sex\n30,f\n31,m\n", encoding="utf-8")
    assert "DESCRIBED" in run(qidguard, "audit", "t.csv", cwd=place).stdout
    (place / "p.yaml").write_text(POLICY, encoding="utf-8")
    missing = run(qidguard, "audit", "t.csv", "--policy", "p.yaml", cwd=place, code=2)
    assert "k_anonymity" in missing.stderr
    assert "Traceback" not in missing.stderr
    demo = run(qidguard, "demo", cwd=place, code=3)
    assert "no plugin" in demo.stderr
    assert "policy.yaml" not in demo.stderr
