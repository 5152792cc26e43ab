"""What a series asks of a snapshot: persons record by record, and records of another beside its own."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from qidguard.engines.duckdb.engine import ENGINE
from qidguard.sdk import DataError, EngineSettings, ReadOptions

KEY = b"k" * 32
SETTINGS = EngineSettings(threads=2)


def taken(source, **options):
    """Return a snapshot."""
    return ENGINE.snapshot(source, ReadOptions(**options), SETTINGS)


def test_each_record_has_the_hash_of_its_person():
    """The distinct ones are those of the keyed classes; two records of one person have one."""
    with taken(pd.DataFrame({"id": ["b", "a", "b"], "x": [1, 2, 3]})) as snapshot:
        persons = snapshot.keyed_persons("id", KEY)
        classes = snapshot.keyed_classes({"x": ["x"]}, "id", KEY)
    assert persons.shape == (3, 16)
    assert persons[0].tolist() == persons[2].tolist() != persons[1].tolist()
    assert sorted(map(bytes, np.unique(persons, axis=0))) == [bytes(row) for row in classes.persons]


def test_a_record_without_a_person_is_an_error():
    """Nobody could follow it."""
    with taken(pd.DataFrame({"id": ["b", None]})) as snapshot, pytest.raises(DataError, match="no value in"):
        snapshot.keyed_persons("id", KEY)


ODD = {
    'a "b"': ["007", "x,y", None, "1.50"],
    "n": ["1", "", "-3", "12"],
    "day": ["2026-01-31", "2026-02-28", "", "2026-03-01"],
}


def test_texts_come_back_through_a_file(tmp_path):
    """What a CSV was written to Parquet as stands beside the CSV's own records with its very texts."""
    frame = pd.DataFrame(ODD)
    frame.to_csv(tmp_path / "t.csv", index=False)
    with taken(tmp_path / "t.csv") as snapshot:
        snapshot.write(tmp_path / "t.parquet", snapshot.names, "parquet", seed=None)
        digest = snapshot.source_digest
        with taken(tmp_path / "t.parquet") as kept, snapshot.with_records(kept) as both:
            assert both.records == 8
            assert both.source_digest == digest
            assert both.types() == snapshot.types()
            for name in snapshot.names:
                column = both.column(name)
                told = [column.texts[code] for code in column.codes]
                assert told[:4] == told[4:]


def test_typed_columns_keep_their_types_and_their_order_does_not_matter():
    """Values are cast where that is exact, such as a whole number that was read as a fraction."""
    first = pd.DataFrame({"n": [1, 2], "day": [dt.date(2026, 1, 31)] * 2})
    second = pd.DataFrame({"day": [dt.date(2026, 2, 28)], "n": [3.0]})
    with taken(first) as one, taken(second) as other, one.with_records(other) as both:
        assert both.types() == one.types()
        assert [both.column("n").texts[code] for code in both.column("n").codes] == ["1", "2", "3"]
        assert both.column("day").texts[both.column("day").codes[2]].startswith("2026-02-28")


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"m": [1]}, "only one of the two tables has the column 'n'"),
        ({"n": [2.5]}, "1 values of the column 'n' do not fit its type in the table"),
        ({"n": ["secret"]}, "1 values of the column 'n' do not fit its type in the table"),
    ],
)
def test_what_does_not_fit_is_one_sentence_without_a_value(second, said):
    """Nothing is rounded, and no value is told."""
    with (
        taken(pd.DataFrame({"n": [1, 2]})) as one,
        taken(pd.DataFrame(second)) as other,
        pytest.raises(DataError) as raised,
    ):
        one.with_records(other)
    assert str(raised.value) == said
