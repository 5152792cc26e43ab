"""Tests of plugins as third parties write them: public names only, every fault named after its plugin."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from qidguard import sdk
from qidguard.host.host import GuardedEngine, Host
from qidguard.host.loading import assemble
from qidguard.sdk import (
    ClassValue,
    DataError,
    DecidedBy,
    Direction,
    EngineSettings,
    Explanation,
    GroupBy,
    Metric,
    Needs,
    NotMeasurable,
    PluginError,
    ReadOptions,
    Role,
    RoleAssignment,
    RoleProposal,
    Statistic,
    Termination,
    Unit,
    hookimpl,
)

ROOT = Path(__file__).resolve().parents[2]
WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))
LARGEST = Statistic(name="largest_class", sql="max(size)")
FIELDS: dict[str, Any] = {
    "name": "largest",
    "title": "largest class",
    "unit": Unit.PERSONS,
    "minimum": 1,
    "maximum": float("inf"),
    "direction": Direction.NEITHER,
    "method": GroupBy(statistics=(LARGEST,), compute=lambda s, _: s["largest_class"] or 0),
    "explanation": WORDS,
}
OWNER = "plugin 'x' of x-plugin 1.0"


def load(monkeypatch: pytest.MonkeyPatch, **plugins: Callable[[], object]) -> Host:
    """Return a host with a plugin module for each function; the key is its name, ``__`` and the hook."""
    found = []
    for key, function in plugins.items():
        name, hook = key.split("__")
        module = ModuleType(name)
        function.__name__ = hook
        setattr(module, hook, hookimpl(function))
        monkeypatch.setitem(sys.modules, name, module)
        found.append(EntryPoint(name=name, value=name, group="qidguard"))
    return assemble(found)


class Table:
    """An engine's table; whatever is not said is absent."""

    records = 2

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def statistics(self, *_: object) -> None:
        """Raise."""
        raise self.error

    class_values = class_sizes = cells = codes = statistics

    def close(self) -> None:
        """Give nothing back, for nothing was taken."""


class Engine:
    """An engine that gives what a test says, and raises it where it is an exception."""

    name, title = "odd", "an odd engine"

    def __init__(self, names: object = ("age",), table: object = None) -> None:
        self.names, self.table = names, table

    def can_open(self, _: object) -> bool:
        """Open anything."""
        return True

    def column_names(self, *_: object) -> object:
        """Give or raise what the test says."""
        if isinstance(self.names, BaseException):
            raise self.names
        return self.names

    def open(self, *_: object) -> object:
        """Give or raise what the test says."""
        if isinstance(self.table, BaseException):
            raise self.table
        return self.table


def guarded(**answers: object) -> GuardedEngine:
    """Return a guarded engine with these answers."""
    return GuardedEngine(Engine(**answers), OWNER)  # type: ignore[arg-type]


def test_what_a_hook_returns_can_be_written_with_public_names():
    """Every type that the hooks' contracts mention is a public name."""
    names = {"Anonymizer", "AuditReport", "Engine", "EngineSettings", "Needs", "Objective", "ReadOptions"}
    names |= {"Termination", "Problem", "RecognitionScore", "SearchResult", "SearchStrategy", "Table", "Term"}
    assert names <= set(sdk.__all__)
    assert Termination(reason="no neighbor is better").is_optimum is False


@pytest.mark.parametrize(("field", "value"), [
    ("title", 5),
    ("unit", "persons"),
    ("direction", "higher_is_safer"),
    ("method", 5),
    ("explanation", None),
    ("minimum", "0"),
    ("parameters", [5]),
    ("parameters", (5,)),
])  # fmt: skip
def test_a_metric_of_wrong_types_is_refused_when_it_is_made(field: str, value: object):
    """A direction that is text would let a limit on the unsafe side pass, so no metric with one exists."""
    with pytest.raises(TypeError, match=f"metric 'largest': {field} must"):
        Metric(**{**FIELDS, field: value})


def test_a_role_that_is_only_text_is_refused():
    """A role, its column and who decided it are checked, so that a recognizer's slip stays its own."""
    with pytest.raises(TypeError, match="role must be Role"):
        RoleAssignment(column="age", role="banana", decided_by=DecidedBy.CONTENT)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="decided_by must be DecidedBy"):
        RoleAssignment(column="age", role=Role.SENSITIVE, decided_by="me")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="assignment must be"):
        RoleProposal(assignment=None, confidence=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["size", "SIZE", "population_size"])
def test_a_class_value_cannot_hide_a_column_of_the_classes(name: str):
    """SQL ignores case, so neither spelling may be taken for the number of persons."""
    with pytest.raises(ValueError, match="would hide a column"):
        ClassValue(name=name, sql="99")


def test_both_owners_of_a_contested_name_are_named_in_full(monkeypatch: pytest.MonkeyPatch):
    """Each of the two is named with its distribution and version, for either may be the wrong one."""
    metrics = [Metric(**FIELDS)]
    host = load(monkeypatch, one__qidguard_metrics=lambda: metrics, two__qidguard_metrics=lambda: metrics)
    sentence = host.failures[0].sentence
    assert "plugin 'one' of unknown unknown" in sentence
    assert "plugin 'two' of unknown unknown" in sentence


@pytest.mark.parametrize(
    ("name", "title", "words"),
    [("no identifier\n", "t", "no plain identifier"), ("fine", None, "title must be str, not NoneType")],
)
def test_an_offer_has_a_plain_name_and_a_title(monkeypatch: pytest.MonkeyPatch, name, title, words):
    """Names are written in policies and shown on screens, so they hold no spaces or control characters."""

    class Odd(Engine):
        pass

    Odd.name, Odd.title = name, title
    host = load(monkeypatch, odd__qidguard_engines=lambda: [Odd()])
    assert words in host.failures[0].error


@pytest.mark.parametrize(
    "error", [KeyError("Zanzibar"), SystemExit(0), ValueError("Zanzibar"), GeneratorExit()]
)
def test_an_engine_that_fails_is_named_and_its_words_are_not(error: BaseException):
    """Whatever an engine raises becomes an error of its plugin, without a value of the table."""
    words = f"{OWNER}: engine 'odd' failed with {type(error).__name__}; mend the plugin"
    with pytest.raises(PluginError, match=words) as names:
        guarded(names=error).column_names("t", ReadOptions(), EngineSettings())
    with pytest.raises(PluginError, match=words):
        opened(error)
    assert "Zanzibar" not in str(names.value)


def opened(table: object) -> Any:
    """Return what an engine that gives this opens."""
    return guarded(table=table).open("t", ReadOptions(), Needs(), EngineSettings())


def test_an_engine_that_gives_rubbish_is_named():
    """Column names are a tuple of texts, what was opened is a table, and its fault long after is named."""
    with pytest.raises(PluginError, match=f"{OWNER}: engine 'odd' gave int, not a tuple of column names"):
        guarded(names=5).column_names("t", ReadOptions(), EngineSettings())
    with pytest.raises(PluginError, match=f"{OWNER}: engine 'odd' opened object, which is no table"):
        opened(object())
    with pytest.raises(PluginError, match=f"{OWNER}: engine 'odd' failed with KeyError"):
        opened(Table(KeyError("Zanzibar"))).statistics(None, ())


@pytest.mark.parametrize("error", [DataError("two delimiters fit"), NotMeasurable("none"), MemoryError()])
def test_what_an_engine_says_on_purpose_passes(error: BaseException):
    """A mistake of the user and a lack of memory are no fault of the plugin."""
    with opened(Table(error)) as table:
        assert table.records == 2
        with pytest.raises(type(error)):
            table.statistics(None, ())


PLUGIN = """
from qidguard.sdk import hookimpl

class Bad:
    name, title = "bad", "fails"
    def propose(self, columns):
        raise SystemExit(0)

@hookimpl
def qidguard_recognizers():
    return [Bad()]
"""

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "tiny-plugin"
version = "6.6.6"
[project.entry-points.qidguard]
tiny = "tiny_plugin"
"""


@pytest.mark.slow
def test_an_installed_plugin_is_listed_and_its_fault_is_exit_3(tmp_path: Path):
    """A package that is built and installed like anyone's ends a run with 3, named with its version."""
    uv = shutil.which("uv")
    assert uv is not None, "uv builds and tests this project, so it must be on the path"
    package = tmp_path / "tiny" / "tiny_plugin"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(PLUGIN)
    (package.parent / "pyproject.toml").write_text(PROJECT)
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    sources = [ROOT, ROOT / "plugins" / "standard", ROOT / "plugins" / "checks", package.parent]
    for command in (
        [uv, "venv", "--quiet", "--python", sys.executable, str(tmp_path / "venv")],
        [uv, "pip", "install", "--quiet", "--python", str(python), *map(str, sources)],
    ):
        subprocess.run(command, check=True, capture_output=True, timeout=250)
    (tmp_path / "t.csv").write_text("age\n30\n30\n")
    (tmp_path / "p.yaml").write_text(
        "qidguard: 1\nname: t\nroles: {quasi_identifiers: auto}\n"
        "thresholds: [{metric: k_anonymity, at_least: 2}]\n"
    )

    environment = {name: value for name, value in os.environ.items() if name != "QIDGUARD_PLUGINS"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(python.with_name("qidguard")), *arguments]
        return subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=environment,
            timeout=250,
        )

    assert "tiny-plugin 6.6.6" in run("plugins").stdout
    answer = run("audit", "t.csv", "--policy", "p.yaml")
    assert answer.returncode == 3
    assert "plugin 'tiny' of tiny-plugin 6.6.6" in answer.stdout
