"""The README's lines that add the gate to an existing project run as they stand there."""

import re
from pathlib import Path
from typing import Any

import pytest

from gx_project import opened, results

pytestmark = pytest.mark.gx

README = Path(__file__).resolve().parents[2] / "README.md"
FENCE = r"^```{kind}\n(.*?)^```$"


def block(kind: str) -> str:
    """Return the one block of a kind."""
    text = README.read_text(encoding="utf-8")
    (found,) = re.findall(FENCE.format(kind=re.escape(kind)), text, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """Return the folder of a project whose asset is the README's table, with its policy."""
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for kind in ("csv file=patients.csv", "yaml file=policy.yaml"):
        Path(kind.partition("file=")[2]).write_text(block(kind), encoding="utf-8")
    asset = opened(tmp_path).data_sources.add_pandas("ward").add_csv_asset("patients", "patients.csv")
    asset.add_batch_definition("all")
    return tmp_path


def test_five_lines_add_the_gate(project):
    """They judge the README's table by the README's policy, and the checkpoint is there to be run again."""
    lines = block("python door=gx")
    names: dict[str, Any] = {}
    exec(lines, names)  # noqa: S102 - the README's own lines
    (said,) = [one for one in results(names["result"]) if "l_diversity" in one.expectation_config.type]
    assert len([line for line in lines.splitlines() if line.strip()]) == 5
    assert names["result"].success is False
    assert said.result["details"]["threshold"]["sentence"] == (
        "distinct l-diversity of illness is 1 value, must be at least 2 (1 short), over age, sex, postcode."
    )
    assert opened(project).checkpoints.get("ward-statistics").run().success is False


def test_the_exported_files_say_the_same(project, capsys):
    """``qidguard gx export`` finds the project's only data, and its checkpoint gives the same verdict."""
    from qidguard.interfaces.cli import main

    assert main(["gx", "export", "policy.yaml"]) == 0
    assert capsys.readouterr().out.count("written") == 3
    done = opened(project).checkpoints.get("ward-statistics").run()
    assert (done.success, [one.success for one in results(done)]) == (False, [True, False, True, False])
