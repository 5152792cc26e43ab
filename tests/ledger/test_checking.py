"""The check finds whatever was changed behind the ledger's back, and names it."""

import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.ledger import open_ledger
from qidguard.ledger.row import COLUMNS, NO_HASH, Row, seal

pytestmark = pytest.mark.slow

LISTED = ", ".join(COLUMNS)


@pytest.fixture
def ledger(url, new, raw):
    """Return a ledger of three entries, two of them with an attachment, whose triggers an owner took away."""
    with open_ledger(url) as opened:
        opened.append(new("aa"), attachments=[b"x"])
        opened.append(new("bb"))
        opened.append(new("cc"), attachments=[b"x", b"y"])
        assert opened.check() == ()
        raw.drop_triggers()
        yield opened


def faults(ledger):
    """Return what the check finds beside the triggers that the fixture took away."""
    gone, *others = ledger.check()
    assert gone.startswith("the triggers that refuse changes are gone")
    return others


def rows(raw):
    """Return all rows as they are stored."""
    return [
        Row(**dict(zip(COLUMNS, found, strict=True)))
        for found in raw.execute(f"SELECT {LISTED} FROM entry ORDER BY sequence")
    ]


def insert(raw, row):
    """Write a row."""
    marks = ", ".join("?" * len(COLUMNS))
    raw.execute(f"INSERT INTO entry ({LISTED}) VALUES ({marks})", *(getattr(row, name) for name in COLUMNS))


@pytest.mark.parametrize("column", [name for name in COLUMNS if name != "sequence"])
@pytest.mark.parametrize("sequence", [1, 2, 3])
def test_a_changed_text_is_found(ledger, raw, column, sequence):
    """One character at the end of any column of any entry."""
    [(value,)] = raw.execute(f"SELECT {column} FROM entry WHERE sequence = ?", sequence)
    changed = value[:-1] + ("1" if value[-1] != "1" else "2")
    raw.execute(f"UPDATE entry SET {column} = ? WHERE sequence = ?", changed, sequence)
    assert f"entry {sequence} was changed: its hash is not that of its content" in faults(ledger)


CHANGED = "entry {} was changed: its hash is not that of its content"
HEAD = "the head of the chain says entry {} and is not that of {}"
MOVE = "UPDATE entry SET sequence = {1} WHERE sequence = {0}"
BEGINNING = "entry 1 does not follow the beginning: its previous hash is another"


@pytest.mark.parametrize(("statements", "expected"), [
    (["CREATE TABLE further (a INTEGER)"], set()),
    ([MOVE.format(1, 0)], {"entry 1 is missing", CHANGED.format(0)}),
    ([MOVE.format(1, -5)], {"entry -5 stands before the first", CHANGED.format(-5)}),
    ([MOVE.format(2, 12)], {"entry 2 is missing", CHANGED.format(12)}),
    ([MOVE.format(3, 4)], {"entry 3 is missing", CHANGED.format(4)}),
    ([MOVE.format(3, 7)], {"entries 3 to 6 are missing", CHANGED.format(7)}),
    ([MOVE.format(1, 9), MOVE.format(2, 1), MOVE.format(9, 2)],
        {CHANGED.format(1), CHANGED.format(2), BEGINNING}),
    (["DELETE FROM entry WHERE sequence = 1"], {"entry 1 is missing"}),
    (["DELETE FROM entry WHERE sequence = 2"], {"entry 2 is missing"}),
    (["DELETE FROM entry WHERE sequence = 3"], {HEAD.format(3, "the last entry (2)")}),
    (["DELETE FROM entry"], {HEAD.format(3, "an empty ledger")}),
])  # fmt: skip
def test_moved_and_deleted_entries_are_found(ledger, raw, statements, expected):
    """The gap is named, and the entry that moved too; another's table is no fault, only the triggers are."""
    for statement in statements:
        raw.execute(statement)
    found = faults(ledger)
    assert expected & set(found) == expected
    assert bool(expected) == bool(found)


LIKE = "INSERT INTO {0} SELECT * FROM {0}"


@pytest.mark.parametrize(("table", "statements", "expected"), [
    ("entry", [LIKE.format("entry") + " WHERE sequence = 2"],
        {"entry 2 stands there more than once", "entries 2 and 2 have the same id"}),
    ("entry", ["UPDATE entry SET payload = NULL WHERE sequence = 1",
               "UPDATE entry SET sequence = NULL WHERE sequence = 2"],
        {CHANGED.format(1), "an entry has no number for its sequence", "entry 2 is missing"}),
    ("chain_head", ["UPDATE chain_head SET sequence = 2"], {HEAD.format(2, "the last entry (3)")}),
    ("chain_head", ["UPDATE chain_head SET hash = 'f'"], {HEAD.format(3, "the last entry (3)")}),
    ("chain_head", ["UPDATE chain_head SET id = 2"], {"the head of the chain has the number 2, not 1"}),
    ("chain_head", [LIKE.format("chain_head")], {"the chain has more than one head"}),
    ("chain_head", ["DELETE FROM chain_head"], {"the chain has no head"}),
])  # fmt: skip
def test_what_only_a_table_without_constraints_takes_is_found(ledger, raw, table, statements, expected):
    """A row that stands twice, NULL, and a chain whose head is another, missing or doubled."""
    raw.rebuild_without_constraints(table)
    for statement in statements:
        raw.execute(statement)
    found = set(faults(ledger))
    assert expected == (found if table == "chain_head" else expected & found)


FORGED = {
    "first": (1, {"previous_hash": NO_HASH[:-1] + "1"}, BEGINNING),
    "middle": (2, {"payload": '{"k":50}'}, "entry 3 does not follow entry 2: its previous hash is another"),
    "last": (4, {"id": "d"}, HEAD.format(3, "the last entry (4)")),
    "none": (4, {"payload": "[" * 100_000},
        "entry 4 is none of qidguard's: its hash is right, its content no entry"),
}  # fmt: skip


@pytest.mark.parametrize("where", FORGED)
def test_a_forged_entry_with_a_right_hash_is_found(ledger, raw, where):
    """The next one follows another, or the head does not know it, or qidguard would not write its content."""
    sequence, changes, said = FORGED[where]
    stored = rows(raw)
    if sequence == 4:
        changes = {"sequence": 4, "id": "d", "previous_hash": stored[-1].hash} | changes
    forged = replace(stored[min(sequence, 3) - 1], **changes)
    forged = replace(forged, hash=seal(forged))
    raw.execute("DELETE FROM entry WHERE sequence = ?", sequence)
    insert(raw, forged)
    if where == "none":
        raw.execute("UPDATE chain_head SET sequence = 4, hash = ?", forged.hash)
    found = faults(ledger)
    assert said in found if where == "first" else [said] == found


@pytest.mark.parametrize(("statement", "expected"), [
    ("UPDATE attachment SET content = ? WHERE digest = ?",
        ["attachment '{}' was changed: its digest is not that of its content"]),
    ("UPDATE attachment SET digest = 'f' WHERE digest = ?",
        ["attachment 'f' is listed by no entry, or stands there more than once",
         "attachment 'f' was changed: its digest is not that of its content",
         "attachment {} of entry 1 is missing"]),
    ("DELETE FROM attachment WHERE digest = ?", ["attachment {} of entry 1 is missing"]),
], ids=["content", "digest", "missing"])  # fmt: skip
def test_a_changed_or_missing_attachment_is_found(ledger, raw, statement, expected):
    """Its digest is named, and the first entry that lists it."""
    [digest] = ledger.unverified.entry("aa").attachments
    raw.execute(statement, *([b"z"] if "content = ?" in statement else []), digest)
    assert sorted(faults(ledger)) == [one.format(digest) for one in expected]


def test_missing_tables_are_found(ledger, raw):
    """Each is named, and nothing else is asked of them."""
    raw.execute("DROP TABLE attachment")
    raw.execute("DROP TABLE entry")
    assert ledger.check() == ("the table attachment is gone", "the table entry is gone")


def test_many_faults_are_counted(url, new, raw, monkeypatch):
    """The first ones are told, the others counted."""
    monkeypatch.setattr("qidguard.ledger.checking.MOST_SENTENCES", 3)
    with open_ledger(url) as ledger:
        for i in range(5):
            ledger.append(new(f"e{i}"))
        raw.drop_triggers()
        raw.execute("UPDATE entry SET kind = 'failed'")
        assert len(ledger.check()) == 4
        assert ledger.check()[-1] == "and 3 further faults"


def test_a_trigger_that_does_nothing_is_found(url, raw):
    """One of the same name with another body is none, nor is one that is switched off."""
    with open_ledger(url) as ledger:
        if raw.is_sqlite:
            raw.execute("DROP TRIGGER entry_no_update")
            raw.execute("CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry BEGIN SELECT 1; END")
            name = "entry_no_update"
        else:
            raw.execute("ALTER TABLE entry DISABLE TRIGGER entry_no_change")
            name = "entry_no_change"
        assert (f"the triggers that refuse changes are gone or changed: {name}",) == ledger.check()


@pytest.mark.parametrize("databases", ["postgresql"], indirect=True)
def test_a_function_that_does_nothing_is_found(url, raw):
    """On PostgreSQL the triggers may stand while what they call was replaced."""
    with open_ledger(url) as ledger:
        raw.execute(
            "CREATE OR REPLACE FUNCTION qidguard_ledger_refuse() RETURNS trigger LANGUAGE plpgsql"
            " AS $$ BEGIN RETURN NEW; END $$"
        )
        [sentence] = ledger.check()
    assert sentence.count("_no_") == 4


def test_the_check_holds_little_in_memory(url, new):
    """Forty attachments of a megabyte are checked with a few megabytes."""
    with open_ledger(url) as ledger:
        for i in range(40):
            ledger.append(new(f"e{i}"), attachments=[bytes([i]) * 1_000_000])
        tracemalloc.start()
        try:
            assert ledger.check() == ()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 12_000_000


CELLS = [("entry", name) for name in COLUMNS if name != "sequence"]
CELLS += [("attachment", "digest"), ("attachment", "content"), ("chain_head", "hash")]


@settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.data())
def test_any_changed_byte_is_found(ledger, raw, data):
    """Whichever byte of whichever cell becomes whatever else: the check finds it, and no fault afterward."""
    table, column = data.draw(st.sampled_from(CELLS))
    key = {"entry": "sequence", "attachment": "digest", "chain_head": "id"}[table]
    found = raw.execute(f"SELECT {key}, {column} FROM {table} ORDER BY {key}")
    name, value = data.draw(st.sampled_from(found))
    content = value if isinstance(value, bytes) else value.encode("ascii")
    place = data.draw(st.integers(0, len(content) - 1))
    is_any_byte = raw.is_sqlite or column == "content"  # a text of PostgreSQL is always a text
    byte = data.draw(st.integers(0 if is_any_byte else 1, 255 if is_any_byte else 127))
    changed = content[:place] + bytes([byte]) + content[place + 1 :]
    if changed == content:
        return
    write = "CAST(? AS TEXT)" if column != "content" else "?"
    value_to_write = changed if is_any_byte else changed.decode("ascii")
    raw.execute(f"UPDATE {table} SET {column} = {write} WHERE {key} = ?", value_to_write, name)
    try:
        assert faults(ledger)
    finally:
        if column == key:  # the name itself was changed, so the row is the one with none of the others
            others = [other for other, _ in found if other != name]
            marks = ", ".join("?" * len(others))
            raw.execute(f"UPDATE {table} SET {column} = ? WHERE {key} NOT IN ({marks})", value, *others)
        else:
            raw.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", value, name)
    assert faults(ledger) == []
