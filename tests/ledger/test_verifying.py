"""A ledger is verified before anything is decided: the old by its database's state, the new by the chain."""

import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from qidguard.ledger import Ledger, LedgerError, checking, open_ledger


@pytest.fixture
def anchors(tmp_path):
    """Return where this machine's anchors are kept."""
    return tmp_path / "anchors.json"


@pytest.fixture
def walked(monkeypatch):
    """Return what is walked: the sequences of single rows, and "all" for a walk of the whole ledger."""
    found, of_row, of_all = [], checking.entry_of, Ledger._walked

    def row(row, ledger):
        found.append(row.sequence)
        return of_row(row, ledger)

    def whole(self, connection, known):
        before = len(found)
        try:
            return of_all(self, connection, known)
        finally:
            found[before:] = ["all"]

    monkeypatch.setattr(checking, "entry_of", row)
    monkeypatch.setattr(Ledger, "_walked", whole)
    return found


def filled(url, new, anchors, number=5):
    """Record entries of two kinds about two data sets."""
    with open_ledger(url, anchors=anchors) as ledger:
        for i in range(number):
            kind, data_set = ("audited", "released")[i % 2], ("visits", "claims")[i % 2]
            ledger.append(new(f"e{i}", kind=kind, data_set=data_set))


def test_only_what_is_new_is_walked(url, raw, new, anchors, walked):
    """Nothing of what this machine wrote; what others wrote into a file makes it look at everything, once."""
    filled(url, new, anchors)
    walked.clear()
    for i in range(3):
        with open_ledger(url, anchors=anchors) as ledger:
            ledger.append(new(f"f{i}"))
            assert len(list(ledger.verified().entries())) == 6 + i
    assert walked == []
    with open_ledger(url) as another:
        another.append(new("g"))
    walked.clear()
    for _ in range(2):
        with open_ledger(url, anchors=anchors) as ledger:
            assert len(list(ledger.entries())) == 9
            ledger.append(new("g"))
    assert walked == (["all"] if raw.is_sqlite else [9])


def test_without_anchors_all_is_walked_once_by_each_ledger(url, new, walked):
    """A process that remembers nothing begins at the beginning."""
    filled(url, new, None)
    walked.clear()
    for _ in range(2):
        with open_ledger(url) as ledger:
            ledger.verified()
            ledger.append(new("e0", kind="audited", data_set="visits"))
    assert walked == ["all", "all"]


@pytest.mark.parametrize(("changed", "wanted"), [
    ({}, []),
    ({"places": "0" * 64}, []),
    ({"state": None}, ["all"]),
    ({"state": None, "walked": None, "places": "0" * 64}, ["all"]),
    ({"state": "another"}, ["all"]),
    ({"walked": timedelta(days=-6)}, []),
    ({"walked": timedelta(days=-7)}, ["all"]),
    ({"walked": timedelta(days=1)}, ["all"]),
])  # fmt: skip
def test_all_is_walked_again_where_it_may_have_changed(url, new, anchors, walked, changed, wanted):
    """The state is another, an older version kept none, seven days are over, or a clock was set."""
    filled(url, new, anchors)
    [(key, record)] = json.loads(anchors.read_text()).items()
    moments = {n: (datetime.now(UTC) + v).isoformat() for n, v in changed.items() if isinstance(v, timedelta)}
    anchors.write_text(json.dumps({key: record | changed | moments}))
    walked.clear()
    for _ in range(2):
        with open_ledger(url, anchors=anchors) as ledger:
            ledger.verified()
    assert walked == wanted


def test_a_reader_reads_nothing_that_came_later(url, new, anchors):
    """Questions that belong together are answered from one state."""
    filled(url, new, anchors)
    with open_ledger(url, anchors=anchors) as ledger:
        reader = ledger.verified()
        ledger.append(new("f"))
        assert (len(list(reader.entries())), reader.entry("f")) == (5, None)
        assert len(list(reader.entries(newest_first=True, limit=2))) == 2


BEHIND = {
    "payload": "UPDATE entry SET payload = replace(payload, 'blocked', 'passed') WHERE sequence = 1",
    "attachment": "UPDATE attachment SET content = CAST('forged' AS BLOB)",
    "attachment gone": "DELETE FROM attachment",
    "attachment added": "INSERT INTO attachment VALUES ('x', CAST('y' AS BLOB))",
    "head": "UPDATE chain_head SET sequence = 4",
    "head of text": "UPDATE chain_head SET sequence = 'x'",
}


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
@pytest.mark.parametrize("how", BEHIND)
@pytest.mark.parametrize("is_open", [True, False])
def test_what_a_check_finds_no_decision_is_made_on(url, new, raw, anchors, how, is_open):
    """Whoever has no reason to read that row or attachment is refused, too; the triggers are back."""
    with open_ledger(url, anchors=anchors) as ledger:
        ledger.append(new("a", payload={"outcome": "blocked"}), attachments=[b"record"])
        ledger.append(new("b"))
        raw.without_triggers(BEHIND[how])
        if is_open:
            refused(ledger, new)
    if not is_open:
        with open_ledger(url, anchors=anchors) as again:
            refused(again, new)


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_a_change_is_found_before_it_is_in_the_file_itself(url, new, raw, anchors):
    """While somebody else reads, what is committed stays in the WAL beside the file."""
    filled(url, new, anchors)
    with closing(sqlite3.connect(url, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entry").fetchall()
        before = Path(url).stat()
        raw.without_triggers("UPDATE entry SET payload = '{}' WHERE sequence = 2")
        assert Path(url).stat() == before
        with open_ledger(url, anchors=anchors) as ledger:
            refused(ledger, new)


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_bytes_that_were_changed_under_their_old_time_are_found(url, new, anchors):
    """Without SQLite, so that no trigger and no schema tells, and with the last time of writing put back."""
    with open_ledger(url, anchors=anchors) as ledger:
        ledger.append(new("a", payload={"outcome": "blocked"}))
        ledger.append(new("b"))
    path = Path(url)
    found, content = path.stat(), path.read_bytes()
    assert content.count(b"blocked") == 1
    with path.open("r+b") as file:
        file.write(content.replace(b"blocked", b"passed!"))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert path.stat().st_mtime_ns == found.st_mtime_ns
    with open_ledger(url, anchors=anchors) as ledger:
        refused(ledger, new)


def test_what_changes_while_a_check_begins_is_not_taken_for_seen(url, new, anchors, monkeypatch):
    """The state before and after must be one, or all is walked again the next time."""
    filled(url, new, anchors)
    with open_ledger(url, anchors=anchors) as ledger:
        database, told = ledger._store.database, iter(["settled", "before", "after"])
        monkeypatch.setattr(database, "state", lambda _=None: next(told, "after"))
        assert ledger.check() == ()
    [record] = json.loads(anchors.read_text()).values()
    assert record["state"] not in {"settled", "before", "after"}


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
@pytest.mark.parametrize("statement", [
    "DROP TRIGGER attachment_no_update",
    "CREATE TRIGGER more BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER more AFTER UPDATE ON chain_head BEGIN SELECT 1; END",
])  # fmt: skip
def test_with_other_triggers_no_decision_is_made(url, new, raw, anchors, statement):
    """One refused changes; another's may swallow entries, or do what leaves no other trace."""
    filled(url, new, anchors)
    raw.execute(statement)
    with open_ledger(url, anchors=anchors) as ledger:
        refused(ledger, new)


def refused(ledger, new):
    """The check says it, and nothing is read for a decision or recorded."""
    assert ledger.check()
    for act in (ledger.verified, lambda: ledger.entry("b"), lambda: ledger.append(new("c"))):
        with pytest.raises(LedgerError, match="run `qidguard history --check`"):
            act()


@pytest.mark.samples(2)
@pytest.mark.parametrize(("statement", "words"), [
    ("UPDATE entry SET kind = 'released' WHERE sequence = 3", "entry 3 was changed"),
    ("UPDATE entry SET data_set = 'x' WHERE sequence = 1", "entry 1 was changed"),
    ("UPDATE entry SET id = 'x' WHERE sequence = 2", "entry 2 was changed"),
    ("UPDATE entry SET hash = 'x' WHERE sequence = 2", "entry 2 was changed"),
    ("DELETE FROM entry WHERE sequence = 3", "entry 3 is missing"),
    ("DELETE FROM entry WHERE sequence < 3", "entries 1 to 2 are missing"),
    ("UPDATE entry SET sequence = 30 WHERE sequence = 3", "entry 3 is missing"),
    ("UPDATE entry SET sequence = -3 WHERE sequence = 3", "entry -3 stands before the first"),
    ("DELETE FROM entry WHERE sequence = 5", "(the head of the chain|its entry 5 is another)"),
])  # fmt: skip
@pytest.mark.parametrize("is_seen", [True, False])
def test_whatever_is_read_and_added_a_change_below_the_head_is_found(
    url, new, raw, anchors, statement, words, is_seen
):
    """Also where nobody asks for the row that was changed."""
    filled(url, new, anchors)
    raw.without_triggers(statement)
    with open_ledger(url, anchors=anchors if is_seen else None) as ledger:
        for act in (
            lambda: list(ledger.entries(data_set="visits", kinds={"audited"}, limit=1)),
            lambda: ledger.entry("e0"),
            lambda: ledger.append(new("f"), guard=lambda _: None),
        ):
            with pytest.raises(LedgerError, match=words):
                act()
