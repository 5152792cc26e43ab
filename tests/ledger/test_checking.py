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


def test_triggers_that_are_gone_are_found(ledger):
    """Without them nothing is changed yet, and the check says that it could be."""
    assert faults(ledger) == []


@pytest.mark.parametrize("column", [name for name in COLUMNS if name != "sequence"])
@pytest.mark.parametrize("sequence", [1, 2, 3])
def test_a_changed_text_is_found(ledger, raw, column, sequence):
    """One character at the end of any column of any entry."""
    [(value,)] = raw.execute(f"SELECT {column} FROM entry WHERE sequence = ?", sequence)
    changed = value[:-1] + ("1" if value[-1] != "1" else "2")
    raw.execute(f"UPDATE entry SET {column} = ? WHERE sequence = ?", changed, sequence)
    assert f"entry {sequence} was changed: its hash is not that of its content" in faults(ledger)


@pytest.mark.parametrize(("old", "changed", "expected"), [
    (1, 0, "entry 1 is missing"),
    (1, -5, "entry -5 stands before the first"),
    (2, 12, "entry 2 is missing"),
    (3, 4, "entry 3 is missing"),
    (3, 7, "entries 3 to 6 are missing"),
])  # fmt: skip
def test_a_changed_sequence_is_found(ledger, raw, old, changed, expected):
    """The gap that it leaves is named, and the entry that moved too."""
    raw.execute("UPDATE entry SET sequence = ? WHERE sequence = ?", changed, old)
    found = faults(ledger)
    assert expected in found
    assert f"entry {changed} was changed: its hash is not that of its content" in found


@pytest.mark.parametrize(("sequence", "expected"), [
    (1, "entry 1 is missing"),
    (2, "entry 2 is missing"),
    (3, "the head of the chain says entry 3 and is not that of the last entry (2)"),
])  # fmt: skip
def test_a_deleted_entry_is_found(ledger, raw, sequence, expected):
    """Wherever it stood."""
    raw.execute("DELETE FROM entry WHERE sequence = ?", sequence)
    assert expected in faults(ledger)


def test_deleting_all_entries_is_found(ledger, raw):
    """The head still says how many there were."""
    raw.execute("DELETE FROM entry")
    assert "the head of the chain says entry 3 and is not that of an empty ledger" in faults(ledger)


def test_two_entries_that_changed_places_are_found(ledger, raw):
    """Both are named."""
    raw.execute("UPDATE entry SET sequence = 9 WHERE sequence = 1")
    raw.execute("UPDATE entry SET sequence = 1 WHERE sequence = 2")
    raw.execute("UPDATE entry SET sequence = 2 WHERE sequence = 9")
    found = faults(ledger)
    for sequence in (1, 2):
        assert f"entry {sequence} was changed: its hash is not that of its content" in found
    assert "entry 1 does not follow the beginning: its previous hash is another" in found


def test_a_forged_entry_at_the_end_is_found(ledger, raw):
    """It has a right hash and a right place, but the head does not know it."""
    last = rows(raw)[-1]
    forged = replace(last, sequence=4, id="d", previous_hash=last.hash)
    insert(raw, replace(forged, hash=seal(forged)))
    assert faults(ledger) == ["the head of the chain says entry 3 and is not that of the last entry (4)"]


def test_a_forged_entry_in_the_middle_is_found(ledger, raw):
    """It has a right hash of its own, but the next one follows another."""
    forged = replace(rows(raw)[1], payload='{"k":50}')
    raw.execute("DELETE FROM entry WHERE sequence = 2")
    insert(raw, replace(forged, hash=seal(forged)))
    assert faults(ledger) == ["entry 3 does not follow entry 2: its previous hash is another"]


def test_what_is_no_entry_is_found_though_the_chain_holds(ledger, raw):
    """Somebody who computes right hashes over what qidguard would not write is found too."""
    last = rows(raw)[-1]
    forged = replace(last, sequence=4, id="d", previous_hash=last.hash, payload="[" * 100_000)
    forged = replace(forged, hash=seal(forged))
    insert(raw, forged)
    raw.execute("UPDATE chain_head SET sequence = 4, hash = ?", forged.hash)
    assert faults(ledger) == ["entry 4 is none of qidguard's: its hash is right, its content no entry"]


def test_a_row_that_stands_twice_is_found(ledger, raw):
    """In a table rebuilt without its keys."""
    raw.rebuild_without_constraints("entry")
    insert(raw, rows(raw)[1])
    found = faults(ledger)
    assert "entry 2 stands there more than once" in found
    assert "entries 2 and 2 have the same id" in found


def test_values_that_are_no_text_or_number_are_found(ledger, raw):
    """NULL, in a table rebuilt without its constraints."""
    raw.rebuild_without_constraints("entry")
    raw.execute("UPDATE entry SET payload = NULL WHERE sequence = 1")
    raw.execute("UPDATE entry SET sequence = NULL WHERE sequence = 2")
    found = faults(ledger)
    assert "entry 1 was changed: its hash is not that of its content" in found
    assert "an entry has no number for its sequence" in found
    assert "entry 2 is missing" in found


@pytest.mark.parametrize(("change", "expected"), [
    ("sequence = 2", "the head of the chain says entry 2 and is not that of the last entry (3)"),
    ("hash = 'f'", "the head of the chain says entry 3 and is not that of the last entry (3)"),
    ("id = 2", "the head of the chain has the number 2, not 1"),
])  # fmt: skip
def test_a_changed_head_is_found(ledger, raw, change, expected):
    """In any of its columns."""
    raw.rebuild_without_constraints("chain_head")
    raw.execute(f"UPDATE chain_head SET {change}")
    assert [expected] == faults(ledger)


def test_a_missing_or_a_second_head_is_found(ledger, raw):
    """The chain has exactly one."""
    raw.rebuild_without_constraints("chain_head")
    raw.execute("INSERT INTO chain_head SELECT * FROM chain_head")
    assert faults(ledger) == ["the chain has more than one head"]
    raw.execute("DELETE FROM chain_head")
    assert faults(ledger) == ["the chain has no head"]


def test_a_changed_attachment_is_found(ledger, raw):
    """Its digest is named."""
    [digest] = ledger.unverified.entry("aa").attachments
    raw.execute("UPDATE attachment SET content = ? WHERE digest = ?", b"z", digest)
    assert faults(ledger) == [f"attachment {digest!r} was changed: its digest is not that of its content"]


def test_a_changed_digest_is_found(ledger, raw):
    """The attachment is none of any entry, and one of the first entry's is missing."""
    [digest] = ledger.unverified.entry("aa").attachments
    raw.execute("UPDATE attachment SET digest = 'f' WHERE digest = ?", digest)
    assert sorted(faults(ledger)) == [
        "attachment 'f' is listed by no entry, or stands there more than once",
        "attachment 'f' was changed: its digest is not that of its content",
        f"attachment {digest} of entry 1 is missing",
    ]


def test_a_missing_attachment_is_found(ledger, raw):
    """The first entry that lists it is named."""
    [_, digest] = ledger.unverified.entry("cc").attachments
    raw.execute("DELETE FROM attachment WHERE digest = ?", digest)
    assert faults(ledger) == [f"attachment {digest} of entry 3 is missing"]


def test_missing_tables_are_found(ledger, raw):
    """Each is named, and nothing else is asked of them."""
    raw.execute("DROP TABLE attachment")
    raw.execute("DROP TABLE entry")
    assert ledger.check() == ("the table attachment is gone", "the table entry is gone")


def test_further_tables_are_no_fault(ledger, raw):
    """Whatever else is in the database is somebody else's."""
    raw.execute("CREATE TABLE further (a INTEGER)")
    assert faults(ledger) == []


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


def test_a_chain_from_another_beginning_is_found(ledger, raw):
    """The first entry follows 64 zeros and nothing else."""
    first = replace(rows(raw)[0], previous_hash=NO_HASH[:-1] + "1")
    raw.execute("DELETE FROM entry WHERE sequence = 1")
    insert(raw, replace(first, hash=seal(first)))
    assert "entry 1 does not follow the beginning: its previous hash is another" in faults(ledger)
