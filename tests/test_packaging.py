"""The built packages work where nothing of the work tree is."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def run(*command: str, cwd: Path, is_checked: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command outside the project and return what it printed."""
    environment = {k: v for k, v in os.environ.items() if k not in {"VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"}}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert not is_checked or done.returncode == 0, done.stderr
    return done


def test_installed_packages_need_nothing_of_the_work_tree(tmp_path):
    """From wheels, in a fresh environment: the demo runs, presets and schemas are there, plugins load."""
    for folder in (ROOT, ROOT / "plugins" / "standard"):
        run("uv", "build", "--quiet", "--wheel", "--out-dir", str(tmp_path), str(folder), cwd=tmp_path)
    wheels = sorted(str(p) for p in tmp_path.glob("*.whl"))
    assert len(wheels) == 2
    python = str(tmp_path / "env" / "bin" / "python")
    run("uv", "venv", "--quiet", str(tmp_path / "env"), cwd=tmp_path)
    run("uv", "pip", "install", "--quiet", "--python", python, *wheels, cwd=tmp_path)
    qidguard = str(tmp_path / "env" / "bin" / "qidguard")
    assert "PASSED" in run(qidguard, "demo", cwd=tmp_path).stdout
    assert "pdpc-sg" in run(qidguard, "policy", "presets", cwd=tmp_path).stdout
    assert '"$schema"' in run(qidguard, "schema", "audit", cwd=tmp_path).stdout
    assert "qidguard-standard" in run(qidguard, "plugins", cwd=tmp_path).stdout


def test_without_any_plugin_the_host_still_stands(tmp_path):
    """The standard plugin can be uninstalled: the host runs, describes a table, and misses its metrics."""
    run("uv", "build", "--quiet", "--wheel", "--out-dir", str(tmp_path), str(ROOT), cwd=tmp_path)
    python = str(tmp_path / "env" / "bin" / "python")
    run("uv", "venv", "--quiet", str(tmp_path / "env"), cwd=tmp_path)
    [wheel] = map(str, tmp_path.glob("*.whl"))
    run("uv", "pip", "install", "--quiet", "--python", python, wheel, cwd=tmp_path)
    qidguard = str(tmp_path / "env" / "bin" / "qidguard")
    (tmp_path / "t.csv").write_text("age,sex\n30,f\n31,m\n", encoding="utf-8")
    assert "DESCRIBED" in run(qidguard, "audit", "t.csv", cwd=tmp_path).stdout
    (tmp_path / "p.yaml").write_text(
        "qidguard: 1\nname: p\nroles:\n  quasi_identifiers: [age, sex]\n"
        "thresholds:\n  - metric: k_anonymity\n    at_least: 2\n",
        encoding="utf-8",
    )
    missing = run(qidguard, "audit", "t.csv", "--policy", "p.yaml", cwd=tmp_path, is_checked=False)
    assert missing.returncode in {2, 3}
    assert "k_anonymity" in missing.stderr
    assert "Traceback" not in missing.stderr
