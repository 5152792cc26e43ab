"""Class sizes of single columns: held against counting, however the table was opened."""

from collections import Counter, defaultdict

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.class_sizes import Preprocessing
from qidguard.core.spelling import Normalized, Spelling
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import class_sizes as of_columns
from qidguard.engines.duckdb import described
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.sdk import DataError, UserError

FRAME = pd.DataFrame(
    {
        "who": ["a", "a", "b", "c", "c", None, None, "d"],
        "town": ["Ulm", "ulm", "Ulm", " Ulm", "?", None, "Bonn", "Ulm"],
        "amount": [1.04, 1.0, -0.3, 0.2, 7.0, None, 1.0, 6.96],
        "count": [12, 14, 21, 29, 30, 14, 14, 151],
    }
)


def oracle(keys, persons=None):
    """Count the classes of a list of keys, and the persons by their smallest class."""
    members = defaultdict(set)
    for place, key in enumerate(keys):
        members[key].add(place if persons is None else persons[place])
    smallest = {}
    for who in members.values():
        for person in who:
            smallest[person] = min(smallest.get(person, len(who)), len(who))
    classes, found = Counter(map(len, members.values())), Counter(smallest.values())
    sizes = tuple(sorted(classes))
    return sizes, tuple(classes[s] for s in sizes), tuple(found[s] for s in sizes)


def sizes(needs, *names, preprocessing=None, frame=FRAME):
    """Return sizes, classes and persons of each column."""
    with ENGINE.open(frame, ReadOptions(), needs, EngineSettings(threads=1)) as table:
        found = table.column_class_sizes(names, preprocessing or Preprocessing())
    assert [one.column for one in found] == list(names)
    return [(one.sizes, one.classes, one.persons) for one in found]


OPENED = [Needs(), Needs(columns=()), Needs(columns=("town", "who")), Needs(columns=("count", "amount"))]


@pytest.mark.parametrize("needs", OPENED, ids=lambda n: str(n.columns))
def test_records_are_counted_however_the_table_was_opened(needs):
    """NULL is a value; the towns are Ulm three times and five values once."""
    assert sizes(needs, "town", "count") == [((1, 3), (5, 1), (5, 3)), ((1, 3), (5, 1), (5, 3))]


@pytest.mark.parametrize("needs", [Needs(entity="who"), Needs(entity="who", columns=("town", "count"))])
def test_an_entity_counts_once_by_its_smallest_class(needs):
    """Persons a, b, c, d and nobody: Ulm has a, b and d, yet a is alone as ulm."""
    assert sizes(needs, "town") == [oracle(FRAME.town.fillna("-"), FRAME.who.fillna("-"))]
    assert sizes(needs, "town") == [((1, 3), (5, 1), (3, 2))]


SPELLED = Preprocessing(spellings=(Spelling.CASE, Spelling.BLANKS))
MISSING = Preprocessing(spellings=(Spelling.MISSING,))


@pytest.mark.samples(2)
@pytest.mark.parametrize("needs", OPENED, ids=lambda n: str(n.columns))
def test_spellings_are_taken_as_one_where_that_is_asked(needs):
    """Five ways to write Ulm are one class then; ? is NULL once that is said."""
    [found] = sizes(needs, "town", preprocessing=SPELLED)
    assert found == ((1, 5), (3, 1), (3, 5))
    [found] = sizes(needs, "town", preprocessing=MISSING)
    assert found == ((1, 2, 3), (3, 1, 1), (3, 2, 3))


@pytest.mark.samples(1)
@pytest.mark.parametrize("entity", [None, "who"])
@pytest.mark.parametrize("columns", [None, ("town", "amount", "count")])
def test_numbers_are_rounded_where_that_is_asked(tmp_path, entity, columns):
    """To whole numbers 1.04 is 1, −.3 and .2 are both 0, and 6.96 is 7; counts to tens, half up."""
    needs = Needs(entity=entity, columns=columns)
    persons = None if entity is None else FRAME.who.fillna("-")
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    whole, tens = [1, 1, 0, 0, 7, None, 1, 7], [10, 10, 20, 30, 30, 10, 10, 150]
    for name, decimals, keys in (("amount", 0, whole), ("count", -1, tens), ("count", 2, FRAME["count"])):
        for source in (FRAME, tmp_path / "t.csv"):
            found = sizes(needs, name, preprocessing=Preprocessing(decimals=decimals), frame=source)
            assert found == [oracle(keys, persons)]


@pytest.mark.samples(2)
@pytest.mark.parametrize("columns", [None, ("town",)])
@pytest.mark.parametrize("entity", [None, "who"])
def test_a_declared_normalization_holds_here_too(columns, entity):
    """What the policy takes as one value is one class, coded or not."""
    normalized = (Normalized(column="town", spellings=SPELLED.spellings),)
    keys = ["u", "u", "u", "u", "?", None, "b", "u"]
    persons = None if entity is None else FRAME.who.fillna("-")
    needs = Needs(columns=columns, normalized=normalized, entity=entity)
    assert sizes(needs, "town") == [oracle(keys, persons)]
    keys[4] = None
    assert sizes(needs, "town", preprocessing=MISSING) == [oracle(keys, persons)]


KEPT = ((1, 2, 3), (3, 1, 1), (3, 2, 3))


@pytest.mark.parametrize(
    ("needs", "name", "preprocessing", "said"),
    [
        (Needs(), "city", None, "no column 'city'"),
        (Needs(), "town", Preprocessing(decimals=0), "'town' holds text values, and only numbers can be"),
        (Needs(columns=("who",)), "town", MISSING, "'town' was not kept"),
        (Needs(columns=("amount",), entity="who"), "town", None, "'town' was not kept"),
    ],
)
def test_what_cannot_be_counted_is_a_sentence(monkeypatch, needs, name, preprocessing, said):
    """An unknown column, text to be rounded, and values that were not kept; none of them names a value."""
    monkeypatch.setattr(described, "MOST_KEPT", 3)
    monkeypatch.setattr(of_columns, "MOST_KEPT", 3)
    with pytest.raises(DataError, match=said):
        sizes(needs, name, preprocessing=preprocessing)
    assert sizes(Needs(), "town", preprocessing=MISSING) == [KEPT]
    for planned in (None, (), ("who",)):
        assert sizes(Needs(columns=planned), "town") == [((1, 3), (5, 1), (5, 3))]


@pytest.mark.parametrize(
    "wrong", [{"spellings": ("loud",)}, {"decimals": 19}, {"decimals": 1.5}, {"decimals": True}]
)
def test_a_preparation_that_does_not_exist_is_refused(wrong):
    """An unknown way of writing, and places that nothing can be rounded to."""
    with pytest.raises(UserError, match=r"values may be taken as one by|decimals must be a whole number"):
        Preprocessing(**wrong)
    assert Preprocessing(spellings=("case",)).spellings == (Spelling.CASE,)


@pytest.mark.parametrize("places", [-18, 18])
def test_the_largest_and_smallest_numbers_can_be_rounded(places):
    """Nothing overflows: 18 places of 1e300, and 10^18 of the largest whole number."""
    frame = pd.DataFrame({"a": [1e300, 1e-300, -1e300], "b": [2**63 - 1, -(2**63), 0]})
    found = sizes(Needs(), "a", "b", preprocessing=Preprocessing(decimals=places), frame=frame)
    assert [(sum(classes), sum(persons)) for _, classes, persons in found] == [(3, 3), (3, 3)]


def test_a_parquet_file_is_read_in_place_where_only_facts_are_wanted(tmp_path):
    """Facts, sizes and the number of records are those of a table that was copied."""
    path = tmp_path / "t.parquet"
    FRAME.to_parquet(path)
    with (
        ENGINE.open(path, ReadOptions(), Needs(columns=()), EngineSettings(threads=1)) as facts_only,
        ENGINE.open(path, ReadOptions(), Needs(), EngineSettings(threads=1)) as whole,
    ):
        assert facts_only.columns == whole.columns
        assert facts_only.records == whole.records == 8
        assert facts_only.column_class_sizes(list(FRAME)) == whole.column_class_sizes(list(FRAME))
        with pytest.raises(DataError, match="was not kept"):
            facts_only.class_sizes(("town",))


@settings(max_examples=examples(40, fewest=4))
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("xyz"), st.sampled_from([1.0, 1.2, 2.5, None]), st.sampled_from("pqr")),
        min_size=1,
        max_size=9,
    ),
    columns=st.sampled_from([None, ("a", "b")]),
    entity=st.sampled_from([None, "w"]),
)
def test_random_tables_agree_with_counting(rows, columns, entity):
    """With persons and without, coded and not."""
    frame = pd.DataFrame(rows, columns=["a", "b", "w"])
    persons = None if entity is None else frame.w
    needs = Needs(columns=columns, entity=entity)
    with ENGINE.open(frame, ReadOptions(), needs, EngineSettings(threads=1)) as table:
        as_read = table.column_class_sizes(["a", "b"])
        assert [(one.sizes, one.classes, one.persons) for one in as_read] == [
            oracle(frame.a, persons),
            oracle([b for _, b, _ in rows], persons),
        ]
        if frame.b.notna().any():
            [one] = table.column_class_sizes(["b"], Preprocessing(decimals=0))
            whole = [None if b is None else float(round(b + 1e-9)) for _, b, _ in rows]
            assert (one.sizes, one.classes, one.persons) == oracle(whole, persons)
