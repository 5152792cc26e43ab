"""The README's lines for an Airflow that is there already, run as they stand."""

import re
import textwrap
from pathlib import Path

import pytest

from dag_runs import Deployment

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"^```python airflow\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MOST_LINES = 5

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(400)]


def dag_file(block: str) -> str:
    """Return the lines as the file of a DAG; lines without one are set into one, as a user would."""
    if "DAG(" in block:
        return block
    lines = block.splitlines()
    top = [line for line in lines if line.startswith(("from ", "import "))]
    rest = "\n".join(line for line in lines if line not in top)
    header = ["from airflow.sdk import DAG", *top, 'with DAG("readme", schedule=None):']
    return "\n".join([*header, textwrap.indent(rest, "    ")])


def test_the_readmes_lines_are_a_gate(tmp_path):
    """A good table is published, a bad one fails the run; it takes no more lines than promised."""
    text = README.read_text(encoding="utf-8")
    [block] = BLOCK.findall(text)
    code = [line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(code) <= MOST_LINES

    deployment = Deployment(tmp_path)
    for name, content in FILE.findall(text):
        (deployment.dags / name).write_text(content, encoding="utf-8")
    lines = dag_file(block).replace("/srv/", f"{deployment.site}/")
    (deployment.dags / "readme.py").write_text(lines, encoding="utf-8")
    [dag_id] = re.findall(r'DAG\(\s*(?:dag_id=)?"([^"]+)"', lines)
    passed = deployment.run(dag_id)
    assert (passed.code, set(passed.tasks.values())) == (0, {"success"}), passed.log[-3000:]
    releases = list(deployment.site.rglob("manifest.json"))
    assert len(releases) == 1

    for table in deployment.dags.glob("*.csv"):
        table.write_text(table.read_text(encoding="utf-8") + "99,f,99999,rare\n", encoding="utf-8")
    blocked = deployment.run(dag_id, moment="2026-06-02T06:00:00+00:00")
    assert blocked.code == 1
    assert "ward is blocked for 2 reasons:" in blocked.log
    assert "- k-anonymity is 1 record, must be at least 2" in blocked.log
    assert "- differencing k-anonymity (most_recent=0) is 1 record, must be at least 2" in blocked.log
    assert list(deployment.site.rglob("manifest.json")) == releases
