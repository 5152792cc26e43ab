"""Tests of the search for columns that undo: who counts, what is generalized, what cannot be measured."""

from dataclasses import replace

import numpy as np
import pytest

from qidguard.auditing.read_back import candidates, read_back
from qidguard.sdk import LeakTask
from qidguard_checks.undoing.reading import Scale
from qidguard_checks.undoing.tables import SAMPLED, Tables, Target
from qidguard_checks.undoing.told import is_beyond_chance
from undone import changed, coded, decades, find_leaks

AGES = np.arange(400) % 40 + 20
COLUMNS = {"age": AGES, "copy": AGES, "other": np.arange(400) % 7}
NAMES = tuple(COLUMNS)
FINER = {"age": AGES, "code": AGES * 10 + np.arange(400) // 40 % 5, "other": np.arange(400) % 7}


def found_in(changes, *, qid="age", **more):
    """Return what undoes a QID, where every column is published."""
    return find_leaks(changes, qids=[qid], published=changes.before.names, **more)


def test_a_copy_is_known_and_joins():
    """Whoever knows the age knows its second copy: by it the decade falls apart."""
    changes = changed(COLUMNS, age=decades(AGES))
    [leak] = found_in(changes)
    assert (leak.columns, leak.told, leak.is_undone, leak.is_known) == (("copy",), 1, True, True)
    assert (leak.persons, leak.generalized, leak.precision) == (400, 400, 1)
    read = read_back(changes, [leak])["age"]
    assert len(read.values) == 40
    assert {read.values[code][:3] for code in read.codes[AGES == 25]} == {"20s"}


def test_a_finer_code_tells_and_the_original_is_read_back():
    """Its values are known to nobody, but each stands for one age: the QID's own values stand again."""
    changes = changed(FINER, age=decades(AGES))
    [leak] = found_in(changes)
    assert (leak.columns, leak.told, leak.is_known) == (("code",), 1, False)
    read = read_back(changes, [leak])["age"]
    assert [read.values[code] for code in read.codes] == AGES.astype(str).tolist()
    known = leak.known.copy()
    known[0] = False
    read = read_back(changes, [replace(leak, known=known)])["age"]
    assert [read.values[code] for code in read.codes[:2]] == ["20s", "21"]
    assert read_back(changes, [replace(leak, is_undone=False)]) == {}


@pytest.mark.parametrize("mark", ["*", "", "redacted"])
def test_suppressed_cells_are_generalized(mark):
    """NULL, an asterisk and a mark hide a value, which a copy tells."""
    is_suppressed = np.arange(400) % 3 == 0
    published = np.where(is_suppressed, mark, AGES.astype(str)).astype(object)
    published[published == ""] = None
    [leak] = found_in(changed(COLUMNS, age=published))
    assert (leak.columns, leak.generalized, leak.persons) == (("copy",), 134, 134)


NOTHING = {name: np.array([], dtype="i8") for name in COLUMNS}


@pytest.mark.parametrize(
    ("columns", "published"),
    [
        (COLUMNS, {}),
        (NOTHING, {}),
        (COLUMNS, {"age": AGES.astype(float)}),
        (COLUMNS, {"age": np.char.add("a", AGES.astype(str))}),
    ],
    ids=["unchanged", "empty", "20 and 20.0", "other names"],
)
def test_what_was_not_generalized_has_nothing_to_undo(columns, published):
    """Numbers written otherwise, and other names one for one, hide nothing."""
    found = found_in(changed(columns, **published), persons=np.arange(len(columns["age"])))
    assert (found.found, found.unexamined) == ((), ())


def test_one_value_for_all_is_no_value_that_is_told():
    """Where one value is published for both, to guess the other one, which alone was changed, is no gain."""
    generator = np.random.default_rng(4)
    columns = {"flag": generator.integers(0, 2, 3000), "number": generator.permutation(3000)}
    columns |= {"amount": generator.normal(size=3000), "few": generator.integers(0, 40, 3000)}
    changes = changed(columns, flag=np.zeros(3000, dtype="i8"))
    assert found_in(changes, qid="flag").found == ()
    copied = changed(columns | {"copy": columns["flag"]}, flag=np.zeros(3000, dtype="i8"))
    [leak] = found_in(copied, qid="flag")
    assert (leak.columns, leak.told, leak.is_undone) == (("copy",), 1, True)


def test_what_the_class_tells_already_is_no_gain():
    """Of ten classes each of one value a guess of that value would hardly be wrong without any column."""
    values, classes = np.repeat(np.arange(10) % 2, 50), np.repeat(np.arange(10), 50)
    target = Target(
        original=Scale(column=coded(values, "q")),
        values=values,
        published=np.zeros(500, dtype=np.int64),
        classes=classes,
        is_open=np.ones(500, dtype=bool),
        is_changed=np.ones(500, dtype=bool),
        places=np.arange(500),
    )
    at = np.arange(500)
    assert target.unguessed(at, values).sum() == pytest.approx(500 * (1 - (49 + 0.5) / 50))
    assert target.unguessed(at, 1 - values).sum() == pytest.approx(500 * 0.5, rel=0.01)


def test_what_stands_inside_a_few_values_is_found():
    """A twentieth of the JSON documents says the age, the others say none."""
    generator = np.random.default_rng(5)
    ages = generator.integers(20, 60, 4000)
    says = np.where(generator.random(4000) < 0.05, ages.astype(str), "none")
    note = np.array([f'{{"id": {at}, "detail": "{said}"}}' for at, said in enumerate(says)])
    changes = changed({"age": ages, "note": note}, age=["*"] * 4000)
    found = found_in(changes, most_notes=None)
    assert max(leak.persons for leak in found if leak.part == "field detail") > 150


def test_few_cells_of_many_are_in_the_sample():
    """Of 60,000 records 300 are suppressed, of which a sample would hold fifty: what tells them is found."""
    generator = np.random.default_rng(6)
    ages = generator.integers(20, 60, 60_000)
    code = ages * 5 + generator.integers(0, 5, 60_000)
    published = np.where(np.arange(60_000) % 200 == 0, "*", ages.astype(str))
    changes = changed({"age": ages, "code": code}, age=published)
    tables = Tables(LeakTask(changes=changes, qids=("age",), published=("age", "code")))
    assert tables.target("age", SAMPLED).hidden == 300
    [leak] = found_in(changes)
    assert (leak.columns, leak.persons >= 299) == (("code",), True)


@pytest.mark.parametrize("nothing", [None, "*", "?"])
def test_whoever_has_no_hint_may_be_who_has_one(nothing):
    """A fifth has a hint of the age: of each age four, and whoever has none, are possible."""
    ages = np.arange(400) % 20 + 20
    hint = np.where(np.arange(400) < 80, np.char.add("h", ages.astype(str)), "").astype(object)
    hint[hint == ""] = nothing
    changes = changed({"age": ages, "hint": hint, "other": np.arange(400) % 7}, age=["*"] * 400)
    [leak] = found_in(changes)
    assert (leak.is_known, leak.is_undone, leak.persons) == (True, False, 80)
    left = candidates(changes, [leak], qids=["age"], least=400)
    assert (left.fewest, left.below) == (324, 400)


@pytest.mark.parametrize(
    ("wrong", "expected", "tries", "is_beyond"),
    [(0, 14, 1, True), (0, 14, 2, False), (0, 20, 400, True), (0, 13, 1, False), (3, 14, 1, False)],
)
def test_chance_is_asked_of_all_that_was_tried(wrong, expected, tries, is_beyond):
    """e^-14 is below a millionth, twice as much is not; three wrong of fourteen are no rule."""
    assert is_beyond_chance(wrong, expected, tries) is is_beyond


def test_persons_count_once():
    """Of persons with ten records each their own number tells nothing; of records it would."""
    age = np.repeat(np.random.default_rng(3).integers(18, 90, 500), 10)
    number = np.repeat(np.arange(500), 10)
    changes = changed({"age": age, "number": number, "row": np.arange(5000)}, age=decades(age))
    assert found_in(changes, persons=number).found == ()
    assert {leak.columns for leak in found_in(changes)} == {("number",), ("row",)}


def test_persons_share_rows_in_a_narrow_table():
    """Where two columns are all, equal rows are different persons, and other names tell the values."""
    age = np.random.default_rng(5).integers(18, 90, 5000)
    columns = {"age": age, "code": np.random.default_rng(6).permutation(100)[age]}
    [leak] = found_in(changed(columns, age=decades(age)))
    assert (leak.columns, leak.told, leak.persons) == (("code",), 1, 5000)


@pytest.mark.parametrize("columns", [COLUMNS, FINER], ids=["known", "told"])
def test_persons_are_counted_and_not_records(columns):
    """Of several records a person the person is told."""
    people = np.repeat(np.arange(400), 3)
    drawn = {name: values[people] for name, values in columns.items()}
    changes = changed(drawn, age=decades(AGES[people]))
    [leak] = found_in(changes, persons=people)
    assert (leak.persons, leak.generalized) == (400, 400)
    assert leak.known.sum() == 1200


def test_records_that_are_not_published_do_not_count():
    """What is told is told of the records that were kept, in their order."""
    kept = np.arange(400) % 2 == 0
    changes = changed(FINER, kept=kept, age=decades(AGES[kept]))
    [leak] = found_in(changes)
    assert (leak.persons, len(leak.known)) == (200, 200)
    read = read_back(changes, [leak])["age"]
    assert [read.values[code] for code in read.codes] == AGES[kept].astype(str).tolist()


def test_too_few_persons_are_said_not_to_be_measured():
    """Of 27 generalized persons nobody can say what tells; what is known is known of them, too."""
    published = np.where(np.arange(400) < 27, "*", AGES.astype(str))
    found = found_in(changed(COLUMNS, age=published))
    assert [(leak.columns, leak.persons) for leak in found] == [(("copy",), 27)]
    [said] = found.unexamined
    reason = "fewer than 28 persons were generalized, too few to tell from chance"
    assert (said.qid, said.reason) == ("age", reason)


def test_records_that_cannot_be_matched_are_said_not_to_be_measured():
    """Where nobody knows which record became which, nothing is found and that is said."""
    found = found_in(replace(changed(COLUMNS, age=decades(AGES)), kept=None))
    assert (found.found, [said.qid for said in found.unexamined]) == ((), ["age"])


def test_columns_left_out_of_pairs_are_said(monkeypatch):
    """Of five columns pairs of three are tried, and numbers of four are reckoned; the others are named."""
    generator = np.random.default_rng(2)
    columns = {"age": AGES} | {f"x{i}": generator.integers(0, 9 + i, 400) for i in range(5)}
    changes = changed(columns, age=decades(AGES))
    assert found_in(changes).unexamined == ()
    monkeypatch.setattr("qidguard_checks.undoing.told.MOST_COLUMNS", 3)
    monkeypatch.setattr("qidguard_checks.undoing.searched.MOST_NUMBERS", 4)
    said = {(left.columns, left.reason) for left in found_in(changes).unexamined}
    assert said == {
        (("x0", "x1"), "together with another column was not tried: only pairs of 3 columns are"),
        (("x0",), "as a number reckoned with another column was not tried: only pairs of 4 columns are"),
    }


def hostile(kind, records, generator):
    """Return a column that is hard to read."""
    return [
        lambda: np.full(records, None, dtype=object),
        lambda: np.zeros(records, dtype="i8"),
        lambda: generator.normal(0, 1e300, records),
        lambda: generator.random(records) * 1e-300,
        lambda: generator.integers(-(2**62), 2**62, records),
        lambda: generator.integers(-700_000, 700_000, records).astype("M8[D]"),
        lambda: np.array(["?", "*", "x", "NA"])[generator.integers(0, 4, records)],
        lambda: np.array([f'{{"a": {at}, "b": [{at % 3}]}}' for at in range(records)]),
        lambda: np.array([" " * many for many in generator.integers(1, 5, records).tolist()]),
        lambda: generator.permutation(records),
    ][kind]()


@pytest.mark.parametrize("records", [1, 5, 40, 300])
@pytest.mark.parametrize("seed", range(8))
def test_whatever_a_table_holds_it_is_searched(seed, records):
    """Nothing is raised and no number is too large, and what is found can be read back and counted."""
    generator = np.random.default_rng(seed)
    columns = {f"c{at}": hostile(int(generator.integers(0, 10)), records, generator) for at in range(7)}
    published = {"c0": np.full(records, "*"), "c1": np.array([str(value)[:1] for value in columns["c1"]])}
    persons = None if seed % 2 else generator.integers(0, max(1, records // 2), records)
    changes = changed(columns, **published)
    found = find_leaks(
        changes, qids=["c0", "c1", "c2"], published=tuple(columns), persons=persons, most_notes=None
    )
    assert {leak.qid for leak in found} <= {"c0", "c1", "c2"}
    assert all(len(column.codes) == records for column in read_back(changes, found).values())
    left = candidates(changes, found, qids=["c0", "c1", "c2"], least=2, persons=persons)
    assert 1 <= left.fewest <= records
