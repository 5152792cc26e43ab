"""Tests of tests: what recognizers learn of values, and that nothing else comes out."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples
from qidguard.auditing.recognizing import Recognition, recognize
from qidguard.host import load_host
from qidguard.sdk import (
    ColumnFacts,
    ContentTest,
    DecidedBy,
    Evidence,
    Look,
    Role,
    RoleProposal,
    ValueType,
)
from tests.support.plugged import OWNER, host_with

EVEN = ContentTest(name="even", title="even numbers", holds=lambda text: int(text) % 2 == 0)


class Asking:
    """A recognizer with tests that keeps the facts it is given and proposes what a function says."""

    name, title = "asking", "asks of values"

    def __init__(self, *tests: ContentTest, say: Callable[[], Sequence[Any]] = tuple) -> None:
        self.tests = tests
        self.say = say
        self.facts: dict[str, ColumnFacts] = {}

    def propose(self, columns: Sequence[ColumnFacts]) -> Sequence[Any]:
        """Return what the function says."""
        self.facts = {facts.name: facts for facts in columns}
        return self.say()


def alone(*recognizers: Any) -> Any:
    """Return a host whose only recognizers are these."""
    host = host_with(recognizers=recognizers)
    only = MappingProxyType({one.name: one for one in recognizers})
    return replace(host, registry=MappingProxyType({**host.registry, "recognizers": only}))


def asked(values: Any, *tests: ContentTest) -> tuple[ColumnFacts, Recognition]:
    """Return the facts of a column of values once these tests were made, and what came of it."""
    asking = Asking(*tests)
    with qidguard.audit(pd.DataFrame({"x": values})) as found:
        recognition = recognize(found.table, alone(asking))
    return asking.facts["x"], recognition


def test_a_recognizer_learns_shares_of_values_and_of_records():
    """Of four values one is even, and five of eight records hold it."""
    facts, _ = asked(["2", "2", "2", "2", "2", "3", "5", "7"], replace(EVEN, value_types=(ValueType.TEXT,)))
    assert facts.looks == (
        Look(kind="even numbers", test="even", share=0.25, share_of_records=0.625, looked_at=4),
    )


def test_a_test_is_asked_of_values_of_its_types_only():
    """Whole numbers as such, 110 and not 110.0; what stands for a missing value is none; else nothing."""
    whole = (ValueType.INTEGER,)
    tens = ContentTest(name="tens", title="tens", pattern="[0-9]*0", value_types=whole)
    sexes = ContentTest(name="sex", title="words for a sex", words=frozenset({"f", "m"}))
    assert asked([2, 4], EVEN)[0].looks == ()
    assert asked([2, 4], replace(EVEN, value_types=whole))[0].looks[0].share == 1
    facts, _ = asked([110.0, 20.0, None], tens)
    assert facts.looks[0].share == 1
    assert facts.shape is not None
    assert facts.shape.is_whole
    assert asked(["F", " m", "?", "n/a"], sexes)[0].looks[0].share == 1


def test_a_test_that_hardly_any_value_passes_is_not_made_of_all():
    """Of 5,000 values those drawn first and the most frequent ones are enough to see that none passes."""
    calls: list[str] = []

    def never(text: str) -> bool:
        calls.append(text)
        return text == calls[0]

    test = ContentTest(name="never", title="nothing", holds=never)
    facts, _ = asked([f"v{i}" for i in range(5_000)], test)
    assert len(calls) <= 100
    assert facts.looks[0].looked_at == len(calls)


def test_of_many_values_a_bounded_number_is_looked_at():
    """At most 2,500 values are looked at, the most frequent ones among them, and the same on every run."""
    values = [f"v{i}" for i in range(9_000)] + ["often"] * 1_000
    test = ContentTest(name="any", title="anything", pattern=".*")
    often = ContentTest(name="often", title="often", pattern="often|v[1-6].*")
    (first, _), (again, _) = asked(values, test, often), asked(values[::-1], test, often)
    assert first.looks == again.looks
    assert first.looks[0].looked_at in range(2_000, 2_501)
    found = first.look("often")
    assert found is not None
    assert found.share == pytest.approx(6_667 / 9_001, abs=0.03)
    assert found.share_of_records > 0.3


def test_gaps_and_bounds_are_told_of_whole_numbers():
    """Whether numbers follow one another; marks of a scale, and not the youngest; of few numbers none."""
    columns = [3, 1, 2, 2], [1, 2, 4], ["a", "b"], [17, 103, *range(20, 80)]
    found = [asked(values)[0] for values in columns]
    assert [facts.is_consecutive for facts in found] == [True, False, False, False]
    assert [facts.shape and (facts.shape.low, facts.shape.high) for facts in found[1:]] == [
        (None, None), (None, None), (20, 100)
    ]  # fmt: skip


def test_a_name_of_a_test_stands_once():
    """Of two recognizers with one name of a test the second has a fault, and the first is heard."""
    first, second = Asking(EVEN), Asking(EVEN)
    second.name = "other"
    with qidguard.audit(pd.DataFrame({"x": ["2"]})) as found:
        recognition = recognize(found.table, alone(first, second))
    assert "has the content test 'even', which" in recognition.blocks[0].sentence
    assert first.facts["x"].look("even") is not None


RARE = "Xanthippe Quill"
HOARD: list[str] = []


def hoarding(text: str) -> bool:
    """Keep every value."""
    HOARD.append(text)
    return True


def raising(kind: Callable[[str], BaseException]) -> Callable[[str], bool]:
    """Return a test that raises an error with the value in it."""

    def holds(text: str) -> bool:
        sys.stderr.write(text)
        sys.stdout.write(text)
        raise kind(text)

    return holds


def spoken(text: str) -> list[RoleProposal]:
    """Return a proposal that says something."""
    why = Evidence(by=DecidedBy.CONTENT, sentence=f"it holds {text}, I saw")
    return [RoleProposal.of("x", Role.SENSITIVE, 0.9, why)]


def shouting() -> list[RoleProposal]:
    """Raise an error with what was kept."""
    raise qidguard.PluginError(f"I saw {HOARD}")


HOSTILE = {
    "raises": Asking(replace(EVEN, holds=raising(ValueError))),
    "raises an error of ours": Asking(replace(EVEN, holds=raising(qidguard.PluginError))),
    "raises a kind named after a value": Asking(
        replace(EVEN, holds=raising(lambda text: type(text, (ValueError,), {})(text)))
    ),
    "ends": Asking(replace(EVEN, holds=raising(SystemExit))),
    "returns a value": Asking(replace(EVEN, holds=lambda text: text)),  # type: ignore[arg-type,return-value]
    "keeps and says": Asking(replace(EVEN, holds=hoarding), say=lambda: spoken(HOARD[-1])),
    "keeps and says it small": Asking(replace(EVEN, holds=hoarding), say=lambda: spoken(HOARD[-1].lower())),
    "keeps and raises": Asking(replace(EVEN, holds=hoarding), say=shouting),
}


@pytest.mark.parametrize("asking", HOSTILE.values(), ids=HOSTILE)
def test_no_value_comes_out_of_recognition(asking: Asking, capfd: pytest.CaptureFixture[str]):
    """Whatever a test or its recognizer does, no value of a small class stands in what is said or shown."""
    with qidguard.audit(pd.DataFrame({"x": [RARE]})) as found:
        recognition = recognize(found.table, alone(asking))
    shown = capfd.readouterr()
    said = f"{recognition} {asking.facts} {shown.out} {shown.err}".casefold()
    assert "xanthippe" not in said
    assert recognition.blocks or "not shown" in said
    assert all(OWNER in block.sentence for block in recognition.blocks)


ODD = st.text(st.sampled_from(list("aZ09 .,;:!'\"%{}[]()#<>&\\\n\té€🩺")), max_size=24)


@pytest.mark.slow
@settings(
    max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(values=st.lists(ODD.map(lambda text: f"Zqx{text}".strip()), min_size=1, max_size=6, unique=True))
def test_no_value_of_a_small_class_comes_out(values: list[str], capfd: pytest.CaptureFixture[str]):
    """Whatever stands in a table, neither facts, proposals, report nor output tell a value of it."""
    HOARD.clear()

    def say() -> list[RoleProposal]:
        return [found for text in HOARD for found in spoken(text)]

    hoarder = Asking(replace(EVEN, name="hoard", holds=hoarding), say=say)
    installed = load_host().recognizers.values()
    frame = pd.DataFrame({"x": values, "name": values[::-1]})
    with qidguard.audit(frame, host=alone(hoarder, *installed)) as found:
        told = f"{found.to_json()} {found.report} {hoarder.facts}"
    shown = capfd.readouterr()
    assert "zqx" not in f"{told} {shown.out} {shown.err}".casefold()
    assert len(HOARD) >= len(set(values))
