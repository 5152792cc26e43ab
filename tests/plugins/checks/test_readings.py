"""What is read in a column: parts of texts and dates by hand, numbers reckoned, hostile texts."""

import json

import numpy as np
import pytest

from qidguard_checks.undoing.parts import parts_of
from qidguard_checks.undoing.reading import Scale, reckoned
from undone import coded


def parts(values):
    """Return what is read: its words → the text that is read of each value, None for nothing."""
    scale = Scale(column=coded(values, "x"))
    return {r.part.words: [r.texts[code] for code in r.codes.tolist()] for r in parts_of(scale)}


NOTES = [f"case {n}: aged {30 + n % 3}, {'she' if n % 2 else 'he'} left" for n in range(12)]
CODES = [f"A{40 + n % 4}{n:03d}" for n in range(12)]
DAYS = np.array(["2001-02-03", "1999-12-31"] * 6, dtype="M8[D]")


@pytest.mark.parametrize(
    ("values", "words", "expected"),
    [
        (NOTES, "number 2", ["30", "31", "32"]),
        (NOTES, "word 4", ["30", "31", "32"]),
        (NOTES, "word 2 from the end", ["he", "she", "he"]),
        (NOTES, "item 2", [" he left", " she left", " he left"]),
        (CODES, "text at 2 to 3", ["40", "41", "42"]),
        (CODES, "text of the last 1 characters", ["0", "1", "2"]),
        ([f"{n};{n % 3}|x" for n in range(12)], "item 2", ["0", "1", "2"]),
        ([f"id={n} age={20 + n % 3}" for n in range(12)], "field age", ["20", "21", "22"]),
        ([json.dumps({"p": {"n": n % 3, "id": n}}) for n in range(12)], "field p.n", ["0", "1", "2"]),
        ([json.dumps([n % 3, {"is": n > 0}, n]) for n in range(12)], "field 1.is", ["false", "true", "true"]),
        ([12.5 + n for n in range(12)], "number 1", ["12", "13", "14"]),
        (DAYS, "year", ["2001", "1999", "2001"]),
        (DAYS, "month and day", ["02-03", "12-31", "02-03"]),
        (DAYS, "day of the week", ["5", "4", "5"]),
        ([f"{n + 1:02d}.03.2001" for n in range(28)], "day of the month", ["1", "2", "3"]),
    ],
)
def test_parts_by_hand(values, words, expected):
    """The first three values."""
    assert parts(values)[words][:3] == expected


@pytest.mark.parametrize(
    "values",
    [
        ["{" + "[" * 3000 + str(n) for n in range(12)],
        ['{"a": 1', *(f'{{"a": {n}}}' for n in range(11))],
        [chr(0x1F600 + n) for n in range(12)],
        [" " * n for n in range(1, 13)],
        [f"{n}\n\x00,{n}" for n in range(12)],
        ["x" * 100_000 + str(n) for n in range(12)],
    ],
    ids=["deep", "broken", "no words", "blanks", "controls", "long"],
)
def test_hostile_texts_are_read(values):
    """Nothing is raised, and whatever is read is read of all records."""
    assert all(len(read) == len(values) for read in parts(values).values())


def test_numbers_are_reckoned_to_six_digits():
    """Two quotients that differ in the seventh digit are one; what is divided by nothing is nothing."""
    first, second = np.array([1.0, 1.0000001, 3.0, 6.0]), np.array([3.0, 3.0, 0.0, 2.0])
    scales = {name: Scale(column=coded(v, name)) for name, v in {"a": first, "b": second}.items()}
    read = {part.words: part.read(scales.__getitem__) for part in reckoned(list(scales.values()))}
    quotient = read["quotient"]
    assert quotient.codes.tolist() == [1, 1, 0, 2]
    assert quotient.numbers[1:].tolist() == pytest.approx([1 / 3, 3.0], rel=2e-6)
    assert read["sum"].numbers[read["sum"].codes].tolist() == pytest.approx([4.0, 4.0000001, 3.0, 8.0])
