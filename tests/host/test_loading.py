"""Tests of loading plugins one by one."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, version
from types import ModuleType, SimpleNamespace

import pytest

from qidguard.core.metric import Direction
from qidguard.core.statistic import CLASSES
from qidguard.host.host import Host
from qidguard.host.kinds import METRICS, RECOGNIZERS
from qidguard.host.loading import assemble, load_host
from qidguard.sdk import Explanation, GroupBy, Metric, PluginError, Unit, UserError, hookimpl

WORDS = dict.fromkeys(Explanation.__dataclass_fields__, "words")


def a_metric(name: str) -> Metric:
    """Return a metric that counts classes under any name."""
    return Metric(
        name=name,
        title=name,
        unit=Unit.CLASSES,
        minimum=0,
        maximum=float("inf"),
        direction=Direction.NEITHER,
        method=GroupBy(statistics=(CLASSES,), compute=lambda s, _: s["classes"] or 0),
        explanation=Explanation(**WORDS),
    )


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """Return a place where a test puts modules that entry points can load."""
    made: dict[str, ModuleType] = {}

    class Maker(dict[str, ModuleType]):
        def __missing__(self, name: str) -> ModuleType:
            made[name] = self[name] = ModuleType(name)
            monkeypatch.setitem(sys.modules, name, made[name])
            return made[name]

    return Maker()


def entry(name: str, module: str | None = None) -> EntryPoint:
    """Return the entry point ``name`` of ``module``."""
    return EntryPoint(name=name, value=module or name, group="qidguard")


def offering(module: ModuleType, *names: str) -> None:
    """Make a module a plugin that offers metrics of these names."""

    @hookimpl
    def qidguard_metrics() -> list[Metric]:
        return [a_metric(name) for name in names]

    module.qidguard_metrics = qidguard_metrics


def errors(host: Host) -> dict[str, str]:
    """Return plugin → error."""
    return {failure.name: failure.error for failure in host.failures}


def test_a_good_plugin_is_listed_with_what_it_offers(modules):
    """A plugin's metrics are found under their names."""
    offering(modules["good"], "b_metric", "a_metric")
    host = assemble([entry("good")])
    assert [p.offers for p in host.plugins if p.name == "good"] == [{"metrics": ("a_metric", "b_metric")}]
    assert host.metric("a_metric").name == "a_metric"
    assert "plugin 'good'" in host.owner("metrics", "a_metric")


def test_the_host_brings_an_engine_along():
    """With no plugin installed the DuckDB engine is there, offered through the same hook."""
    assert list(assemble([]).engines) == ["duckdb"]


@pytest.mark.parametrize(
    "error", [ImportError("no module"), SystemExit(3), RuntimeError("boom"), ValueError()]
)
def test_a_plugin_that_fails_to_import_is_recorded_and_the_others_load(modules, monkeypatch, error):
    """Whatever an import raises, even SystemExit, stays with the plugin that raises it."""
    offering(modules["good"], "a_metric")

    def load(self: EntryPoint) -> object:
        if self.name == "broken":
            raise error
        return sys.modules[self.value]

    monkeypatch.setattr(EntryPoint, "load", load)
    host = assemble([entry("broken"), entry("good")])
    assert list(host.metrics) == ["a_metric"]
    assert errors(host)["broken"].startswith(type(error).__name__)


def misspelling(module: ModuleType) -> None:
    """Give a module a marked function that is no hook."""

    @hookimpl
    def qidguard_metric() -> list[Metric]:
        return []

    module.qidguard_metric = qidguard_metric


def test_a_misspelled_hook_is_a_note_of_its_plugin(modules):
    """It is never called, which is said; the rest of the plugin works, and so does everybody else."""
    offering(modules["a_typo"], "mine")
    misspelling(modules["a_typo"])
    offering(modules["good"], "theirs")
    host = assemble([entry("a_typo"), entry("good")])
    assert (host.failures, list(host.metrics)) == ((), ["mine", "theirs"])
    note = "qidguard_metric is no hook of qidguard, so it is never called; did you mean qidguard_metrics?"
    notes = {plugin.name: plugin.notes for plugin in host.plugins}
    assert notes == {"qidguard": (), "good": (), "a_typo": (note,)}


@pytest.mark.slow
def test_a_plugin_that_never_finishes_loading_is_a_failure(modules, monkeypatch):
    """It ends at the limit, is named, and the others load."""
    offering(modules["good"], "mine")

    def load(self: EntryPoint) -> object:
        while self.name == "slow":
            pass
        return sys.modules[self.value]

    monkeypatch.setattr(EntryPoint, "load", load)
    monkeypatch.setenv("QIDGUARD_PLUGIN_SECONDS", "0.5")
    host = assemble([entry("slow"), entry("good")])
    assert list(host.metrics) == ["mine"]
    assert errors(host)["slow"].startswith("loading plugin 'slow' ran for more than 0.5 seconds")


def test_a_plugin_is_known_by_its_distribution_and_version():
    """As they are installed: a report names them, and so does every fault."""
    [standard] = [one for one in load_host().plugins if one.name == "standard"]
    assert (standard.distribution, standard.version) == ("qidguard-standard", version("qidguard-standard"))


def test_a_hook_of_a_newer_host_is_a_note_without_a_guess(modules):
    """Nothing of that kind is missing here, so an unknown name is still the user's mistake."""

    @hookimpl
    def qidguard_zzz_tomorrow() -> None:
        """Do nothing."""

    offering(modules["new"], "mine")
    modules["new"].qidguard_zzz_tomorrow = qidguard_zzz_tomorrow
    host = assemble([entry("new")])
    assert next(p.notes for p in host.plugins if p.name == "new") == (
        "qidguard_zzz_tomorrow is no hook of qidguard, so it is never called in this version",
    )
    with pytest.raises(UserError, match="did you mean 'mine'"):
        host.metric("mien")


def test_a_name_that_a_misspelled_hook_may_hide_is_the_plugins_fault(modules):
    """It may be what the hook was to offer: a failure (exit 3) that keeps the guess."""
    offering(modules["good"], "k_anonymity")
    misspelling(modules["a_typo"])
    host = assemble([entry("a_typo"), entry("good")])
    words = r"'k_anonimity' \(did you mean 'k_anonymity'\?\), and not all loaded: plugin 'a_typo'"
    with pytest.raises(PluginError, match=words):
        host.metric("k_anonimity")
    with pytest.raises(UserError, match="since no installed plugin offers anonymizers"):
        host.anonymizer("mdav")


def test_a_plugin_that_fails_in_a_hook_is_missed_only_where_it_offers_something(modules):
    """A plugin of metrics that is broken is no reason to doubt what recognizers there are."""

    @hookimpl
    def qidguard_metrics() -> list[Metric]:
        raise RuntimeError

    modules["broken"].qidguard_metrics = qidguard_metrics
    host = assemble([entry("broken"), entry("absent", "no_such_module_at_all")])
    assert [len(host.missing(kind)) for kind in (METRICS, RECOGNIZERS)] == [2, 1]


def test_what_is_no_plugin_is_a_failure(modules):
    """A hook with arguments (told without a path) or without the marker, none at all, and a name twice."""

    @hookimpl
    def qidguard_metrics(host: list[Metric]) -> list[Metric]:
        return host

    modules["asks"].qidguard_metrics = qidguard_metrics
    modules["unmarked"].qidguard_metrics = list
    modules["empty"].x = 1
    offering(modules["one"], "a")
    offering(modules["two"], "b")
    names = ("asks", "unmarked", "empty")
    found = errors(assemble([*map(entry, names), entry("same", "one"), entry("same", "two")]))
    assert found["asks"].startswith("TypeError: ")
    assert ("host" in found["asks"], "/" in found["asks"]) == (True, False)
    for name, words in (("unmarked", "is not marked"), ("empty", "no hook"), ("same", "already loaded")):
        assert words in found[name]


def test_a_hook_that_raises_or_returns_rubbish_is_a_failure(modules):
    """A hook's answer is checked object by object."""

    def plugin(name: str, answer: object) -> None:
        @hookimpl
        def qidguard_metrics() -> object:
            if isinstance(answer, Exception):
                raise answer
            return answer

        modules[name].qidguard_metrics = qidguard_metrics

    class Nameless:
        name = "x"

    plugin("raises", RuntimeError("boom"))
    plugin("no_list", 5)
    plugin("no_metric", [Nameless()])
    plugin("no_name", [object()])
    plugin("twice", [a_metric("m"), a_metric("m")])
    found = errors(assemble([entry(n) for n in ("raises", "no_list", "no_metric", "no_name", "twice")]))
    assert found == {
        "raises": "RuntimeError: boom",
        "no_list": "TypeError: qidguard_metrics must return the objects it offers, not int",
        "no_metric": "TypeError: qidguard_metrics offers 'x', which is no Metric but Nameless",
        "no_name": "ValueError: qidguard_metrics offers a object without a name",
        "twice": "ValueError: qidguard_metrics offers 'm' twice",
    }


def test_a_name_of_two_plugins_is_nobodys(modules):
    """When two plugins offer one metric it belongs to neither, and using it is a plugin error."""
    offering(modules["first"], "shared", "mine")
    offering(modules["second"], "shared")
    host = assemble([entry("second"), entry("first")])
    assert list(host.metrics) == ["mine"]
    with pytest.raises(PluginError, match=r"'shared' cannot be trusted.*another plugin offers too"):
        host.metric("shared")


def test_a_missing_metric_blames_broken_plugins_first(modules):
    """A metric may be missing because a plugin is broken; only when none is, it is the user's mistake."""
    offering(modules["good"], "k_anonymity")
    with pytest.raises(UserError, match="did you mean 'k_anonymity'"):
        assemble([entry("good")]).metric("k_anonimity")
    with pytest.raises(PluginError, match="not all loaded: plugin 'absent'"):
        assemble([entry("good"), entry("absent", "no_such_module_at_all")]).metric("l_diversity")


def test_the_variable_limits_what_loads_and_is_blamed_for_what_is_missing(modules):
    """What is not installed is a failure; a missing metric names the variable, who is out, a guess."""
    offering(modules["one"], "k_anonymity")
    offering(modules["two"], "k_anonimity_two")
    host = assemble([entry("one"), entry("two")], {"one", "three"})
    assert (list(host.metrics), host.skipped) == (["k_anonymity"], ("two",))
    assert "not installed" in errors(host)["three"]
    host = assemble([entry("one"), entry("two")], {"one"})
    for name, words in (
        ("l_diversity", "'l_diversity', and QIDGUARD_PLUGINS leaves out two"),
        ("k_anonimity", "did you mean 'k_anonymity'"),
    ):
        with pytest.raises(PluginError, match=words):
            host.metric(name)


def test_load_order_does_not_matter(modules):
    """The same plugins in another order give the same host."""
    offering(modules["one"], "a")
    offering(modules["two"], "b")
    left, right = (assemble(order) for order in ([entry("one"), entry("two")], [entry("two"), entry("one")]))
    assert left.plugins == right.plugins
    assert list(left.metrics) == list(right.metrics)


@pytest.mark.parametrize("kind", ["Objective", "RecognitionScore"])
def test_what_a_search_weighs_is_of_its_own_kind(kind, modules):
    """An object that only has a name and a title cannot be weighed or scored by."""
    hook = {"Objective": "qidguard_objectives", "RecognitionScore": "qidguard_recognition_scores"}[kind]
    titled = SimpleNamespace(name="x", title="X")
    setattr(modules["titled"], hook, hookimpl(lambda: [titled], specname=hook))
    said = f"TypeError: {hook} offers 'x', which is no {kind} but SimpleNamespace"
    assert errors(assemble([entry("titled")])) == {"titled": said}
