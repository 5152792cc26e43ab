"""The guide for plugin authors is true: its files make a package that works, and every hook is in it."""

import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pages
from qidguard.host.hookspecs import HOOKS

GUIDE = Path(__file__).resolve().parents[1] / "plugins" / "README.md"
SIGNATURE = re.compile(r"^\| `(qidguard_\w+\(.*?)` \|", re.MULTILINE)
OFFERED = """
import json
from qidguard.host import load_host
host = load_host()
assert not host.failures, host.failures
found = {}
for plugin in host.plugins:
    if plugin.distribution == "mine":
        for kind, names in plugin.offers.items():
            found.setdefault(kind, []).extend(names)
print(json.dumps({kind: sorted(names) for kind, names in found.items()}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """Return a folder with the guide's files, its package as good as installed."""
    folder = tmp_path_factory.mktemp("guide")
    pages.write_files(GUIDE, folder)
    source = folder / "my-plugin"
    (source / "mine" / "__init__.py").touch()
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = source / f"{project['name']}-{project['version']}.dist-info"
    installed.mkdir()
    lines = [f"{name} = {module}" for name, module in project["entry-points"]["qidguard"].items()]
    (installed / "entry_points.txt").write_text("\n".join(["[qidguard]", *lines]), encoding="utf-8")
    (installed / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    return folder


def run(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder, with the guide's package beside what is installed."""
    paths = os.pathsep.join([str(package / "my-plugin"), str(Path(pages.__file__).parent)])
    environment = {name: value for name, value in os.environ.items() if name != "QIDGUARD_PLUGINS"}
    environment |= {"PYTHONPATH": paths, "COLUMNS": "120", "NO_COLOR": "1", "QIDGUARD_HOME": str(package)}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=package,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_every_block_of_the_guide_is_true(package):
    """Its files measure, recognize, search, anonymize and attack, and the commands print what it shows."""
    done = run(package, "-m", "pages", str(GUIDE))
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_guide_has_a_plugin_of_every_kind_that_it_promises(package):
    """Each of its files loads, and offers one thing."""
    done = run(package, "-c", OFFERED)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "metrics": ["share_in_pairs"],
        "recognizers": ["staff_number"],
        "search_strategies": ["random_sets", "risky"],
        "objectives": ["alone_or_in_pairs"],
        "anonymizers": ["independent", "mask_small_classes"],
        "attacks": ["same_values"],
        "leaks": ["copies"],
        "commands": ["column_counts"],
    }


@pytest.mark.slow
def test_the_guides_tests_pass(package):
    """The test file of the guide passes by itself, the large table included, and warns of nothing."""
    done = run(package, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "my-plugin/tests")
    assert done.returncode == 0, done.stdout
    assert re.search(r"\b[12]\d passed", done.stdout), done.stdout


def test_every_hook_is_told_with_its_signature():
    """The table of hooks has each specification once, with the names and types that it has in the code."""
    specified = [f"{name}{inspect.signature(hook)}".replace("'", "") for name, hook in HOOKS.items()]
    assert len(specified) >= 10
    assert sorted(SIGNATURE.findall(GUIDE.read_text(encoding="utf-8"))) == sorted(specified)


def test_every_plugin_of_the_repository_is_told():
    """The first table has a row a folder, with the name of its distribution."""
    projects = [tomllib.loads(p.read_text(encoding="utf-8")) for p in GUIDE.parent.glob("*/pyproject.toml")]
    rows = re.findall(
        r"^\| \[(\w+)\]\(\1\) \| `([\w-]+)` \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE
    )
    folders = {p.parent.name for p in GUIDE.parent.glob("*/pyproject.toml")}
    assert {folder for folder, _ in rows} == folders
    assert {name for _, name in rows} == {one["project"]["name"] for one in projects}
