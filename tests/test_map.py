"""The pages that explain the repository are true: links, paths, tables, hooks of Git and the workflow."""

import re
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
PAGES = tuple(
    ROOT / name
    for name in (
        *("README.md", "qidguard/README.md", "plugins/README.md", "tests/README.md"),
        *(".github/CONTRIBUTING.md", ".github/SECURITY.md", "dags/README.md", "expectations/README.md"),
        *(
            "plugins/airflow/README.md",
            "plugins/hybrid_dp/README.md",
            "plugins/mo_obam/README.md",
            "plugins/qir/README.md",
            "plugins/series/README.md",
        ),
    )
)
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)")
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|toml|yaml|md))`")
ROW = re.compile(r"^\| (`.*?) \| (.*) \|$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
OF_THE_READER = ("../shared/data",)
"""Paths beside the repository."""


def text(path: Path) -> str:
    """Return a page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def section(page: Path, title: str) -> str:
    """Return what stands under a heading of the second level."""
    [_, rest] = text(page).split(f"\n## {title}\n")
    return rest.partition("\n## ")[0]


def names(page: Path, title: str) -> set[str]:
    """Return the names in the first column of the tables of a section."""
    return {name for first, _ in ROW.findall(section(page, title)) for name in NAME.findall(first)}


def yaml(path: Path) -> dict:
    """Return a YAML file as plain values."""
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_and_paths_lead_somewhere(page):
    """Each link and each path in backticks leads from the page's folder, the root, the host or the tests."""
    written = text(page)
    links = {link for link in LINK.findall(written) if not link.startswith("http")}
    assert {link for link in links if not (page.parent / link).exists()} == set()
    paths = {path for path in PATH.findall(written) if path not in OF_THE_READER}
    bases = (page.parent, ROOT, ROOT / "qidguard", ROOT / "tests")
    assert {p for p in paths if not any((base / p).exists() for base in bases)} == set()


def test_the_readme_leads_to_every_page():
    """A reader of the README finds the map and the other pages."""
    links = set(LINK.findall(text(ROOT / "README.md")))
    assert {str(page.relative_to(ROOT)) for page in PAGES[1:]} <= links


def test_every_field_of_a_policy_is_in_the_readme():
    """The table of a policy's fields has those of its schema."""
    from qidguard.policy.load import policy_schema

    assert names(ROOT / "README.md", "Write a policy") == set(policy_schema()["properties"])


def test_every_setting_is_told():
    """Each environment variable that the code names stands in a table of settings."""
    code = [p for folder in ("qidguard", "plugins", "dags") for p in (ROOT / folder).rglob("*.py")]
    used = {name for path in code for name in re.findall(r"QIDGUARD(?:_[A-Z]+)+", path.read_text("utf-8"))}
    told = names(ROOT / "README.md", "Settings") | {
        name for first, _ in ROW.findall(text(ROOT / "dags" / "README.md")) for name in NAME.findall(first)
    }
    assert len(used) >= 8
    assert used - told == set()


def test_the_folders_of_tests_are_all_named():
    """Every folder of tests is a room's, or stands in the table; so does every file beside them."""
    page = ROOT / "tests" / "README.md"
    rooms = {
        p.stem for p in (ROOT / "qidguard").iterdir() if (p / "__init__.py").is_file() or p.suffix == ".py"
    }
    folders = {p.name for p in page.parent.iterdir() if p.is_dir() and any(p.rglob("*.py"))}
    files = {p.name for p in page.parent.glob("test_*.py")}
    named = names(page, "Where a test stands")
    assert named <= folders | files
    assert (folders - rooms) | files <= named


def test_the_marks_are_all_named():
    """The table of marks has those of pyproject.toml."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    marks = {
        re.split(r"\W", line, maxsplit=1)[0] for line in settings["tool"]["pytest"]["ini_options"]["markers"]
    }
    assert names(ROOT / "tests" / "README.md", "Marks") == marks


def test_hooks_of_git_need_no_foreign_address():
    """Each hook is local and runs through uv, and the files that it names are there."""
    repos = yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [repo["repo"] for repo in repos] == ["local"]
    for hook in repos[0]["hooks"]:
        assert hook["entry"].startswith("uv run --quiet --group test ")
        assert hook["language"] == "system"
        assert [word for word in hook["entry"].split() if "/" in word and not (ROOT / word).exists()] == []


def test_the_workflow_runs_what_the_readme_and_ci_run():
    """Pull requests run style, types and the README's test command; main runs .ci/run, each week .ci/full."""
    jobs = yaml(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    steps = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}
    assert any(run.endswith("uv run --group test pytest") for run in steps["quick"])
    assert (steps["save"], steps["whole"]) == ([".ci/run"], [".ci/full"])


def test_every_claim_of_the_security_page_names_a_test_that_exists():
    """A row is a claim, against whom, at least one test, and what is not defended."""
    page = text(ROOT / ".github" / "SECURITY.md")
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for row in rows:
        assert len(row) == 4, row
        tests = NAME.findall(row[2])
        assert tests, row[0]
        assert all((ROOT / test).is_file() and Path(test).name.startswith("test_") for test in tests), row[0]
