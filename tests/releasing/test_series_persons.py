"""What earlier releases showed of persons, and how long they are here, counted by hand."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.policy.series import Series
from qidguard.releasing.history.earlier import EarlierRelease, followed_over
from qidguard.releasing.history.followed import places_in
from qidguard.releasing.history.keyed_bytes import as_texts
from qidguard.sdk import EngineSettings, KeyedClasses, ReadOptions
from qidguard.trials.stay import RecordStay, stay_of

TODAY = date(2026, 4, 20)
RELEASED = [date(2026, 1, 20), date(2026, 2, 20), date(2026, 3, 20)]


def hash_of(person: int) -> np.ndarray:
    """Return a hash of 16 bytes, some of which end with zeros."""
    return np.frombuffer(person.to_bytes(2, "big") + bytes(14), dtype=np.uint8)


def release_of(classes: dict[int, tuple[int, int]]) -> EarlierRelease:
    """Return a release in which each person is in a class of either combination."""
    persons = sorted(classes)
    rows = np.stack([hash_of(person) for person in persons]) if persons else np.zeros((0, 16), np.uint8)
    kept = KeyedClasses(
        persons=rows,
        classes={name: np.stack([hash_of(one) for one in range(9)]) for name in ("default", "other")},
        class_of={
            name: np.array([classes[person][at] for person in persons], dtype=np.int64)
            for at, name in enumerate(("default", "other"))
        },
    )
    qids = {"default": ("age",), "other": ("sex",)}
    return EarlierRelease(release_id="r", load=lambda: kept, qids=qids, columns=())


RELEASES = st.lists(
    st.dictionaries(st.integers(1, 12), st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=12),
    max_size=4,
)


@given(shown=RELEASES, combinations=st.sampled_from([("age",), ("sex",), ("age", "sex")]))
@settings(max_examples=examples(60), deadline=None)
def test_a_trajectory_is_the_classes_in_all_releases(shown, combinations):
    """Two persons share one if and only if they stood in the same class of each, absence being a class."""
    found = followed_over([release_of(one) for one in shown], [(qid,) for qid in combinations])
    places = [("age", "sex").index(qid) for qid in combinations]
    everybody = sorted({person for one in shown for person in one})
    known = [
        tuple(tuple(one[person][at] for at in places) if person in one else None for one in shown)
        for person in everybody
    ]
    assert [
        int.from_bytes(person.ljust(16, b"\0")[:2], "big") for person in found.persons.tolist()
    ] == everybody
    for i, mine in enumerate(known):
        assert [found.joint[i] == found.joint[j] for j in range(len(known))] == [mine == one for one in known]
    assert found.is_in_last.tolist() == [person in shown[-1] for person in everybody]
    asked = as_texts(np.stack([hash_of(person) for person in (*everybody, 99)]))
    assert places_in(found.persons, asked).tolist() == [*range(len(everybody)), -1]


def stay(columns: dict[str, list[Any]], persons: list[int] | None = None, **series: str) -> RecordStay:
    """Return the stay of one record a person, or of the persons named."""
    named = series or {name: name for name in columns}
    count = len(next(iter(columns.values())))
    numbers = np.array(persons if persons is not None else range(count))
    with ENGINE.snapshot(pd.DataFrame(columns), ReadOptions(), EngineSettings(threads=1)) as snapshot:
        return stay_of(snapshot, Series(**named), numbers, RELEASED, TODAY)


def test_who_left_is_gone_since_the_first_release_without_them():
    """The fourth release follows those of January to March; on the day of a release one has left already."""
    found = stay({"left_on": [None, "2026-04-01", "2026-03-20", "2026-01-05", "2026-04-20"]})
    assert found.gone.tolist() == [0, 1, 2, 4, 1]
    assert found.faults == ()
    assert found.waited.tolist() == found.exit_wave.tolist() == [-1] * 5


def test_who_came_waits_since_the_first_release_that_could_have_shown_them():
    """Of several records of a person the first day counts; where nobody says, it is unknown."""
    found = stay({"came_on": ["2026-04-01", "2026-03-01", "2026-01-20", None]})
    assert found.waited.tolist() == [0, 1, 3, -1]
    assert stay({"came_on": ["2026-04-01", "2026-02-01", None]}, [0, 0, 1]).waited.tolist() == [2, 2, -1]


def test_exits_are_counted_in_calendar_months():
    """This month is 0, and so is one that is over; days and months may be written."""
    found = stay({"exit_on": ["2026-04", "2026-05-01", "2027-01", None, "2025-12-31"]})
    assert found.exit_wave.tolist() == [0, 1, 9, -1, 0]


@pytest.mark.samples(3)
@pytest.mark.parametrize(("columns", "persons", "said"), [
    ({"left_on": ["soon", None]}, None, "has 1 values that are not a day; write for example 2026-05-31."),
    ({"left_on": ["2026-03", None]}, None, "has 1 values that are not a day"),
    ({"left_on": ["01/02/2026", None]}, None, "can be read in two ways; write days as 2026-05-31."),
    ({"exit_on": ["2026", None]}, None, "has 1 values that are not a day or a month"),
    ({"left_on": ["2026-04-21", None]}, None, "1 records have a day after 2026-04-20 in 'left_on'"),
    ({"left_on": ["2026-02-01", "2026-02-03"]}, [0, 0], "1 persons have records with different days"),
    ({"left_on": ["2026-02-01", None]}, [0, 0], "or records with a day and new ones without"),
])  # fmt: skip
def test_what_cannot_be_read_without_guessing_is_one_sentence(columns, persons, said):
    """No value is told."""
    [fault] = stay(columns, persons).faults
    assert said in fault
    assert "soon" not in fault


@pytest.mark.parametrize("dtype", ["datetime64[ns]", "datetime64[s]"])
def test_a_typed_column_is_read_as_its_days(dtype):
    """A moment counts as its day."""
    days = pd.Series(["2026-04-01 23:59", None]).astype(dtype)
    assert stay({"left_on": days}).gone.tolist() == [1, 0]


def test_a_table_without_leavers_has_none():
    """A column in which nothing is written is of nobody who left."""
    assert stay({"left_on": [None, None]}).gone.tolist() == [0, 0]
