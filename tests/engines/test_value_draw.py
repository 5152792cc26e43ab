"""Which distinct values tests of content see."""

import pandas as pd
import pytest

from qidguard.core.column import ValueType
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.described import KINDS, MOST_DRAWN, MOST_FREQUENT, looks_of
from qidguard.engines.duckdb.engine import ENGINE


def draw(values):
    """Return what is drawn of a column."""
    frame = pd.DataFrame({"a": values})
    with ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings(threads=1)) as table:
        return table.value_draw("a")


def test_frequent_values_are_drawn_beside_those_of_least_hash():
    """Of 6,000 values 500 occur twice: all of them are seen, whatever their hash."""
    often = [f"often {number}" for number in range(MOST_FREQUENT)]
    found = draw([*(f"once {number}" for number in range(5_500)), *often, *often])
    assert found.drawn == MOST_DRAWN
    assert set(often) <= set(found.texts)
    assert len(found.texts) > MOST_DRAWN


def test_of_unique_values_those_of_least_hash_are_drawn_once():
    """None of them is more frequent than another, so there is nothing more to see; missing ones aside."""
    found = draw([*(f"once {number}" for number in range(6_000)), None, None])
    assert (found.drawn, len(found.texts), set(found.records)) == (MOST_DRAWN, MOST_DRAWN, {1})


def test_many_columns_are_described_as_each_is_alone():
    """Forty columns go sixteen to a statement, and each has the facts and the draw of its own."""
    made = {
        "whole": range(60),
        "text": [f"v{i % 7}" for i in range(60)],
        "share": [i / 8 for i in range(60)],
        "day": [f"2020-01-{1 + i % 28:02d}" for i in range(60)],
        "missing": [None, "*", "a", " n/a"] * 15,
    }
    frame = pd.DataFrame({f"{name}_{i}": values for i in range(8) for name, values in made.items()})
    with ENGINE.open(frame, ReadOptions(), Needs(suppression_mark="*"), EngineSettings(threads=1)) as table:
        together = [(facts, table.value_draw(facts.name)) for facts in table.columns]
    for facts, drawn in together:
        alone = pd.DataFrame({facts.name: frame[facts.name]})
        with ENGINE.open(
            alone, ReadOptions(), Needs(suppression_mark="*"), EngineSettings(threads=1)
        ) as table:
            assert (facts, drawn) == (table.columns[0], table.value_draw(facts.name))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_form_of_an_identifier_is_lost_by_looking_at_its_length_and_digits_first(kind):
    """The shortest and the oddest texts of each kind are held against it, as all texts are one by one."""
    texts = [
        *("a@b.ch", "DE89 3704 0044 0532 0130 00", "123-45-6789", "4111111111111111", "943 476 5919"),
        *(
            "111222333",
            "529.982.247-25",
            "1 84 12 76 451 089 46",
            "+1 (())--2",
            "020 794 60958",
            "(20)/123-456",
        ),
        *("", "x", "12345", "2020-01-31", "w123 x45"),
    ]
    held = [text for text in texts if kind.holds(text)]
    assert held
    [look] = [look for look in looks_of(held * kind.fewest) if look.kind == kind.name]
    assert look.share == 1


def test_what_is_kept_to_be_compared_is_typed_as_its_texts_are(tmp_path):
    """A file's texts are numbers where they all are, but for the mark; codes follow the order of values."""
    file = tmp_path / "texts.csv"
    file.write_text("age,pay\n30,1.5\n*,2\n,3\n9,x\n", encoding="utf-8")
    needs = Needs(columns=("age",), compared=("age",), rest=("pay",), suppression_mark="*")
    with ENGINE.open(file, ReadOptions(), needs, EngineSettings()) as table:
        age, pay = table.drawn_columns
    assert (age.value_type, age.texts, pay.value_type) == (
        ValueType.INTEGER,
        (None, "9", "30", "*"),
        ValueType.TEXT,
    )
    assert [age.texts[code] for code in age.codes].count("*") == 1
    assert age.numbers is not None
    assert age.numbers[1:3].tolist() == [9, 30]
