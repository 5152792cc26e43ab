"""Tests of the house: who may import whom, who is named where, and how large a room may be."""

import ast
import io
import re
import tokenize
import tomllib
from collections import Counter
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import qidguard

ROOT = Path(__file__).resolve().parents[2]
HOST = ROOT / "qidguard"
PLUGINS = sorted(p for p in (ROOT / "plugins").iterdir() if (p / "pyproject.toml").is_file())

ALLOWED = {
    "core": {"core"},
    "policy": {"core", "policy"},
    "engines": {"core", "engines"},
    "host": {"core", "engines", "search", "anonymizing", "host"},
    "measuring": {"core", "engines", "measuring"},
    "search": {"core", "engines", "measuring", "plot", "search"},
    "plot": {"core", "plot"},
    "budget": {"core", "budget"},
    "ledger": {"core", "budget", "ledger"},
    "evidence": {"core", "policy", "evidence"},
    "anonymizing": {"core", "policy", "engines", "measuring", "plot", "anonymizing"},
    "auditing": {"core", "policy", "engines", "host", "measuring", "search", "anonymizing", "auditing"}
    | {"rendering"},
    "discovering": {"core", "policy", "engines", "host", "measuring", "search", "auditing", "rendering"}
    | {"plot", "discovering"},
    "trials": {"core", "policy", "engines", "host", "measuring", "anonymizing", "auditing", "rendering"}
    | {"plot", "trials"},
    "advising": {"core", "policy", "engines", "host", "measuring", "anonymizing", "auditing", "trials"}
    | {"rendering", "advising"},
    "releasing": {"core", "policy", "engines", "host", "measuring", "anonymizing", "auditing", "trials"}
    | {"rendering", "budget", "ledger", "evidence", "advising", "releasing"},
    "rendering": {"core", "rendering"},
    "demo": {"core", "policy", "auditing", "host", "rendering", "demo", "engines", "evidence"}
    | {"releasing"},
    "interfaces": {"core", "policy", "engines", "host", "measuring", "auditing", "rendering", "demo"}
    | {"discovering", "trials", "releasing", "ledger", "evidence", "interfaces", "search", "anonymizing"}
    | {"plot", "advising"},
}
"""Room → the rooms that it may import; what is not here may not be."""

PUBLIC = {"__init__", "sdk", "lazy"}
"""The modules that name what is public, wherever it stands, and what imports it late."""

PUBLIC_TO_PLUGINS = {"qidguard", "qidguard.sdk"} | {f"qidguard.{n}" for n in qidguard.__all__}

LIBRARIES = {"qidguard_learning"}
"""Packages of plugins/ that offer no hook: what several plugins stand on, beside the sdk."""

WITH_AN_EXTRA = {"airflow"}
"""Folders of plugins that a light install leaves out; their examples run where the extra is."""

DATABASES = {"duckdb", "sqlalchemy", "pyspark", "sqlglot"}
LEDGER = {"sqlalchemy", "alembic"}
FOREIGN = {"great_expectations", "airflow"}
MOST_LINES_OF_CODE = 400
SMALL = 40
MOST = {"lines of code": 52_295, "files": 444, "small files": 33, "files with one importer": 59}
"""The weight of the host, which nothing raises: who takes lines away lowers the numbers."""


def python_files(folder: Path) -> list[Path]:
    """Return the Python files below a folder."""
    return sorted(p for p in folder.rglob("*.py") if ".venv" not in p.parts)


@cache
def tree(path: Path) -> ast.Module:
    """Return a file's syntax tree; many tests read the same files."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    """Return every module that a file imports, late and typing-only imports included."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


@cache
def project(folder: Path) -> dict[str, Any]:
    """Return the metadata that a folder's pyproject.toml states."""
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def dotted(path: Path) -> str:
    """Return what a module of the host is called."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def room(module: str) -> str | None:
    """Return the room of a module of the host; None for the package itself and for foreign modules."""
    parts = module.split(".")
    return parts[1] if parts[0] == "qidguard" and len(parts) > 1 and parts[1] in ALLOWED else None


def test_imports_go_one_way():
    """A room imports only from the rooms before it, and only what names the public is in no room."""
    offenders: dict[str, set[str | None]] = {}
    for path in python_files(HOST):
        mine = room("qidguard." + path.relative_to(HOST).with_suffix("").parts[0])
        theirs = {found for module in imports(path) if (found := room(module))}
        if mine is None and path not in {HOST / f"{name}.py" for name in PUBLIC}:
            offenders[str(path)] = {None}
        elif mine is not None and not theirs <= ALLOWED[mine]:
            offenders[str(path)] = theirs - ALLOWED[mine]
    assert offenders == {}


def modules_imported(path: Path, known: set[str]) -> set[str]:
    """Return the host's modules that a file imports when it runs, late imports too."""
    guards = (
        n for n in ast.walk(tree(path)) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"
    )
    typing = {node for guard in guards for part in guard.body for node in ast.walk(part)}
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node not in typing:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return found & known


def test_no_modules_import_one_another_in_a_circle():
    """A result imports what draws it, and what draws it only names its type."""
    paths = {p.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): p for p in python_files(HOST)}
    # a package stands for what it gathers: whoever imports from it imports no module of its own
    paths = {name: path for name, path in paths.items() if path.name != "__init__.py"}
    left = {name: modules_imported(path, set(paths)) - {name} for name, path in paths.items()}
    while free := [name for name, needed in left.items() if not needed]:
        for name in free:
            del left[name]
        for needed in left.values():
            needed.difference_update(free)
    assert sorted(left) == []


def test_only_engines_import_a_database_and_nobody_imports_a_door():
    """A database is imported in engines/ and ledger/, Great Expectations and Airflow nowhere."""
    allowed_below = {
        HOST / "ledger": LEDGER,
        HOST / "engines": DATABASES | LEDGER,
    }
    offenders = {}
    for path in python_files(HOST):
        tops = {module.split(".")[0] for module in imports(path)}
        allowed = set().union(*(names for folder, names in allowed_below.items() if folder in path.parents))
        if found := tops & (DATABASES | LEDGER | FOREIGN) - allowed:
            offenders[str(path)] = found
    assert offenders == {}


def test_relative_imports_do_not_hide_from_these_tests():
    """Every import in the host is absolute."""
    for path in python_files(HOST):
        assert not [n for n in ast.walk(tree(path)) if isinstance(n, ast.ImportFrom) and n.level], path


def test_the_host_names_no_plugin():
    """No file of the host mentions a plugin's package or distribution."""
    names = set()
    for folder in PLUGINS:
        names |= {project(folder)["name"], project(folder)["name"].replace("-", "_")}
        names |= {p.name for p in folder.iterdir() if (p / "__init__.py").is_file()}
    assert names
    for path in (p for p in HOST.rglob("*") if p.suffix in {".py", ".yaml", ".json", ".toml"}):
        text = path.read_text(encoding="utf-8")
        assert not [name for name in names if name in text], path


def test_plugins_import_public_names_only():
    """A plugin imports ``qidguard``, its ``sdk``, libraries that it asks for, and no other plugin.

    Only its tests use the kit. A library imports no library.
    """
    for folder in PLUGINS:
        own = {p.name for p in folder.iterdir() if (p / "__init__.py").is_file()}
        others = {p.name for f in PLUGINS if f != folder for p in f.iterdir() if p.is_dir()}
        needed = {re.split(r"[^\w-]", text)[0] for text in project(folder)["dependencies"]}
        asked = {name for name in LIBRARIES if name.replace("_", "-") in needed}
        assert not own & LIBRARIES or not asked, folder
        for path in python_files(folder):
            modules = set(imports(path))
            of_host = {m for m in modules if m.split(".")[0] == "qidguard"}
            assert {".".join(m.split(".")[:2]) for m in of_host} <= PUBLIC_TO_PLUGINS, path
            assert not {m for m in modules if m.split(".")[0] in others - own - asked}, path


def test_a_library_offers_no_hook():
    """What offers something is a plugin, and no other plugin may stand on it."""
    folders = {p.name: f for f in PLUGINS for p in f.iterdir() if p.name in LIBRARIES}
    assert set(folders) == LIBRARIES
    assert [name for name, folder in folders.items() if "entry-points" in project(folder)] == []


def test_installed_plugins_are_the_folders():
    """Every folder in plugins/ is installed, so no doctest of an absent plugin passes by not running."""
    groups = ("qidguard", "pytest11")
    installed = {e.dist.name for group in groups for e in entry_points(group=group) if e.dist}
    installed |= {name.replace("_", "-") for name in LIBRARIES if find_spec(name)}
    assert {project(f)["name"] for f in PLUGINS if f.name not in WITH_AN_EXTRA} <= installed


@cache
def lines_of_code(path: Path) -> int:
    """Return how many lines are neither blank, comment nor docstring: words split no subject."""
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    told = [n.body[0] for n in ast.walk(tree(path)) if isinstance(n, described) and ast.get_docstring(n)]
    words = {line for text in told for line in range(text.lineno, (text.end_lineno or text.lineno) + 1)}
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    read = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    spoken = [token for token in read if token.type not in {*silent, tokenize.ENDMARKER}]
    return len({line for t in spoken for line in range(t.start[0], t.end[0] + 1)} - words)


def test_rooms_are_small():
    """No Python file outgrows one idea."""
    files = [*python_files(HOST), *python_files(ROOT / "plugins"), *python_files(ROOT / ".ci")]
    assert {p.name: n for p in files if (n := lines_of_code(p)) > MOST_LINES_OF_CODE} == {}


def test_the_host_only_shrinks():
    """Its lines, its files, those of a few lines, and those that one other file alone imports."""
    code = [*python_files(HOST), *(p for folder in PLUGINS for p in python_files(folder))]
    lines = {p: lines_of_code(p) for p in python_files(HOST)}
    importers = Counter(name for p in code for name in imports(p) if name != dotted(p))
    found = {
        "lines of code": sum(lines.values()),
        "files": len(lines),
        "small files": sum(0 < n < SMALL for n in lines.values()),
        "files with one importer": sum(importers[dotted(p)] == 1 for p in lines),
    }
    assert {what: n for what, n in found.items() if n > MOST[what]} == {}


def test_a_class_name_means_one_thing():
    """No two files of the host and its plugins define a class of the same name."""
    code = [*python_files(HOST), *(p for folder in PLUGINS for p in python_files(folder))]
    places = Counter(node.name for p in code for node in tree(p).body if isinstance(node, ast.ClassDef))
    assert [name for name, times in places.items() if times > 1] == []


def test_what_is_a_line_of_code(tmp_path):
    """A docstring, a comment and a blank line are none; each line of a text that is a value is one."""
    (tmp_path / "one.py").write_text('"""Words."""\n\n# more\nA = """\nx\n"""\n\n\ndef f():\n    """Do."""\n')
    assert lines_of_code(tmp_path / "one.py") == 4


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


def test_the_map_tells_the_rooms():
    """qidguard/README.md has one row a room, with what it may import, and every room is there."""
    rooms = {p.stem for p in HOST.iterdir() if (p / "__init__.py").is_file() or p.suffix == ".py"}
    assert rooms - PUBLIC == set(ALLOWED)
    rows = re.findall(
        r"^\| `(\w+)` \| .* \| ?(.*) \|$", (HOST / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    told = {name: set(others.split(", ")) - {""} for name, others in rows}
    assert told == {name: others - {name} for name, others in ALLOWED.items()}
