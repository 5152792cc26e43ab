"""Tests of what a small audit from the command line does not load: that is most of the time it takes."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from qidguard.interfaces.cli import main
from qidguard.policy.preset import _loaded
code = main(["audit", "small.csv", "--policy", "policy.yaml", "--output", "report.txt", "--quiet"])
heavy = {"pandas", "pyarrow", "scipy", "sklearn", "sqlalchemy", "alembic", "cryptography", "opendp", "fsspec"}
heavy |= {"numba", "altair", "great_expectations", "airflow"}
print(code, sorted(heavy & set(sys.modules)), _loaded.cache_info().currsize)
"""

POLICY = """
qidguard: 1
name: small
roles: {quasi_identifiers: [age, sex]}
thresholds: [{metric: k_anonymity, at_least: 2}]
"""


def test_a_small_audit_loads_nothing_heavy(tmp_path):
    """No library that the audit does not need is imported, and no preset is read where none is named."""
    (tmp_path / "small.csv").write_text("age,sex\n34,f\n34,f\n35,m\n35,m\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0 [] 0\n"


SETTINGS = """
import gc, os, sys
from qidguard.interfaces.cli import main
before = gc.get_threshold()
main(["--version"])
print(gc.get_threshold() == before, os.environ.get("OPENBLAS_THREAD_TIMEOUT"))
sys.argv = ["qidguard", "--version"]
main()
print(gc.get_threshold() == before, os.environ.get("OPENBLAS_THREAD_TIMEOUT"))
"""


@pytest.mark.parametrize("stated", [None, "26"])
def test_only_a_process_of_its_own_is_set_up_to_start_quickly(monkeypatch, stated):
    """Who calls ``main`` with arguments keeps the settings of the process, and what a user states stays."""
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    if stated is not None:
        monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", stated)
    done = subprocess.run([sys.executable, "-c", SETTINGS], capture_output=True, text=True, check=True)
    told = [line for line in done.stdout.splitlines() if not line.startswith("qidguard")]
    assert told == [f"True {stated}", f"False {stated or 20}"]


@pytest.mark.slow
def test_a_mistyped_command_is_guessed_and_each_is_imported_alone():
    """Only the command that is called is imported; a wrong one is held against all."""
    script = (
        "import sys; from qidguard.interfaces.cli import main; code = main(['keys', '--help'])\n"
        "found = [m for m in sys.modules if m.startswith('qidguard.interfaces.commands.')]\n"
        "print(code, found, file=sys.stderr); main(['audti'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[0] == "0 ['qidguard.interfaces.commands.keys']"
    assert "No such command 'audti'. Did you mean 'audit'?" in done.stderr
