"""Tests of what a protocol asks for: every attribute, its type, and what a method takes."""

from collections.abc import Callable
from typing import Any

import pytest

from qidguard.core.metric import Direction, Unit
from qidguard.host.hookspecs import HOOKS, LISTENER
from qidguard.host.kinds import KINDS
from qidguard.host.loading import collect
from qidguard.sdk import Explanation, GroupBy, Metric, Parameter, RecognitionScore, Term


class Good:
    """Fills every protocol at once."""

    name, title, parameters = "good", "does all", (Parameter(name="k", type=int, default=2),)
    changes_sensitive = False

    def anonymize(self, records: object, arguments: object, task: object) -> None:
        """Do nothing."""

    def attack(self, attacked: object, arguments: object) -> None:
        """Do nothing."""

    def search(self, problem: object, arguments: object, seed: int) -> None:
        """Do nothing."""

    def draw(self, result: object) -> None:
        """Do nothing."""

    def propose(self, columns: object) -> None:
        """Do nothing."""

    def find(self, task: object) -> None:
        """Do nothing."""

    def can_open(self, source: object) -> None:
        """Do nothing."""

    def column_names(self, source: object, options: object, settings: object) -> None:
        """Do nothing."""

    def open(self, source: object, options: object, needs: object, settings: object) -> None:
        """Do nothing."""


PROTOCOLS = [kind for kind in KINDS if getattr(kind.protocol, "_is_protocol", False)]


def without(name: str) -> type[Good]:
    """Return the good one's class without one of its attributes."""
    members = {key: value for key, value in vars(Good).items() if key != name}
    return type("Bad", (), members)


def loaded(hook: str, offer: object) -> Callable[[], Any]:
    """Return what collects one offer of a hook."""
    return lambda: collect({hook: lambda: [offer]})


@pytest.mark.parametrize("kind", PROTOCOLS, ids=lambda kind: kind.word)
def test_what_fills_a_protocol_is_taken(kind):
    """Nothing is asked for beyond the protocol."""
    assert loaded(kind.hook, Good())()[kind.name]["good"].title == "does all"


ASKED = [
    (kind, name)
    for kind in PROTOCOLS
    for name in sorted(vars(kind.protocol))
    if not name.startswith("_") and name != "name"
]


@pytest.mark.parametrize(("kind", "name"), ASKED, ids=lambda x: getattr(x, "word", x))
def test_every_attribute_of_a_protocol_is_asked_for(kind, name):
    """An anonymizer without parameters, say, is a fault when it loads and not in a comparison."""
    with pytest.raises(TypeError, match=rf"{kind.hook} offers 'good', which lacks the \w+ {name}"):
        loaded(kind.hook, without(name)())()


@pytest.mark.parametrize(("hook", "name", "value", "words"), [
    ("anonymizers", "parameters", [], "parameters must be tuple of Parameter, not list"),
    ("anonymizers", "parameters", ("k",), "parameters must be tuple of Parameter, not of str"),
    ("attacks", "title", b"t", "title must be str, not bytes"),
    ("anonymizers", "changes_sensitive", "no", "changes_sensitive must be bool, not str"),
    ("anonymizers", "privacy_guarantee", 5, "privacy_guarantee must be a method, not int"),
    ("recognizers", "propose", "x", "propose must be a method, not str"),
    ("recognizers", "propose_from", lambda table: table, r"propose_from\(\) must take \(table, columns"),
    ("search_strategies", "search", lambda problem: problem, r"search\(\) must take \(problem, argu"),
    ("engines", "source_digest", lambda: "x", r"source_digest\(\) must take \(source, options"),
])  # fmt: skip
def test_what_is_of_another_type_is_refused(hook, name, value, words):
    """What an offer may have beside its protocol is checked too; a text is no truth value."""
    offer = Good()
    setattr(offer, name, value)
    with pytest.raises(TypeError, match=f"qidguard_{hook} offers 'good', whose {words}"):
        loaded(f"qidguard_{hook}", offer)()


def test_a_class_in_place_of_an_object_is_refused():
    """It would fail at the first call, with the wrong words."""
    with pytest.raises(TypeError, match=r"which is a class; offer an object of it: Good\(\)"):
        loaded("qidguard_anonymizers", Good)()


WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))


@pytest.mark.parametrize(("make", "words"), [
    (lambda: Term(metric=5), "a term's metric must be its name, not int"),
    (lambda: Term(metric="k", attribute=5), "attribute must be str or None, not int"),
    (lambda: RecognitionScore(name="s", title="s", formula="f", source="s", compute=5),
     "score 's': compute must be a function, not int"),
    (
        lambda: Metric(
            name="m",
            title="m",
            unit=Unit.SHARE,
            minimum=0,
            maximum=1,
            direction=Direction.NEITHER,
            method=GroupBy(statistics=(5,), compute=max),
            explanation=WORDS,
        ),
        "method must be GroupBy or TableFunction, not one whose statistics is no tuple of Statistic",
    ),
])  # fmt: skip
def test_a_class_of_the_kit_checks_its_fields(make, words):
    """What is wrong deep inside is said when it is made, in the plugin's own file."""
    with pytest.raises(TypeError, match=words):
        make()


def test_each_kind_has_its_hook_with_a_signature():
    """The hooks are those of the table, and the one that hears of audits."""
    assert set(HOOKS) == {*(kind.hook for kind in KINDS), LISTENER}
    for kind in KINDS:
        assert HOOKS[kind.hook].__annotations__ == {"return": f"Iterable[{kind.protocol.__name__}]"}
        assert HOOKS[kind.hook].__doc__ == kind.returns
