"""Values that differ only as they are written, against an oracle in plain Python."""

import random
from itertools import combinations

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.column import ValueType
from qidguard.core.spelling import Spelling
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.engines.duckdb.spelling import _is_plainly_distinct, count_variants, keyed
from spelling_oracle import drawn_texts, one_value

TEXTS = list(dict.fromkeys(drawn_texts(7, 1500)))
WAYS = [ways for n in (1, 2, 5) for ways in combinations(Spelling, n)]


@pytest.fixture(scope="module")
def database():
    """Return a database with the drawn texts, each once."""
    with duckdb.connect() as opened:
        opened.execute("CREATE TABLE texts (value VARCHAR)")
        opened.execute("INSERT INTO texts SELECT unnest(?)", [TEXTS])
        opened.execute(
            "CREATE TABLE numbers AS SELECT CAST(unnest(['1', '2.5', 'nan', NULL]) AS DOUBLE) AS value"
        )
        yield opened


@pytest.mark.parametrize("ways", WAYS, ids="+".join)
def test_two_texts_are_one_value_exactly_when_the_oracle_says_so(database, ways):
    """The keys split the drawn texts into the very same groups, whatever the keys themselves are."""
    rows = database.execute(
        f"SELECT value, key FROM ({keyed('texts', ways, ValueType.TEXT, None)})"
    ).fetchall()
    assert len(rows) == len(TEXTS)
    pairs = {(key, one_value(text, ways)) for text, key in rows}
    assert len({key for key, _ in pairs}) == len({own for _, own in pairs}) == len(pairs) < len(TEXTS)
    if Spelling.MISSING in ways:
        assert (None, None) in pairs


def test_the_counts_are_of_distinct_values_and_by_way(database):
    """What each way merges alone, and all together; NULL is a value; the oracle counts the same."""
    found = count_variants(database, "texts", "d", ValueType.TEXT, None)
    fewer = {way: len(TEXTS) - len({one_value(t, (way,)) for t in TEXTS}) for way in Spelling}
    assert dict(found.by_spelling) == fewer
    assert all(fewer.values())
    assert found.values == len(TEXTS) - len({one_value(t, tuple(Spelling)) for t in TEXTS})


@settings(max_examples=examples(200, fewest=20), deadline=None)
@given(
    st.lists(
        st.text("01.eE+- naN?AI\t\x1f\u00e9", max_size=6) | st.none(), unique=True, min_size=1, max_size=6
    )
)
def test_few_texts_are_called_distinct_only_where_the_statement_finds_no_variant(database, texts):
    """The quick look at a small column takes at least as much as one value as the SQL does."""
    database.execute("CREATE OR REPLACE TABLE few AS SELECT unnest(CAST(? AS VARCHAR[])) AS value", [texts])
    found = count_variants(database, "few", "d", ValueType.TEXT, None)
    assert not (found and _is_plainly_distinct(texts))


def test_plain_words_are_called_distinct_without_a_statement():
    """Words, numbers and one way of missing; not so 1 and 1.0, nor NULL and ?, nor what is no ASCII."""
    assert _is_plainly_distinct(["Private", "State-gov", "17", "1.5", None])
    for alike in (["1", "1.0"], [None, "?"], ["a", "A "], ["1e400", "1e401"], ["caf\u00e9"]):
        assert not _is_plainly_distinct(alike)


def test_long_numbers_are_not_rounded_into_one(database):
    """Two twenty-digit numbers of a person each stay two, although a float takes them as one."""
    select = keyed("texts", (Spelling.NUMBERS,), ValueType.TEXT, None)
    keys = database.execute(f"SELECT key FROM ({select}) WHERE value LIKE '1234567890123456789_'").fetchall()
    assert len(set(keys)) == 2


def test_numbers_are_one_exactly_when_they_are_equal_however_long_and_small(database):
    """Short ones go through DOUBLE and long ones do not; both give a value the same key."""
    chance = random.Random(5)  # noqa: S311 - no secret
    texts = {"0", "-0", "0.0", "-.0", "+0.000000000000000000", "0.001", "0.00100000000000000000", "0.0009990"}
    texts |= {"1" + "0" * 14, "1" + "0" * 15, "1" + "0" * 15 + ".0", "99999999999999.9", "1e-3", "1e15"}
    for _ in range(400):
        digits = "".join(chance.choices("0123456789", k=chance.randrange(1, 20)))
        point = chance.randrange(len(digits) + 1)
        number = chance.choice(["", "-", "+", "00"]) + digits[:point] + "." + digits[point:]
        texts |= {number, number + "0" * chance.randrange(12), number.rstrip("0")}
    texts = {text for text in texts if any(c.isdigit() for c in text)}
    database.execute("CREATE OR REPLACE TABLE decimals AS SELECT unnest(?) AS value", [sorted(texts)])
    found = keyed("decimals", (Spelling.NUMBERS,), ValueType.TEXT, None)
    rows = database.execute(f"SELECT value, key FROM ({found})").fetchall()
    pairs = {(key, one_value(text, (Spelling.NUMBERS,))) for text, key in rows}
    assert len({key for key, _ in pairs}) == len({own for _, own in pairs}) == len(pairs) < len(texts)


def test_powers_beyond_a_double_stay_as_they_are_written(database):
    """Both are infinite as a DOUBLE, and no reader takes them as one."""
    database.execute("CREATE OR REPLACE TABLE huge AS SELECT unnest(['1e400', '2e401']) AS value")
    assert count_variants(database, "huge", "x", ValueType.TEXT, None) is None


def test_words_for_missing_count_in_a_column_of_numbers(database):
    """Each beyond the first is another writing of it, as NULL is; blanks at their edges do not hide them."""
    words = ["1", "2", "NA", "n/a", "null", "-", "", " na   ", None]
    database.execute("CREATE OR REPLACE TABLE few AS SELECT unnest(?) AS value", [words])
    found = count_variants(database, "few", "x", ValueType.TEXT, None)
    assert (found.values, found.by_spelling[-1]) == (6, (Spelling.MISSING, 6))


def test_numbers_of_a_typed_column_differ_as_they_are(database):
    """Of a column of numbers only NaN is another writing, of NULL, where missing is declared."""
    rows = database.execute(keyed("numbers", tuple(Spelling), ValueType.NUMBER, None)).fetchall()
    assert sorted(str(key) for _, key in rows) == ["1.0", "2.5", "None", "None"]
    found = count_variants(database, "numbers", "x", ValueType.NUMBER, None)
    assert (found.values, found.by_spelling) == (1, ((Spelling.MISSING, 1),))


def test_the_suppression_mark_is_one_with_nothing(database):
    """A mark that looks like a missing value is a value of its own all the same."""
    database.execute("CREATE OR REPLACE TABLE marked AS SELECT unnest(['na', 'NA', NULL]) AS value")
    keys = dict(database.execute(keyed("marked", tuple(Spelling), ValueType.TEXT, "NA")).fetchall())
    assert keys == {"na": None, "NA": "NA", None: None}


def test_every_column_is_looked_at_however_many_there_are():
    """Of forty columns of texts two hold a value in two writings; they are told, and no other."""
    names = [f"c{i:02}" for i in range(40)]
    columns = {name: ["hiv", "flu", "cold"] for name in names}
    columns |= {"c03": ["hiv", "HIV", "cold"], "c37": ["hiv", "hiv ", "cold"]}
    needs = Needs(columns=tuple(names))
    with ENGINE.open(pa.table(columns), ReadOptions(), needs, EngineSettings()) as table:
        found = table.variants(tuple(names))
    assert [(one.column, one.values) for one in found] == [("c03", 1), ("c37", 1)]
