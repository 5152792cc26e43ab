import json
from types import MappingProxyType

import pytest

import qidguard.host
from qidguard.host import Host, PluginFailure, PluginInfo


@pytest.fixture
def _broken_host(monkeypatch):
    """A host with one plugin, one failure and one plugin that was left out."""
    good = PluginInfo(
        name="good", distribution="good-dist", version="1.2", offers={"metrics": ("one", "two")}
    )
    words = "ImportError: no\x1b[2J module [red]x"
    bad = PluginFailure(name="bad", distribution="bad-dist", version="0.3", error=words)
    registry = MappingProxyType(dict.fromkeys(("metrics", "engines"), MappingProxyType({})))
    host = Host(plugins=(good,), failures=(bad,), skipped=("idle",), registry=registry)
    monkeypatch.setattr(qidguard.host, "load_host", lambda: host)


@pytest.mark.usefixtures("_broken_host")
def test_loaded_plugins_come_first_and_then_the_failures(run):
    """Each with distribution and version; a failure with its error, made printable; in JSON the same."""
    code, out, _ = run("plugins")
    assert code == 0
    assert out.index("good  good-dist 1.2") < out.index("metrics: one, two") < out.index("FAILED")
    error = r"ImportError: no\x1b[2J module [red]x"
    said = ("bad  bad-dist 0.3", error, "left out by QIDGUARD_PLUGINS: idle")
    assert [words for words in said if words not in out] == []
    document = json.loads(run("plugins", "--json")[1])
    nothing = (
        *("recognizers", "search_strategies", "objectives", "recognition_scores", "search_plots"),
        *("anonymizers", "attacks", "leaks", "engines", "commands"),
    )
    offers = {"metrics": ["one", "two"]} | {name: [] for name in nothing}
    assert document["plugins"][0]["offers"] == offers
    failures = [(f["name"], f["distribution"], f["version"]) for f in document["failures"]]
    assert (document["format"], failures, document["skipped"]) == (
        *("qidguard-plugins/1", [("bad", "bad-dist", "0.3")], ["idle"]),
    )


@pytest.mark.usefixtures("_broken_host")
@pytest.mark.parametrize(("name", "code", "words"), [
    ("good", 0, "metrics:"),
    ("bad", 3, "ImportError"),
    ("idle", 2, "leaves it out"),
    ("godo", 2, "did you mean 'good'?"),
    ("zzz", 2, "there are: good, bad, idle"),
])  # fmt: skip
def test_one_plugin(run, name, code, words):
    """A loaded plugin is 0, a broken one 3, an unknown one 2 with a suggestion."""
    found, out, err = run("plugins", name)
    assert found == code
    assert words in out + err


def test_the_installed_plugins_are_listed(run):
    """What the host loads is what the command shows, titles included."""
    host = qidguard.host.load_host()
    code, out, _ = run("plugins")
    assert code == 0
    for plugin in host.plugins:
        assert f"{plugin.name}  {plugin.distribution} {plugin.version}" in out
        detail = run("plugins", plugin.name)[1]
        titles = [
            host.metrics[name].title for name in plugin.offers.get("metrics", ()) if name in host.metrics
        ]
        assert all(title in detail for title in titles)


def test_the_parameters_of_each_offer_are_listed(run, monkeypatch):
    """Name, default, type, limits and meaning; what is required says so. As JSON the same."""
    monkeypatch.setenv("COLUMNS", "400")
    out = run("plugins", "standard")[1]
    assert "k required  int, at least 2: smallest class that is published, persons" in out
    assert "most_suppressed = 0.1  float, 0 to 1: largest share of the records" in out
    document = json.loads(run("plugins", "standard", "--json")[1])
    details = document["plugins"][0]["details"]["anonymizers"]["small_class_suppression"]
    assert details["title"] == "suppression of records in small classes"
    assert details["parameters"][0] == {
        "name": "k",
        "type": "int",
        "default": None,
        "is_required": True,
        "minimum": 2,
        "maximum": None,
        "choices": [],
        "words": [],
        "meaning": "smallest class that is published, persons",
    }
    assert "details" not in json.loads(run("plugins", "--json")[1])["plugins"][0]
