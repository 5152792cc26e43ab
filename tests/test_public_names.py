"""Tests of what is public: which names, that they show, and that importing them is cheap."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import qidguard

MODULES = ["qidguard", "qidguard.sdk"]
MOST_NAMES_OF_USERS = 33


@pytest.mark.parametrize("name", MODULES)
def test_type_checkers_see_what_is_imported_late(name: str):
    """The imports for type checkers and the late ones name the same things at the same places."""
    module = importlib.import_module(name)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {(node.module, a.name) for node in block.body for a in node.names}  # type: ignore[attr-defined]
    late = {(home, each) for home, names in module._HOMES.items() for each in names.split()}
    assert seen == late
    assert sorted(each for _, each in late) == sorted(module.__all__)
    for home, each in late:
        assert getattr(module, each) is getattr(importlib.import_module(home), each)


@pytest.mark.parametrize("name", MODULES)
def test_completion_shows_every_name(name: str):
    """``dir()`` lists public names before their first use; another name is an ordinary AttributeError."""
    script = (
        f"import {name} as m; assert set(m.__all__) <= set(dir(m)); print(getattr(m, 'Mystery', 'absent'))"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout == "absent\n"


def test_users_see_few_names():
    """What users call fits on one screen."""
    assert 0 < len(qidguard.__all__) <= MOST_NAMES_OF_USERS


def test_a_policy_is_the_second_argument():
    """Whatever works on a table under a policy takes the two in this order, without their names."""
    for name in ("audit", "advise", "discover", "anonymize", "release"):
        parameters = list(inspect.signature(getattr(qidguard, name)).parameters.values())
        assert [one.name for one in parameters[:2]] == ["source", "policy"], name
        assert [one.kind for one in parameters[:2]] == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 2, name
        assert {one.kind for one in parameters[2:]} == {inspect.Parameter.KEYWORD_ONLY}, name


def test_no_room_is_called_as_a_public_name():
    """An import of a room would put itself in the place of what users call."""
    rooms = {file.parent.name for file in Path(qidguard.__file__).parent.glob("*/__init__.py")}
    assert "measuring" in rooms
    assert rooms.isdisjoint(qidguard.__all__)


@pytest.mark.parametrize("name", MODULES)
def test_importing_a_public_module_imports_nothing_else(name: str):
    """Nothing heavy, nor any room of the host, is loaded before a name is used."""
    script = (
        f"import sys; before = set(sys.modules); import {name}\n"
        "print(sorted(m for m in set(sys.modules) - before if '.' not in m or m.startswith('qidguard')))"
    )
    answer = subprocess.run(
        [sys.executable, "-Sc", f"import sys; sys.path[:0] = {sys.path!r}\n{script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = set(ast.literal_eval(answer.stdout))
    assert ours - set(sys.stdlib_module_names) <= {"qidguard", "qidguard.sdk", "qidguard.lazy"}
