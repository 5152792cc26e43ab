"""Tests of plugins that a notebook or a single file registers."""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import qidguard
from qidguard import PluginError, UserError
from qidguard.host import load_host
from qidguard.sdk import Objective, Term, hookimpl

TABLE = pd.DataFrame({"age": [30, 30, 41], "ward": ["a", "b", "a"]})


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    """Take out what a test registered."""
    yield
    for plugin in load_host().plugins:
        if plugin.distribution == "this process":
            qidguard.unregister(plugin.name)


def offering(*names: str, title: str = "theirs") -> Any:
    """Return a hook that offers objectives of these names."""

    @hookimpl
    def qidguard_objectives() -> list[Objective]:
        return [Objective(name=n, title=title, terms=(Term(metric="k_anonymity", weight=-1),)) for n in names]

    return qidguard_objectives


def module(name: str, **hooks: Any) -> ModuleType:
    """Return a module with these hooks."""
    made = ModuleType(name)
    vars(made).update(hooks)
    return made


def test_a_module_of_a_notebook_is_a_plugin_at_once():
    """No package, no entry point: the next call finds what it offers, and names it."""
    known = load_host()
    info = qidguard.register(module("cell", qidguard_objectives=offering("mine")))
    assert info.offers == {"objectives": ("mine",)}
    assert "mine" not in known.objectives
    assert qidguard.discover(TABLE, objective="mine").objective == "mine"
    assert load_host().owner("objectives", "mine") == "plugin 'cell' of this process unreleased"
    assert load_host().versions["this process"] == "unreleased"


def test_a_class_and_a_name_of_ones_own_do_as_well():
    """Hooks as static methods of a class keep a notebook's names apart."""

    class Mine:
        qidguard_objectives = staticmethod(offering("mine"))

    assert qidguard.register(Mine).name == "Mine"
    assert qidguard.register(module("x", qidguard_objectives=offering("other")), name="named").name == "named"
    assert {"mine", "other"} <= set(load_host().objectives)


def test_running_the_cell_again_replaces_what_it_registered():
    """The same name takes the place of the one before; nothing is contested."""
    qidguard.register(module("cell", qidguard_objectives=offering("mine", "old")))
    qidguard.register(module("cell", qidguard_objectives=offering("mine", title="new")))
    host = load_host()
    assert host.objective("mine").title == "new"
    assert "old" not in host.objectives
    assert host.failures == ()


@pytest.mark.parametrize(("plugin", "words"), [
    (module("cell"), "it implements no hook"),
    (module("cell", qidguard_objectives=list), "is not marked with @qidguard.sdk.hookimpl"),
    (module("cell", qidguard_objectives=offering("recognition")), "offers names that another plugin"),
    (module("standard", qidguard_objectives=offering("mine")), "already loaded; rename one of the two"),
], ids=["empty", "unmarked", "contested", "installed"])  # fmt: skip
def test_what_breaks_a_rule_is_refused_and_changes_nothing(plugin, words):
    """It is checked as an installed one is; what was there before still is."""
    before = load_host()
    with pytest.raises(PluginError, match=words):
        qidguard.register(plugin)
    after = load_host()
    assert after.plugins == before.plugins
    assert after.failures == before.failures
    assert "recognition" in after.objectives


def test_two_that_contest_a_name_are_found_in_either_order():
    """Plugins load by name, so the newer one may come first."""
    qidguard.register(module("b_cell", qidguard_objectives=offering("mine")))
    with pytest.raises(PluginError, match="another plugin offers too"):
        qidguard.register(module("a_cell", qidguard_objectives=offering("mine")))
    assert "mine" in load_host().objectives


def test_a_replacement_that_is_broken_leaves_the_one_before():
    """A cell with a mistake does not take away what worked."""
    qidguard.register(module("cell", qidguard_objectives=offering("mine")))
    with pytest.raises(PluginError):
        qidguard.register(module("cell", qidguard_objectives=list))
    assert "mine" in load_host().objectives


def test_the_variable_does_not_leave_out_what_is_registered(monkeypatch):
    """It limits what is installed; what code asks for by itself is there."""
    qidguard.register(module("cell", qidguard_objectives=offering("mine")))
    monkeypatch.setenv("QIDGUARD_PLUGINS", "standard")
    assert "mine" in load_host().objectives


def test_who_has_no_name_needs_one():
    """A namespace has none of its own."""
    with pytest.raises(UserError, match="has no name to be registered under"):
        qidguard.register(object())
    with pytest.raises(UserError, match="no plugin is registered as 'nobody'; there are: none"):
        qidguard.unregister("nobody")


def test_the_main_module_can_register_itself(monkeypatch):
    """``qidguard.register(sys.modules[__name__])`` at the end of a single file."""
    monkeypatch.setitem(sys.modules, "single", module("single", qidguard_objectives=offering("mine")))
    assert qidguard.register(sys.modules["single"]).name == "single"
