"""Anchors find what a chain cannot tell: an end that was cut off, and a chain that was computed anew."""

import json
import re
import shutil
import stat
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from qidguard.core.errors import UserError
from qidguard.ledger import LedgerError, open_ledger, read
from qidguard.ledger.anchors import Anchors, Seen, seen_empty
from qidguard.ledger.databases.sqlite import SqliteDatabase
from qidguard.ledger.error import LostError, UnanchoredError
from qidguard.ledger.payloads import Accepted
from qidguard.ledger.row import COLUMNS, NO_HASH, Row, seal

NOW = datetime(2026, 11, 28, tzinfo=UTC)


@pytest.fixture
def anchors(tmp_path):
    """Return where this machine's anchors are kept; its folder does not exist yet."""
    return tmp_path / "state" / "anchors.json"


@pytest.fixture
def ledger(url, new, anchors):
    """Return a ledger of three entries, all of them seen."""
    with open_ledger(url, anchors=anchors) as opened:
        for entry_id in ("a", "b", "c"):
            opened.append(new(entry_id))
        yield opened


def rows(raw):
    """Return all rows as they are stored."""
    found = raw.execute(f"SELECT {', '.join(COLUMNS)} FROM entry ORDER BY sequence")
    return [Row(**dict(zip(COLUMNS, values, strict=True))) for values in found]


def cut_off_the_end(raw):
    """Remove the last entry as an owner of the database can, leaving no trace in it."""
    entry = rows(raw)[1]
    if raw.is_sqlite:
        [(trigger,)] = raw.execute("SELECT sql FROM sqlite_master WHERE name = 'entry_no_delete'")
        raw.execute("DROP TRIGGER entry_no_delete")
        raw.execute("DELETE FROM entry WHERE sequence = 3")
        raw.execute(trigger)
    else:
        raw.execute("ALTER TABLE entry DISABLE TRIGGER ALL")
        raw.execute("DELETE FROM entry WHERE sequence = 3")
        raw.execute("ALTER TABLE entry ENABLE TRIGGER ALL")
    raw.execute("UPDATE chain_head SET sequence = 2, hash = ?", entry.hash)


def compute_anew(raw):
    """Change the first entry and compute all hashes anew, leaving no trace in the database."""
    before, chain = NO_HASH, []
    for row in rows(raw):
        payload = '{"k":50}' if row.sequence == 1 else row.payload
        changed = replace(row, payload=payload, previous_hash=before)
        before = seal(changed)
        chain.append(replace(changed, hash=before))
    if raw.is_sqlite:
        triggers = raw.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
        raw.drop_triggers()
    else:
        raw.execute("ALTER TABLE entry DISABLE TRIGGER ALL")
    raw.execute("DELETE FROM entry")
    for row in chain:
        values = [getattr(row, name) for name in COLUMNS]
        raw.execute(
            f"INSERT INTO entry ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(values))})", *values
        )
    raw.execute("UPDATE chain_head SET hash = ?", before)
    if raw.is_sqlite:
        for (trigger,) in triggers:
            raw.execute(trigger)
    else:
        raw.execute("ALTER TABLE entry ENABLE TRIGGER ALL")


@pytest.mark.parametrize(("forge", "said"), [
    ("cut", ["is older than what this machine saw on 20", "it ends at entry 2, not 3"]),
    ("replaced", ["is different from what this machine saw on 20", "its entry 3 is another"]),
    ("anew", ["is different from what this machine saw on 20"]),
])  # fmt: skip
def test_what_leaves_no_trace_in_the_database_is_found(url, ledger, raw, new, forge, said):
    """An end cut off or replaced, a chain computed anew: the chain holds, and the anchor tells."""
    compute_anew(raw) if forge == "anew" else cut_off_the_end(raw)
    with open_ledger(url) as forgetful:
        for entry_id in ("x", "y") if forge == "replaced" else ():
            forgetful.append(new(entry_id))
        assert forgetful.check() == ()
    before = len(rows(raw))
    [sentence] = ledger.check()
    assert [words for words in said if words in sentence] == said
    with pytest.raises(LedgerError, match=said[0].removeprefix("is ").removesuffix(" on 20")):
        ledger.append(new("d"))
    assert before == len(rows(raw))


def head_in(anchors):
    """Return the sequence and the hash of the one record in a file of anchors."""
    [record] = json.loads(anchors.read_text()).values()
    return record["sequence"], record["hash"]


def test_the_file_is_private_and_says_the_newest_head(ledger, new, anchors):
    """Modes 0600 and 0700; neither an older head nor the repetition of an old request takes it back."""
    assert (stat.S_IMODE(anchors.stat().st_mode), stat.S_IMODE(anchors.parent.stat().st_mode)) == (
        0o600,
        0o700,
    )
    stored = ledger.append(new("d"))
    kept = Anchors(anchors, ledger._store.database.identity)
    kept.remember(Seen(sequence=2, hash="f" * 64, at="now"))
    kept.remember(Seen(sequence=4, hash=stored.hash, at="now"))
    ledger.append(new("a"))
    assert (4, stored.hash) == head_in(anchors)
    assert {"anchors.json", "anchors.json.lock"} == {path.name for path in anchors.parent.iterdir()}


def test_a_check_remembers_the_head_where_there_is_no_fault(url, ledger, raw, new, anchors):
    """What another machine added is remembered by the next clean check, and not by one with a fault."""
    with open_ledger(url) as elsewhere:
        stored = elsewhere.append(new("d"))
    assert ledger.check() == ()
    assert (4, stored.hash) == head_in(anchors)
    with open_ledger(url) as elsewhere:
        elsewhere.append(new("e"))
    raw.drop_triggers()
    before = anchors.read_text()
    assert len(ledger.check()) == 1
    assert before == anchors.read_text()


def refused(ledger, new, words):
    """Nothing is read for a decision and nothing recorded, however often somebody looks."""
    for _ in range(2):
        [sentence] = ledger.check()
        assert words in sentence
    for act in (ledger.verified, lambda: ledger.append(new("d")), lambda: ledger.entry("a")):
        with pytest.raises(UnanchoredError, match=words):
            act()


def test_without_an_anchor_nothing_is_decided(url, ledger, new, anchors):
    """Each check says that nothing can be compared; the ledger may be looked at, which accepts nothing."""
    anchors.unlink()
    refused(ledger, new, "has no anchor for the ledger at")
    with open_ledger(url, anchors=anchors, is_to_look=True) as looked:
        assert len(list(looked.entries())) == 3
    with open_ledger(url, anchors=anchors) as again:
        refused(again, new, "which has 3 entries, so nobody can tell whether it was shortened")
    assert not anchors.exists()


@pytest.mark.parametrize("lost", ["deleted", "other", "garbage", "cut", "replaced", "gone"])
@pytest.mark.usefixtures("ledger")
def test_whoever_accepts_it_says_why_in_it(url, raw, new, anchors, lost):
    """Then it goes on, the entry tells what was seen, and what was damaged is kept for a look at it."""
    seen = (3, rows(raw)[2].hash)
    if lost == "deleted":
        anchors.unlink()
    elif lost == "other":
        anchors.write_text("{}")
    elif lost == "garbage":
        anchors.write_bytes(b"\xff\xfe{")
    elif lost == "cut":
        cut_off_the_end(raw)
    elif lost == "replaced":
        compute_anew(raw)
    elif raw.is_sqlite:
        Path(url).unlink()
    else:
        raw.drop_triggers()
        raw.execute("DROP TABLE entry, attachment, chain_head, qidguard_ledger_version")
    for words in ("", " ", "x" * 1_001):
        with (
            open_ledger(url, anchors=anchors, is_accepting=True) as again,
            pytest.raises(UserError, match="says why, in 1 to 1,000 characters"),
        ):
            again.accept(words, by={}, at=NOW)
    with open_ledger(url, anchors=anchors, is_accepting=True) as again:
        said = again.accept(" The disk\nwas lost. ", by={"user": "eve"}, at=NOW)
        payload = read(said, Accepted).payload
        assert (payload.reason, payload.by, said.data_set) == (
            "The disk was lost.",
            {"user": "eve"},
            "(ledger)",
        )
        known = None if lost in {"deleted", "other", "garbage"} else seen
        assert (known or (None, None)) == (payload.seen_sequence, payload.seen_hash)
        assert payload.sequence == said.sequence - 1 == {"cut": 2, "gone": 0}.get(lost, 3)
        assert again.check() == ()
        with pytest.raises(UserError, match="nothing to accept"):
            again.accept("once more", by={}, at=NOW)
    with open_ledger(url, anchors=anchors) as later:
        assert later.append(new("z")).sequence == said.sequence + 1
    assert bool(list(anchors.parent.glob("*.damaged-*"))) == (lost == "garbage")


@pytest.mark.usefixtures("ledger")
def test_what_does_not_hold_by_itself_is_not_accepted(url, raw, anchors):
    """Words do not mend a row that was changed."""
    anchors.unlink()
    raw.drop_triggers()
    with (
        open_ledger(url, anchors=anchors) as again,
        pytest.raises(LedgerError, match="does not hold: the trig"),
    ):
        again.accept("never mind", by={}, at=NOW)
    assert not anchors.exists()


@pytest.mark.parametrize("content", [None, b"", b"no ledger"])
@pytest.mark.usefixtures("ledger")
def test_a_ledger_that_is_gone_is_said_to_be_gone(url, raw, anchors, content):
    """Nothing is made in its place, be it deleted, emptied or another file."""
    if raw.is_sqlite:
        path = Path(url)
        path.unlink() if content is None else path.write_bytes(content)
    else:
        raw.execute("DROP TABLE entry, attachment, chain_head, qidguard_ledger_version")
    for must_exist in (False, True):
        with pytest.raises(LostError, match="is gone: this machine saw 3 entries of it on 20"):
            open_ledger(url, anchors=anchors, must_exist=must_exist)
    if raw.is_sqlite:
        assert (path.read_bytes() if path.exists() else None) == content


def test_an_empty_ledger_needs_no_anchor(url, anchors):
    """There is nothing yet to remember."""
    with open_ledger(url, anchors=anchors) as ledger:
        assert ledger.check() == ()
        with pytest.raises(UserError, match="nothing to accept"):
            ledger.accept("never mind", by={}, at=NOW)
    assert not anchors.exists()


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_a_ledger_that_was_only_begun_is_not_missed(url, new, anchors):
    """Whoever died before the first entry left an anchor of nothing, and the next one begins anew."""
    with open_ledger(url, anchors=anchors) as ledger:
        identity = ledger._store.database.identity
    Path(url).unlink()
    Anchors(anchors, identity).remember(seen_empty())
    with open_ledger(url, anchors=anchors) as ledger:
        assert ledger.append(new("a")).sequence == 1


@pytest.mark.parametrize("entries", [0, 2])
def test_a_process_that_dies_between_entry_and_anchor_is_no_alarm(url, new, anchors, monkeypatch, entries):
    """The anchor lags behind by an entry that chains: the first one, and a later one.

    What contradicts the anchor is an alarm as before.
    """
    with open_ledger(url, anchors=anchors) as elsewhere:
        for i in range(entries):
            elsewhere.append(new(f"before-{i}"))
    original = Anchors.remember

    def die(self, seen):
        if seen.sequence > entries:
            raise KeyboardInterrupt
        original(self, seen)

    with monkeypatch.context() as patch, open_ledger(url, anchors=anchors) as ledger:
        patch.setattr(Anchors, "remember", die)
        with pytest.raises(KeyboardInterrupt):
            ledger.append(new("a"))
    [record] = json.loads(anchors.read_text()).values()
    assert record["sequence"] == entries
    with open_ledger(url, anchors=anchors) as ledger:
        assert ledger.head()[0] == entries + 1
        assert ledger.check() == ()
        assert ledger.append(new("b")).sequence == entries + 2
        assert ledger.check() == ()


DAMAGED = [
    "",
    "[]",
    "{",
    "[" * 100_000,
    '{"KEY": 1}',
    '{"KEY": {"sequence": 3}}',
    '{"KEY": {"sequence": "3", "hash": "HASH", "at": "x"}}',
    '{"KEY": {"sequence": -1, "hash": "HASH", "at": "x"}}',
    '{"KEY": {"sequence": 3, "hash": "g", "at": "x"}}',
    '{"KEY": {"sequence": 3, "hash": "HASH", "at": 1}}',
]


@pytest.mark.samples(5)
@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_with_damaged_anchors_nothing_is_decided(ledger, new, anchors, content):
    """It is said every time, and the file is left as it is for a person to look at."""
    [key] = json.loads(anchors.read_text())
    content = content.replace("KEY", key).replace("HASH", "f" * 64)
    anchors.write_text(content)
    refused(ledger, new, "is damaged, so a shortened or rewritten ledger is not noticed")
    assert content == anchors.read_text()


def test_where_anchors_cannot_be_kept_nothing_is_recorded(url, new, tmp_path):
    """Where a folder's name is that of a file, the first entry is refused: no later one could be."""
    (tmp_path / "file").write_text("")
    with open_ledger(url, anchors=tmp_path / "file" / "anchors.json") as ledger:
        with pytest.raises(LedgerError, match=r"anchors.json' cannot be read \(Not a directory\)"):
            ledger.append(new())
        [sentence] = ledger.check()
        assert ledger.head()[0] == 0
    assert "anchors.json' cannot be read (Not a directory)" in sentence


def test_anchors_that_cannot_be_written_are_said(url, new, tmp_path):
    """Where the file's lock cannot be opened, a first entry is refused; of a later one the check says it."""
    lock, said = tmp_path / "anchors.json.lock", r"anchors.json' cannot be written \(Too many levels of"
    lock.symlink_to(lock)
    with open_ledger(url, anchors=tmp_path / "anchors.json") as ledger:
        with pytest.raises(LedgerError, match=said):
            ledger.append(new("a"))
        lock.unlink()
        ledger.append(new("a"))
        lock.unlink()
        lock.symlink_to(lock)
        assert ledger.append(new("b")).sequence == 2
        [sentence] = ledger.check()
    assert re.search(said, sentence)


def test_a_first_entry_that_is_added_meanwhile_is_no_loss(url, new, anchors, monkeypatch):
    """Who looked for an anchor just before somebody else added the first entry looks once more.

    SQLite's file is locked as a rule while it is looked into; where the disk has no locks it is as here.
    """
    monkeypatch.setattr(SqliteDatabase, "alone", lambda _: nullcontext())
    with open_ledger(url, anchors=anchors) as one, open_ledger(url, anchors=anchors) as other:
        seen = one._anchors.seen

        def before_the_other():
            monkeypatch.setattr(one._anchors, "seen", seen)
            other.append(new("a"))

        monkeypatch.setattr(one._anchors, "seen", before_the_other)
        assert [entry.id for entry in one.verified().entries()] == ["a"]


def test_ledgers_share_a_file(databases, new, anchors):
    """Each has a record of its own, and the others' are kept."""
    for number in (1, 2):
        with open_ledger(databases.create(), anchors=anchors) as ledger:
            for i in range(number):
                ledger.append(new(f"e{i}"))
    assert sorted(record["sequence"] for record in json.loads(anchors.read_text()).values()) == [1, 2]


@pytest.mark.parametrize("databases", ["sqlite"], indirect=True)
def test_an_older_copy_of_the_file_is_found(url, ledger, new, anchors, tmp_path):
    """Putting back a copy from before the last entry is noticed before anything is added."""
    ledger.close()
    shutil.copy(url, tmp_path / "copy")
    with open_ledger(url, anchors=anchors) as opened:
        opened.append(new("d"))
    shutil.copy(tmp_path / "copy", url)
    with open_ledger(url, anchors=anchors) as opened, pytest.raises(LedgerError, match="is older than"):
        opened.append(new("e"))


def test_no_anchor_holds_what_is_not_seen(tmp_path):
    """Another ledger's anchor says nothing of this one."""
    Anchors(tmp_path / "a", "one").remember(Seen(sequence=1, hash="f" * 64, at="now"))
    assert Anchors(tmp_path / "a", "two").seen() is None
    assert isinstance(Anchors(tmp_path / "a", "one").seen(), Seen)
