"""Tests of the house: who may import whom, who is named where, and how large a room may be."""

import ast
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HOST = ROOT / "qidguard"
PLUGINS = sorted(p for p in (ROOT / "plugins").iterdir() if (p / "pyproject.toml").is_file())

ALLOWED = {
    "core": {"core"},
    "engines": {"core", "engines", "hookspecs"},
    "host": {"core", "engines", "hookspecs", "search", "anonymize", "host"},
    "measure": {"core", "engines", "measure"},
    "search": {"core", "engines", "measure", "search"},
    "plot": {"core", "plot"},
    "budget": {"core", "budget"},
    "ledger": {"core", "budget", "ledger"},
    "evidence": {"core", "evidence"},
    "releasing": {
        "core",
        "engines",
        "host",
        "measure",
        "anonymize",
        "auditing",
        "report",
        "budget",
        "ledger",
        "evidence",
        "releasing",
    },
    "anonymize": {"core", "engines", "measure", "anonymize"},
    "auditing": {"core", "engines", "host", "measure", "search", "anonymize", "auditing", "report"},
    "discovering": {
        "core",
        "engines",
        "host",
        "measure",
        "search",
        "auditing",
        "report",
        "plot",
        "discovering",
    },
    "comparing": {
        "core",
        "engines",
        "host",
        "measure",
        "anonymize",
        "auditing",
        "releasing",
        "report",
        "plot",
        "comparing",
    },
    "testing": {"core", "engines", "host", "measure", "anonymize", "testing"},
    "report": {"core", "report"},
    "demo": {"core", "auditing", "host", "report", "demo", "engines", "evidence", "releasing"},
    "hookspecs": {"core", "engines", "search", "anonymize"},
    "interfaces": {
        "core",
        "engines",
        "host",
        "measure",
        "auditing",
        "report",
        "demo",
        "discovering",
        "releasing",
        "ledger",
        "evidence",
        "interfaces",
        "search",
        "anonymize",
        "comparing",
    },
}
"""Room → the rooms that it may import; what is not here may not be."""

DATABASES = {"duckdb", "sqlalchemy", "pyspark", "sqlglot"}
LEDGER = {"sqlalchemy", "alembic"}
FOREIGN = {"great_expectations", "airflow"}
LARGEST_FILE_LINES = 300


def python_files(folder: Path) -> list[Path]:
    """Return the Python files below a folder."""
    return sorted(p for p in folder.rglob("*.py") if ".venv" not in p.parts)


def imports(path: Path) -> Iterator[str]:
    """Yield every module that a file imports, late and typing-only imports included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(module: str) -> str | None:
    """Return the room of a module of the host; None for the package itself and for foreign modules."""
    parts = module.split(".")
    return parts[1] if parts[0] == "qidguard" and len(parts) > 1 and parts[1] in ALLOWED else None


@pytest.mark.parametrize("path", python_files(HOST), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_one_way(path: Path):
    """A room imports only from the rooms before it."""
    mine = room("qidguard." + path.relative_to(HOST).with_suffix("").parts[0])
    if mine is None:
        assert path.name == "__init__.py"
        assert path.parent == HOST
        return
    theirs = {found for module in imports(path) if (found := room(module))}
    assert theirs <= ALLOWED[mine]


@pytest.mark.parametrize("path", python_files(HOST), ids=lambda p: str(p.relative_to(ROOT)))
def test_only_engines_import_a_database_and_nobody_imports_a_door(path: Path):
    """A database is imported in engines/ and ledger/; Airflow and Great Expectations only in their door."""
    tops = {module.split(".")[0] for module in imports(path)}
    if path.is_relative_to(HOST / "ledger"):
        assert not tops & (DATABASES - LEDGER)
    elif not path.is_relative_to(HOST / "engines"):
        assert not tops & (DATABASES | LEDGER)
    doors = {"gx": {"great_expectations"}, "airflow": {"airflow"}}
    allowed = next((doors[d] for d in doors if path.is_relative_to(HOST / "interfaces" / d)), set())
    assert not tops & (FOREIGN - allowed)


def test_relative_imports_do_not_hide_from_these_tests():
    """Every import in the host is absolute."""
    for path in python_files(HOST):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        assert not [n for n in nodes if isinstance(n, ast.ImportFrom) and n.level], path


def test_the_host_names_no_plugin():
    """No file of the host mentions a plugin's package or distribution."""
    names = set()
    for folder in PLUGINS:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        names |= {project["name"], project["name"].replace("-", "_")}
    assert names
    for path in (p for p in HOST.rglob("*") if p.suffix in {".py", ".yaml", ".json", ".toml"}):
        text = path.read_text(encoding="utf-8")
        assert not [name for name in names if name in text], path


def test_plugins_import_public_names_only():
    """A plugin imports ``qidguard`` and nothing below it, and no other plugin."""
    for folder in PLUGINS:
        own = {p.name for p in folder.iterdir() if (p / "__init__.py").is_file()}
        others = {p.name for f in PLUGINS if f != folder for p in f.iterdir() if p.is_dir()}
        for path in python_files(folder):
            modules = set(imports(path))
            below = {m for m in modules if m.startswith("qidguard.") and m.split(".")[1].islower()}
            assert not {m for m in below if (HOST / m.split(".")[1]).exists()}, path
            assert not {m for m in modules if m.split(".")[0] in others - own}, path


def test_installed_plugins_are_the_folders():
    """Every folder in plugins/ is installed, so no doctest of an absent plugin passes by not running."""
    installed = {e.dist.name for e in entry_points(group="qidguard") if e.dist}
    names = {
        tomllib.loads((f / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"] for f in PLUGINS
    }
    assert names <= installed


def test_rooms_are_small():
    """No Python file outgrows one idea."""
    for path in [*python_files(HOST), *python_files(ROOT / "plugins")]:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LARGEST_FILE_LINES, path


def test_the_top_level_is_the_agreed_one():
    """Beside the agreed folders and files only dotfiles stand at the top."""
    agreed = {"pyproject.toml", "qidguard", "plugins", "dags", "expectations", "tests", "README.md"}
    agreed |= {"LICENSE", "CHANGELOG.md", "uv.lock"}
    found = {p.name for p in ROOT.iterdir() if not p.name.startswith(".") and p.name != "__pycache__"}
    assert found <= agreed
    assert "uv.lock" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_grab_bags_are_not_built():
    """No file is called utils, helpers, common, manager or impl."""
    banned = {"utils", "helpers", "common", "manager", "impl"}
    files = [*python_files(HOST), *python_files(ROOT / "plugins"), *python_files(ROOT / "tests")]
    assert not [p for p in files if p.stem in banned or p.stem.startswith("base_")]
