"""Which distinct values tests of content see."""

import pandas as pd

from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.engines.duckdb.described import MOST_DRAWN, MOST_FREQUENT


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
