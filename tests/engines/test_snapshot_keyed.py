"""Tests of keyed hashes: persons, classes and columns as numbers that only the key's holder can make."""

import datetime as dt
import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Sequence

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples, holds_a_value
from qidguard.core.spelling import Normalized, Spelling
from qidguard.core.versions import BUCKETS
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.duckdb.snapshot import keyed_classes as module
from qidguard.engines.duckdb.snapshot.keyed_classes import keyed_hash
from qidguard.sdk import DataError, EngineSettings, KeyedClasses, ReadOptions

KEY = b"k" * 32
SETTINGS = EngineSettings(threads=2)
Row = tuple[str | None, ...]


def digits(message: str, key: bytes = KEY) -> str:
    """Return the first 16 bytes of an HMAC as 32 hexadecimal digits."""
    return hmac.digest(key, message.encode(), "sha256")[:16].hex().upper()


def encoded(values: Sequence[str | None]) -> str:
    """Return texts as one text."""
    return "".join("-" if text is None else f"{len(text.encode())}:{text}" for text in values)


def by_hand(
    rows: list[Row], combinations: dict[str, list[int]], entity: int | None
) -> dict[str, dict[str, str]]:
    """Return for each combination person → class, as digits, the way the description says it."""
    persons = []
    seen: Counter[Row] = Counter()
    for row in rows:
        seen[row] += 1
        same = encoded([digits("record:" + encoded(row)), str(seen[row])])
        persons.append(digits("person:" + (same if entity is None else encoded([row[entity]]))))
    found = {}
    for name, columns in combinations.items():
        classes = defaultdict(set)
        for person, row in zip(persons, rows, strict=True):
            classes[person].add(digits(f"class:{len(columns)}:" + encoded([row[i] for i in columns])))
        found[name] = {
            person: next(iter(own)) if len(own) == 1 else digits("classes:" + "".join(sorted(own)))
            for person, own in classes.items()
        }
    return found


def hashed(source: object, combinations: dict[str, list[str]], entity: str | None = None) -> KeyedClasses:
    """Return the keyed classes of a source."""
    with ENGINE.snapshot(source, ReadOptions(), SETTINGS) as taken:
        return taken.keyed_classes(combinations, entity, KEY)


def as_digits(hashes: np.ndarray) -> list[str]:
    """Return hashes as digits."""
    assert (hashes.dtype, hashes.shape[1:]) == (np.uint8, (16,))
    return [bytes(row).hex().upper() for row in hashes]


def told(found: KeyedClasses, name: str) -> dict[str, str]:
    """Return person → class, after a look at the form of the arrays."""
    persons, classes = as_digits(found.persons), as_digits(found.classes[name])
    assert persons == sorted(set(persons))
    assert classes == sorted(set(classes))
    assert found.class_of[name].dtype == np.int64
    assert set(found.class_of[name].tolist()) == set(range(len(classes)))
    return {person: classes[i] for person, i in zip(persons, found.class_of[name], strict=True)}


@given(key=st.binary(min_size=1, max_size=200), text=st.text(max_size=200))
@settings(max_examples=examples(50, fewest=4), deadline=None)
def test_the_sql_is_hmac(key, text):
    """Keys shorter and longer than a block give what Python's hmac gives."""
    made = keyed_hash(key)
    found = duckdb.execute(f"SELECT {made.number('$text')}", {**made.parameters, "text": text}).fetchall()
    assert found[0][0].to_bytes(16, "big") == hmac.digest(key, text.encode(), "sha256")[:16]


def test_the_key_is_not_shown():
    """Neither the padded key nor its representation carries it, and an empty one is refused."""
    assert repr(keyed_hash(b"SECRET")) == "KeyedHash()"
    with pytest.raises(ValueError, match="at least one byte"):
        keyed_hash(b"")


TEXT = st.sampled_from(["a", "b", "", "-", "1:a"])
ROW = st.tuples(st.none() | TEXT, st.none() | TEXT, TEXT).filter(holds_a_value)
ROWS = st.lists(ROW, min_size=1, max_size=10)


@given(rows=ROWS, has_entity=st.booleans())
@settings(max_examples=examples(40, fewest=4), deadline=None)
def test_persons_and_classes_are_those_of_python(rows, has_entity):
    """Every person has the hash and the class that the description gives, several records or one."""
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    table = pa.table(columns, names=["x", "y", "id"])
    combinations = {"one": ["x"], "both": ["y", "x"], "none": []}
    found = hashed(table, combinations, "id" if has_entity else None)
    expected = by_hand(rows, {"one": [0], "both": [1, 0], "none": []}, 2 if has_entity else None)
    assert {name: told(found, name) for name in combinations} == expected


def test_persons_with_many_classes_are_collected_in_slices(monkeypatch):
    """However few pairs are taken in one go, nobody is lost and nobody's class changes."""
    generator = np.random.default_rng(7)
    frame = pd.DataFrame({"q": generator.integers(0, 9, 3_000), "id": generator.integers(0, 900, 3_000)})
    rows = [(str(q), str(i)) for q, i in frame.itertuples(index=False)]
    expected = by_hand(rows, {"q": [0]}, 1)["q"]
    assert told(hashed(frame, {"q": ["q"]}, "id"), "q") == expected
    monkeypatch.setattr(module, "_SLICE", 100)
    assert told(hashed(frame, {"q": ["q"]}, "id"), "q") == expected


@pytest.mark.slow
def test_order_of_records_and_threads_change_nothing():
    """The hashes are of the content alone."""
    frame = pd.DataFrame({"q": np.arange(50_000) % 100, "r": "x"})
    expected = hashed(frame, {"q": ["q"]})
    shuffled = frame.sample(frac=1, random_state=1).reset_index(drop=True)
    with ENGINE.snapshot(shuffled, ReadOptions(), EngineSettings(threads=4)) as taken:
        found = taken.keyed_classes({"q": ["q"]}, None, KEY)
        other = taken.keyed_classes({"q": ["q"]}, None, b"other")
    assert (found.persons == expected.persons).all()
    assert (found.class_of["q"] == expected.class_of["q"]).all()
    assert not set(as_digits(other.persons)) & set(as_digits(found.persons))


def test_records_may_be_followed_by_some_columns():
    """Who has equal content there is told apart by class and by place alone, in whatever order they stand."""
    frame = pd.DataFrame({"x": ["a"] * 4 + ["b"], "q": [1, 2, 2, 1, 3], "note": list("vwxyz")})
    found = []
    for source in (frame, frame.iloc[[4, 3, 2, 1, 0]].reset_index(drop=True), frame.assign(note=None)):
        with ENGINE.snapshot(source, ReadOptions(), SETTINGS) as taken:
            found.append(told(taken.keyed_classes({"q": ["q"]}, None, KEY, followed=["x"]), "q"))
    assert found[0] == found[1] == found[2]
    persons = [
        digits("person:" + encoded([digits("record:" + encoded([x])), str(place)]))
        for x, place in [("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 1)]
    ]
    own = [digits("class:1:" + encoded([q])) for q in ("1", "1", "2", "2")]
    assert [found[0][person] for person in persons] == [*sorted(own), digits("class:1:" + encoded(["3"]))]


def test_equal_records_are_as_many_persons():
    """Three equal records are three persons of one class; one of them less leaves the other two."""
    found = hashed(pd.DataFrame({"q": ["x", "x", "x"]}), {"q": ["q"]})
    assert (len(found.persons), len(found.classes["q"])) == (3, 1)
    fewer = hashed(pd.DataFrame({"q": ["x", "x"]}), {"q": ["q"]})
    assert set(as_digits(fewer.persons)) < set(as_digits(found.persons))


def test_a_class_is_what_a_grouping_takes_as_one():
    """0.0 and -0.0 are one class and one person, and every NaN is; texts stay apart."""
    table = pa.table(
        {
            "x": [0.0, -0.0, float("nan"), -float("nan"), None],
            "t": ["0.0", "-0.0", "nan", "-nan", None],
            "same": 5 * [1],
        }
    )
    found = hashed(table, {"x": ["x"], "t": ["t"]})
    assert (len(found.persons), len(found.classes["x"]), len(found.classes["t"])) == (5, 3, 5)
    assert len(hashed(table.slice(0, 4), {}, "x").persons) == 2


def test_a_person_is_the_same_in_typed_and_in_text_sources(tmp_path):
    """An entity that one release has as a number and another as text is one person."""
    frame = pd.DataFrame({"id": [17, 4], "q": [1, 2]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    assert (hashed(frame, {}, "id").persons == hashed(tmp_path / "x.csv", {}, "id").persons).all()


def test_a_record_without_an_entity_is_an_error():
    """Whom a record is of must be known to follow them."""
    with pytest.raises(DataError, match="2 records have no value in the entity column 'id'"):
        hashed(pd.DataFrame({"id": ["a", None, None], "q": 1}), {"q": ["q"]}, "id")
    with pytest.raises(DataError, match="no column 'nobody'"):
        hashed(pd.DataFrame({"q": [1]}), {"q": ["q"]}, "nobody")


def columns_of(source: object, names: list[str], key: bytes = KEY, **options: str | None):
    """Return the keyed columns of a source."""
    with ENGINE.snapshot(source, ReadOptions(), SETTINGS) as taken:
        return taken.keyed_columns(names, key, **options)


def test_buckets_are_those_of_python():
    """A value's bucket is the first 8 bytes of its HMAC modulo their number; NULL is counted last."""
    values = [None, "", "a", "a", "é", *(str(i) for i in range(3_000))]
    name = 'co"l\n'
    (found,) = columns_of(pa.table({"other": [1] * len(values), name: values}), [name])
    expected = np.zeros(BUCKETS + 1, dtype=np.int64)
    for value in values:
        message = "value:" + encoded([json.dumps(name), value or ""])
        first = int.from_bytes(hmac.digest(KEY, message.encode(), "sha256")[:8], "big")
        expected[BUCKETS if value is None else first % BUCKETS] += 1
    assert (found.name, found.value_type) == (name, "text")
    assert found.buckets.dtype == np.int64
    assert (found.buckets == expected).all()


def test_buckets_of_two_columns_or_keys_cannot_be_compared():
    """The same values in another column, or under another key, lie elsewhere; in another type they do not."""
    frame = pd.DataFrame({"a": range(50), "b": range(50)})
    first, second = columns_of(frame, ["a", "b"])
    assert (first.buckets != second.buckets).any()
    assert (first.buckets != columns_of(frame, ["a"], b"other")[0].buckets).any()
    assert (first.buckets == columns_of(frame.astype(str), ["a"])[0].buckets).all()


@pytest.mark.slow
def test_types_are_those_of_an_audit(tmp_path):
    """A CSV's types are inferred, so that a change of format is no change of type; a mark is no value."""
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    frame = pd.DataFrame({"n": [1, 2], "d": days, "t": ["a", "b"]})
    frame["x"] = [0.5, None]
    frame["e"] = None
    frame.to_csv(tmp_path / "x.csv", index=False)
    typed = columns_of(frame, [*frame])
    texts = columns_of(tmp_path / "x.csv", [*frame])
    assert [c.value_type for c in typed] == ["integer", "date", "text", "number", "empty"]
    assert [c.value_type for c in texts] == [c.value_type for c in typed]
    assert columns_of(frame, []) == ()
    marked = pd.DataFrame({"n": [*map(str, range(2_000)), "*"], "m": "x"})
    marked.to_csv(tmp_path / "marked.csv", index=False)
    kinds = [columns_of(tmp_path / "marked.csv", ["n"], suppression_mark=mark) for mark in (None, "*")]
    assert [found.value_type for (found,) in kinds] == ["text", "integer"]


def test_texts_that_are_declared_one_value_are_one_person():
    """HIV and hiv, with blanks or none; what is declared of no text here, and the mark, change nothing."""
    frame = pd.DataFrame({"q": [1] * 4, "ill": ["HIV", " hiv ", "flu", "*"]})
    plain = frame.assign(ill=["hiv", "hiv", "flu", "*"])
    ways = (Normalized(column="ill", spellings=(Spelling.CASE, Spelling.BLANKS)),)
    found = []
    for source, declared in ((frame, ways), (plain, ways), (plain, ()), (frame, ())):
        with ENGINE.snapshot(source, ReadOptions(), SETTINGS) as taken:
            asked = {"q": ["q"], "ill": ["ill"]}
            classes = taken.keyed_classes(
                asked, None, KEY, followed=["ill", "q"], normalized=declared, mark="*"
            )
            found.append((as_digits(classes.persons), as_digits(classes.classes["ill"])))
    assert found[0] == found[1] == found[2] != found[3]
    assert [len(persons) for persons, _ in found] == [4] * 4
    assert [len(classes) for _, classes in found] == [3, 3, 3, 4]
