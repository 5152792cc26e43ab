"""Every test is run by a save or by a piece of the whole check, whatever its folder and its marks."""

import ast
import re
import shlex
import tomllib
from functools import cache
from itertools import chain, combinations
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

ROOT = Path(__file__).resolve().parents[2]
CHECKS = tomllib.loads((ROOT / ".ci" / "checks.toml").read_text(encoding="utf-8"))
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"][
    "ini_options"
]
DEFAULT = SETTINGS["addopts"][SETTINGS["addopts"].index("-m") + 1]
KINDS = {"clock", "faults", "live", "packaging", "postgresql", "slow", "spark", "untimed"}
"""Marks that one test of a file has and another may not."""
DOORS = {"gx", "airflow"}
"""Folders whose tests need packages of their own; nothing there is collected without them."""


SHORTEST = 9
"""As many digits a number has at least that a test may look for where it must not be."""


def everything():
    """Return the steps of a save and of the whole check."""
    return [*CHECKS["run"], *(step for told in CHECKS["full"].values() for step in told["steps"])]


def selections(steps):
    """Yield for each run of pytest the paths it looks in, those it leaves out, and the marks it takes."""
    for command in (step["command"] for step in steps):
        if " pytest" in command:
            words = shlex.split(command.partition(" pytest")[2])
            marks = words[words.index("-m") + 1] if "-m" in words else DEFAULT
            paths = [word for word in words if word.startswith(("tests", "qidguard", "plugins"))]
            ignored = [word.partition("=")[2] for word in words if word.startswith("--ignore=")]
            yield paths or SETTINGS["testpaths"], ignored, marks


@cache
def takes(marks: str, given: frozenset[str]) -> bool:
    """Return whether an expression takes a test with these marks."""
    return Expression.compile(marks).evaluate(lambda name, **_: name in given)


def marks_of(path: Path) -> tuple[set[str], set[str]]:
    """Return the marks that every test of a file has, and those that some of its tests have."""
    code = path.read_text(encoding="utf-8")
    every = {
        found
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
        for found in re.findall(r"pytest\.mark\.(\w+)", ast.unparse(node))
    }
    some = set(re.findall(r"pytest\.mark\.(\w+)", code))
    some.add("slow")  # ``samples`` and the kit for anonymizers mark cases that the file does not name
    if "postgres" in code or path.is_relative_to(ROOT / "tests" / "ledger"):
        some.add("postgresql")
    return every, some & (KINDS | {"bench"}) - every


def left_out(path: Path) -> list[set[str]]:
    """Return the combinations of marks that a file's tests may have and that no step takes."""
    every, some = marks_of(path)
    name = path.relative_to(ROOT).as_posix()
    mine = [
        marks
        for paths, ignored, marks in selections(everything())
        if name.startswith(tuple(paths)) and not name.startswith(tuple(ignored))
    ]
    possible = chain.from_iterable(combinations(sorted(some), n) for n in range(len(some) + 1))
    return [
        given
        for more in possible
        if not any(takes(marks, frozenset(given := every | set(more))) for marks in mine)
    ]


def test_no_test_is_left_out():
    """Whatever marks of its file a test has, some step takes it."""
    files = list((ROOT / "tests").rglob("test_*.py"))
    assert len(files) > 400
    assert {str(p.relative_to(ROOT)): left for p in files if (left := left_out(p))} == {}


def test_every_folder_with_examples_is_looked_in():
    """Doctests of the host and of plugins run with the default tests; those of the doors with theirs."""
    assert {"tests", "qidguard", "plugins"} <= set(SETTINGS["testpaths"])
    ignored = {word.partition("=")[2] for word in SETTINGS["addopts"] if word.startswith("--ignore=")}
    assert ignored == {"tests/support", "plugins/gx/qidguard_expectations", "plugins/airflow"}


@pytest.mark.parametrize("door", sorted(DOORS))
def test_all_tests_of_a_door_say_so(door):
    """A file there without the door's mark would be collected by no step that has its packages."""
    files = (ROOT / "tests" / door).rglob("test_*.py")
    assert [p.name for p in files if door not in marks_of(p)[0]] == []


def test_a_mark_that_nobody_takes_would_be_found(monkeypatch):
    """This file's own check can fail: without the piece of slow tests, those of this folder are left out."""
    monkeypatch.setitem(CHECKS["full"], "slow", {"steps": []})
    slow = next(p for p in (ROOT / "tests" / "releasing").glob("test_*.py") if "slow" in marks_of(p)[1])
    assert {"slow"} in left_out(slow)


@pytest.mark.parametrize("kind", sorted(KINDS - {"untimed"} | {"bench"}))
def test_a_save_leaves_out(kind):
    """No step of a save takes a test that draws, counts seconds or needs a program that is not installed."""
    assert [marks for *_, marks in selections(CHECKS["run"]) if takes(marks, frozenset({*DOORS, kind}))] == []


def test_every_step_of_a_save_has_a_limit_and_all_of_them_an_end():
    """Each has minutes of its own, and all limits together stay within an hour and a half."""
    assert sum(step["minutes"] for step in CHECKS["run"]) <= 90


@cache
def constants(path: Path) -> dict[str, ast.expr]:
    """Return what a module gives a name to, by name."""
    assigned = [
        node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.Assign)
    ]
    return {ast.unparse(target): node.value for node in assigned for target in node.targets}


def untold(path: Path):
    """Yield the line and the text that a test looks for where it must not be, as far as the code says it."""
    code = ast.parse(path.read_text(encoding="utf-8"))
    support = [
        ROOT / "tests" / "support" / f"{node.module}.py"
        for node in code.body
        if isinstance(node, ast.ImportFrom)
    ]
    named = dict(chain(*(constants(p).items() for p in [*support, path] if p.is_file())))
    for node in ast.walk(code):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn):
            sought = named.get(ast.unparse(node.left), node.left)
            if isinstance(sought, ast.Constant) and isinstance(sought.value, str):
                yield node.lineno, sought.value


def test_no_secret_of_a_test_can_come_by_chance():
    """Clocks, digests, ports and folders of a run hold any few digits now and then."""
    short = [
        f"{path.relative_to(ROOT)}:{line} looks for {text}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line, text in untold(path)
        if text.isdigit() and len(text) < SHORTEST
    ]
    assert not short
