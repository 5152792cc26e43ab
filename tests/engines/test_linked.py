"""Several tables of the same persons: what is made of records, and what cannot be linked."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from qidguard import DataError
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.linked import LinkedTables, MadeColumn, OpenedTable

PERSONS = pd.DataFrame({"id": ["a", "b", "c"], "sex": ["f", "m", "f"]})
VISITS = pd.DataFrame(
    {
        "no": [1, 2, 3, 4],
        "person": ["a", "a", "a", "b"],
        "day": ["2024-01-09", "2024-01-01", "2024-01-03", "2024-02-01"],
        "kind": ["x", "y", "y", "x"],
    }
)
WAYS = {
    "count": (None, [3, 1, 0]),
    "distinct": ("kind", [2, 1, 0]),
    "sequence": ("kind", ['["y","y","x"]', '["x"]', "[]"]),
    "distinct_sequence": ("kind", ['["y","x"]', '["x"]', "[]"]),
    "set": ("kind", ['["x","y"]', '["x"]', "[]"]),
    "first": ("kind", ["y", "x", None]),
    "last": ("kind", ["x", "x", None]),
    "intervals": ("day", ["[2,6]", "[]", "[]"]),
    "span": ("day", [8, 0, None]),
}


def tables(persons=PERSONS, visits=VISITS, *, more=(), **fields):
    """Return persons and visits, linked; ``fields`` are of the visits."""
    told = {
        "key": "no",
        "references": {"person": "people"},
        "order": "day",
        "dates": ("day",),
        "decided": tuple(visits.columns),
        **fields,
    }
    return LinkedTables(
        tables=(
            OpenedTable(name="people", source=persons, key="id"),
            OpenedTable(name="visits", source=visits, **told),
            *more,
        ),
        shift_days=30,
    )


def snapshot(source):
    """Return the snapshot of linked tables."""
    return ENGINE.snapshot(source, ReadOptions(), EngineSettings())


@pytest.mark.samples(2)
@pytest.mark.parametrize(("way", "expected"), WAYS.items(), ids=WAYS)
def test_what_is_made_of_the_records_of_each_person(way, expected):
    """Person a has three visits, b one and c none; order is that of the days."""
    column, values = expected
    made = (MadeColumn(name="made", way=way, column=column),)
    with snapshot(tables(made=made)) as copy:
        found = copy.column("made")
        assert copy.names == ("id", "sex", "made")
        assert [found.texts[code] for code in found.codes] == [v if v is None else str(v) for v in values]


def test_lists_that_differ_have_texts_that_differ():
    """A value that holds what stands between values is no other list, and a missing one is told."""
    visits = VISITS.assign(kind=['x","y', "x", "y", None])
    made = (MadeColumn(name="made", way="sequence", column="kind"),)
    with snapshot(tables(visits=visits, made=made)) as copy:
        assert set(copy.column("made").texts[1:]) == {'["x","y","x\\",\\"y"]', "[null]", "[]"}


FAULTS = {
    "key twice": ({"visits": VISITS.assign(no=[1, 1, 2, 3])}, "not unique: 4 records have 3 of it"),
    "key missing": ({"visits": VISITS.assign(no=[1, None, 2, 3])}, "1 records have none"),
    "person twice": ({"persons": PERSONS.assign(id=["a", "a", "b"])}, "Column 'id' of table 'people'"),
    "no column": ({"dates": ("when",)}, "Table 'visits' has no column 'when'"),
    "no date": ({"dates": ("day", "kind")}, "4 of its 4 values are none"),
    "a number": ({"dates": ("day", "no")}, "holds BIGINT"),
    "two readings": ({"visits": VISITS.assign(day=["01/02/2024"] * 4)}, "31/12/2024 and as 12/31/2024"),
    "open end": ({"visits": VISITS.assign(day=["2024-01-01"] * 3 + ["9999-12-31"])}, "end of the calendar"),
    "no order": ({"order": "kind"}, "neither numbers nor dates"),
    "name taken": ({"made": (MadeColumn(name="sex", way="count"),)}, "rename it under per_person"),
}


@pytest.mark.samples(5)
@pytest.mark.parametrize(("fields", "said"), FAULTS.values(), ids=FAULTS)
def test_tables_that_do_not_fit_are_said_without_a_value(fields, said):
    """Keys, dates and order are checked before anything is judged."""
    with pytest.raises(DataError, match=said):
        snapshot(tables(**fields))


@pytest.mark.parametrize(("drops", "doubts"), [(False, 2), (True, 0)])
def test_records_that_refer_to_nobody_are_a_doubt_or_left_out(drops, doubts):
    """Visit 4 is of nobody, and so are the two remarks on it."""
    visits, remarks = VISITS.assign(person=["a", "a", "b", "z"]), pd.DataFrame({"visit": [4, 4, 1]})
    how = {"references": {"visit": "visits"}, "decided": ("visit",), "drops_orphans": drops}
    on_visits = OpenedTable(name="remarks", source=remarks, **how)
    with snapshot(tables(visits=visits, more=(on_visits,), drops_orphans=drops)) as copy:
        first, second = copy.linked.children
        assert (len(copy.linked.doubts), first.orphans, second.orphans) == (doubts, 1, 2)
        assert (first.records.records, second.persons.tolist()) == (3, [0])


def test_references_that_lead_to_different_persons_are_a_doubt():
    """The remark is of b's visit and says that it is of a; a column that nobody decided on is named."""
    how = {"references": {"person": "people", "visit": "visits"}, "decided": ("visit", "person")}
    both = OpenedTable(name="remarks", source=pd.DataFrame({"visit": [4], "person": ["a"]}), **how)
    said = "Table 'remarks' has 1 records whose references lead to different persons; mend them."
    with snapshot(tables(more=(both,))) as copy:
        assert copy.linked.doubts == (said,)
    with snapshot(tables(decided=("no", "person", "day"))) as copy:
        said = "Table 'visits' has the column 'kind', on which nobody decided"
        assert copy.linked.doubts[0].startswith(said)


WRITTEN = {
    "day": ("2024-12-31", "{:%Y-%m-%d}"),
    "time": ("2024-12-31 23:59", "{:%Y-%m-%d} 23:59"),
    "zone": ("2024-12-31T23:59:01.5+02:00", "{:%Y-%m-%d}T23:59:01.5+02:00"),
    "slashes": ("2024/12/31", "{:%Y/%m/%d}"),
    "compact": ("20241231", "{:%Y%m%d}"),
    "dots": ("31.12.2024", "{:%d.%m.%Y}"),
    "day first": ("31/12/2024", "{:%d/%m/%Y}"),
    "month first": ("12/31/2024", "{:%m/%d/%Y}"),
    "typed": (dt.date(2024, 12, 31), "{:%Y-%m-%d}"),
    "moment": (pd.Timestamp("2024-12-31 23:59:01.123456"), "{:%Y-%m-%d} 23:59:01.123456"),
    "instant": (pd.Timestamp("2024-12-31 23:59:01+00:00"), "{:%Y-%m-%d} 23:59:01"),
}


@pytest.mark.samples(1)
@pytest.mark.parametrize(("value", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_a_date_moves_by_whole_days_and_keeps_its_form(value, expected):
    """The time of day and all that follows the date are as they were; nobody stays where they were."""
    visits = VISITS.assign(day=pd.Series([value] * 4))
    with snapshot(tables(visits=visits, order=None)) as copy, copy.linked.published(copy, ()) as made:
        found = made[1].records.column("day")
        texts = {found.texts[code] for code in found.codes}
    moved = [dt.date(2024, 12, 31) + dt.timedelta(days) for days in range(-30, 31) if days != 0]
    assert texts <= {expected.format(day) for day in moved}


def test_pseudonyms_join_and_tell_nothing_in_another_copy():
    """They are the same in all tables of a copy, one for each key, and others in the next."""
    made = []
    for _ in range(2):
        with snapshot(tables()) as copy, copy.linked.published(copy, ("sex",)) as published:
            persons, visits = (table.records for table in published)
            made.append(set(persons.column("id").texts[1:]))
            assert persons.column("sex").texts == (None, "f", "m")
            assert set(visits.column("person").texts[1:]) < made[-1]
            assert len(visits.column("no").texts) == 5
            assert all(len(text) == 32 for text in made[-1])
    assert not made[0] & made[1]


def test_records_of_persons_who_are_left_out_leave_with_them():
    """Without a the only visit is that of b; person c has none, so there is no file of visits for c alone."""
    with snapshot(tables()) as copy:
        mask = np.array([False, True, True])
        with copy.keep(mask) as kept, copy.linked.published(kept, ("sex",)) as made:
            assert [table.records.records for table in made] == [2, 1]
        said = "Table 'visits' has no record of a person who is kept"
        with copy.keep(np.array([False, False, True])) as kept, pytest.raises(DataError, match=said):
            copy.linked.published(kept, ("sex",)).__enter__()


HOSTILE = ['a"b', "select", "ä c", "x.y", "'; DROP TABLE linked_0; --", "person", "position", "c0"]


def test_names_of_columns_are_no_sql():
    """Quotes, keywords, blanks and our own names are names like others."""
    row = {name: ["1"] for name in HOSTILE}
    visits = pd.DataFrame(
        {"no": [1], "person": ["a"], **{name: ["1"] for name in HOSTILE if name != "person"}}
    )
    names = [name for name in HOSTILE if name != "person"]
    made = tuple(MadeColumn(name=f"{n} set", way="set", column=n) for n in names)
    source = tables(
        pd.DataFrame({"id": ["a"], **row, "person": ["1"]})[["id", *HOSTILE]],
        visits,
        made=made,
        order=None,
        dates=(),
    )
    with snapshot(source) as copy, copy.linked.published(copy, HOSTILE) as published:
        assert copy.names == ("id", *HOSTILE, *(f"{n} set" for n in names))
        assert published[1].columns == ("no", "person", *names)
        assert published[1].records.column(HOSTILE[0]).texts == (None, "1")
