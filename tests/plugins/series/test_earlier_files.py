"""The true stream of earlier files, by hand: three files of the same series."""

import numpy as np
import pandas as pd
import pytest

from qidguard.sdk import DataError, records_of
from qidguard_series.earlier_files import true_stream
from qidguard_series.simulated_stream import continued
from series import QIDS


def file_of(cells):
    """Return records: person → age and sex, or a list of them; one may have no name."""
    several = {who: own if isinstance(own, list) else [own] for who, own in cells.items()}
    rows = [(who, *one) for who, own in several.items() for one in own]
    return records_of(pd.DataFrame(rows, columns=["person", *QIDS]), ["person", *QIDS])


JAN = {"ann": (30, "f"), "bea": (41, "f"), "cid": (50, "m"), "dan": (9, "m")}
FEB = {"bea": (42, "f"), "cid": (50, "m"), "dan": (9, "m"), "eve": (30, "f")}
MAR = {"ann": (31, "f"), "bea": (42, "f"), "dan": (100, "m"), "eve": (30, "f")}
OLD = {who: ("old", sex) for who, (_, sex) in JAN.items()}
NAMES = ("ann", "bea", "cid", "dan", "eve")


def found_in(*files):
    """Return the true stream of files."""
    return true_stream([file_of(one) for one in files], "person", QIDS)


def continued_from(*files, releases):
    """Return the stream that goes on after files."""
    found = found_in(*files)
    true = {"first": found.first, "true_moves": found.moves, "true_rows": found.rows}
    return continued(found.population, found.turnover, releases=releases, seed=0, **true)


def named(numbers):
    """Return the names of persons, who are numbered as they come."""
    return [NAMES[number] for number in numbers.tolist()]


def test_who_came_left_returned_and_changed():
    """Ann leaves and returns in March; Bea has a birthday, then Dan has a long one.

    Of four persons in each of two months one leaves; one of eight comes; one of the one gone returns.
    """
    found = found_in(JAN, FEB, MAR)
    (to_feb, to_mar), turnover = found.moves, found.turnover
    assert (turnover.leave, turnover.come, turnover.change, turnover.come_back) == (0.25, 0.125, 0.25, 1.0)
    assert [named(to_feb.left), named(to_feb.came), named(to_feb.changed)] == [["ann"], ["eve"], ["bea"]]
    assert [named(to_mar.left), named(to_mar.returned), named(to_mar.changed)] == [["cid"], ["ann"], ["dan"]]
    assert (to_mar.came.tolist(), to_feb.returned.tolist()) == ([], [])


def test_every_release_has_the_records_of_its_file():
    """Ages are numbers in all of them: 9 is before 30 and 100 last, and who is gone has the last values."""
    stream = continued_from(JAN, FEB, MAR, releases=3)
    assert (stream.releases, stream.true_releases) == (3, 3)
    for now, month in zip(stream.follow(), (JAN, FEB, MAR), strict=True):
        records, person = now.records(np.flatnonzero(now.present))
        age, sex = (records.column(name) for name in QIDS)
        cells = {
            name: (int(age.texts[a]), sex.texts[s])
            for name, a, s in zip(named(person), age.codes, sex.codes, strict=True)
        }
        assert cells == month
        assert age.numbers[1:].tolist() == sorted(age.numbers[1:].tolist())
    records, _ = now.records(np.array([NAMES.index("cid")]))
    assert records.column("age").texts[1:] == ("50",)


def test_a_series_goes_on_as_its_files_do():
    """After two files a quarter of four persons leaves each time, and one comes."""
    stream = continued_from(JAN, FEB, releases=5)
    assert [int(now.present.sum()) for now in stream.follow()] == [4] * 5
    assert stream.true_releases == 2


def test_records_of_a_person_are_the_same_in_any_order():
    """Ann's two visits stand the other way round: she changed in nothing. Bea has one more visit."""
    jan = {"ann": [(30, "f"), (31, "f")], "bea": [(40, "f")]}
    feb = {"bea": [(40, "f"), (40, "f")], "ann": [(31, "f"), (30, "f")]}
    (move,) = found_in(jan, feb).moves
    assert named(move.changed) == ["bea"]


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ((JAN, {"zoe": (30, "f")}), "nobody of one file is in the next by the column 'person'"),
        ((JAN, {**FEB, None: (30, "f")}), "1 records have no 'person'"),
        ((JAN, OLD), "the column 'age' holds integer and text"),
    ],
)
def test_files_that_are_no_series(files, sentence):
    """One sentence says which column, and what is wrong with it."""
    with pytest.raises(DataError, match=sentence):
        true_stream([file_of(one) for one in files], "person", QIDS)
