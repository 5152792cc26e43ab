"""Columns that go together: twins, shared values, and keys under which others stay the same."""

import random
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qidguard
from examples import examples
from qidguard.auditing.recognizing import recognize
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.sdk import ColumnFacts, Role

PERSONS = 400


def visits() -> pd.DataFrame:
    """Return records of persons with one to four visits each, under names that say nothing."""
    r = random.Random(3)  # noqa: S311 - reproducible, no secret
    rows: list[Sequence[Any]] = []
    degrees = ("Bachelors", "Masters", "Doctorate", "HS-grad", "Some-college", "11th", "9th")
    for person in range(PERSONS):
        sex, degree, town = r.choice(("Male", "Female")), r.choice(degrees), r.randint(0, 9)
        for _ in range(r.randint(1, 4)):
            ward = r.randint(0, 9)
            seen = (f"w{r.randint(0, 60)}x", f"w{r.randint(0, 60)}x")
            rows.append((7919 * person % 100_003, sex, degree, degrees.index(degree), town, ward, *seen))
    return pd.DataFrame(rows, columns=[f"c{i}" for i in range(8)])


@pytest.fixture(scope="module")
def known() -> tuple[dict[str, ColumnFacts], dict[str, tuple[Role, bool, str]]]:
    """Return the facts of the columns of visits, and what is said of each."""
    host = load_host()
    with qidguard.audit(visits(), host=host) as found:
        proposals = recognize(found.table, host).proposals
        related = found.table.related()  # type: ignore[attr-defined]
        facts = {one.name: one for one in found.table.columns}
    said = {
        name: (one.assignment.role, one.is_sure, one.assignment.reason) for name, one in proposals.items()
    }
    assert related["c0"].keeps == ("c1", "c2", "c3", "c4")
    assert related["c2"].twins == ("c3",)
    return facts, said


@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("c3", Role.QUASI_IDENTIFIER, "one to one"),
        pytest.param("c0", Role.ENTITY, "4 other columns stay the same", marks=pytest.mark.slow),
    ],
)
def test_what_goes_together_has_a_role(known: Any, name: str, role: Role, words: str) -> None:
    """The number of an education is what its words are; sex, education and town stay the same under a key."""
    found, is_sure, reason = known[1][name]
    assert (found, is_sure, words in reason) == (role, True, True)


def test_a_key_without_persons_is_a_question() -> None:
    """What is constant of a product may be its color: whether they are persons a person says."""
    r = random.Random(4)  # noqa: S311 - reproducible, no secret
    things = [(key, r.randint(100, 120), r.randint(200, 230)) for key in range(1_000, 1_300)]
    frame = pd.DataFrame([r.choice(things) for _ in range(1_500)], columns=["c0", "c1", "c2"])
    with qidguard.audit(frame) as found:
        reasons = {c.facts.name: c.assignment.reason for c in found.report.columns}
    assert reasons["c0"].startswith("is it the key of persons?")


def test_shared_values_are_inherited() -> None:
    """A second column with the diagnoses of the first is one, too."""
    first = [f"E{i % 30 + 10}.{i % 7}" for i in range(300)]
    second = [f"E{i % 29 + 11}.{i % 7}" for i in range(300)]
    frame = pd.DataFrame({"c0": first, "diagnosis": second, "c2": [f"X{i % 30}Y" for i in range(300)]})
    with qidguard.audit(frame) as found:
        said = {c.facts.name: (c.assignment.role, c.assignment.reason) for c in found.report.columns}
    assert said["c0"][0] is Role.SENSITIVE or said["c0"][1].startswith("is it a sensitive attribute?")
    assert said["c2"][0] is Role.UNCLASSIFIED


def test_independent_columns_are_not_related() -> None:
    """Columns of as many values each, drawn apart, say nothing of each other."""
    r = random.Random(5)  # noqa: S311 - reproducible, no secret
    frame = pd.DataFrame({f"c{i}": [r.randint(0, 5) for _ in range(2_000)] for i in range(4)})
    with qidguard.audit(frame) as found:
        assert found.table.related() == {}  # type: ignore[attr-defined]


def test_once_columns_are_planned_nothing_is_related() -> None:
    """A table that kept only what a policy asks for has nothing to look at, and no recognizer is asked."""
    frame = pd.DataFrame({"a": [1, 2] * 200, "b": ["x", "y"] * 200})
    with ENGINE.open(frame, ReadOptions(), Needs(columns=("a",)), EngineSettings()) as table:
        assert table.related() == {}
    with ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings()) as table:
        assert {name: one.twins for name, one in table.related().items()} == {"a": ("b",), "b": ("a",)}


MARKED = st.text("abcXYZ09 -", min_size=3, max_size=9).map(lambda text: f"Qzx{text.strip()}")


@pytest.mark.slow
@settings(max_examples=examples(15), deadline=None)
@given(words=st.lists(MARKED, min_size=4, max_size=30, unique=True))
def test_no_value_stands_in_what_is_inherited(words: list[str]) -> None:
    """Twins and shared values are told by names of columns and roles only."""
    every = [word for word in words for _ in range(40)]
    other = [words.index(word) for word in every]
    frame = pd.DataFrame({"town": every, "c1": other, "c2": every[::-1]})
    with qidguard.audit(frame) as found:
        assert "qzx" not in f"{found.to_json()} {found.report}".casefold()
