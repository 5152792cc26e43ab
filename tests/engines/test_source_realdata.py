"""Tests on the public data sets: each comes out in the shape that its publisher states."""

import csv

import pytest

from quick import mostly_slow

pytestmark = pytest.mark.realdata

FILES = [
    ("adult/adult.data", {}, 32_561, 15),
    ("adult/adult.test", {}, 16_281, 15),
    ("adult/adult_arx.csv", {}, 30_162, 9),
    ("german/german.data", {"delimiter": "whitespace"}, 1_000, 21),
    ("car/car.data", {}, 1_728, 7),
    ("nursery/nursery.data", {}, 12_960, 9),
    ("heart/heart_hungarian.data", {}, 294, 14),
    ("diabetes_logs/diabetes.data", {}, 10_830, 4),
    ("hospital/diabetic_data.csv", {}, 101_766, 50),
]


@pytest.mark.samples(1)
@pytest.mark.parametrize(("name", "options", "records", "columns"), mostly_slow(FILES, quick=4))
def test_a_public_file_has_its_shape_and_its_values(data, read, name, options, records, columns):
    """Records and columns are as published, and every value is what Python's csv module reads."""
    found = read(data / name, **options)
    assert (found.count, len(found.names)) == (records, columns)
    with (data / name).open(newline="") as file:
        first = file.readline()
        file.seek(0)
        delimiter = ";" if ";" in first else " " if options else ","
        expected = [
            tuple(f.strip() or None for f in row) for row in csv.reader(file, delimiter=delimiter) if row
        ]
    if options:
        expected = [tuple(f for f in row if f) for row in expected]
    if found.names == expected[0]:
        expected = expected[1:]
    assert sorted(found.rows, key=repr) == sorted(expected, key=repr)


def test_adult_has_no_header_and_question_marks(data, read):
    """The blank after each comma is dropped, so that the declared marker is NULL: 1,836 in workclass."""
    found = read(data / "adult" / "adult.data", missing=("?",))
    assert found.names[0] == "column_0"
    assert sum(row[1] is None for row in found.rows) == 1_836
    assert len(found.notes) == 2


@pytest.mark.slow
def test_hospital_counts_persons_apart_from_records(data, read):
    """patient_nbr repeats: 71,518 persons in 101,766 records."""
    found = read(data / "hospital" / "diabetic_data.csv")
    position = found.names.index("patient_nbr")
    assert len({row[position] for row in found.rows}) == 71_518


def test_german_asks_for_its_delimiter(data, refuse):
    """Runs of blanks are not guessed."""
    assert "`delimiter: whitespace`" in refuse(data / "german" / "german.data")


def test_a_hierarchy_without_header_is_not_taken_for_a_table_with_one(data, read):
    """The first line of the age hierarchy has numbers, so it is data."""
    found = read(data / "adult" / "hierarchies" / "age.csv")
    assert found.names == tuple(f"column_{i}" for i in range(5))
    assert len(found.rows) == 100
