"""What it costs to decide on a ledger that is verified first, by how long the ledger is."""

import hashlib
import resource
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from in_turns import in_turns
from qidguard.ledger import NewEntry, open_ledger
from qidguard.ledger.entry import canonical
from qidguard.ledger.row import NO_HASH, Row, seal, time_text

AT = datetime(2026, 11, 21, tzinfo=UTC)
SENTENCE = "k-anonymity is 5 records, must be at least 5."
PAYLOAD = {"audit_id": "audit-1", "sentences": [SENTENCE] * 40}


def filled(path, entries):
    """Make a ledger of so many entries of 2 kB, in one transaction."""
    with open_ledger(str(path)) as ledger:
        assert ledger.head()[0] == 0
    payload, before = canonical(PAYLOAD), NO_HASH
    with closing(sqlite3.connect(path)) as database, database:
        for i in range(1, entries + 1):
            row = Row(
                sequence=i,
                id=f"audit-20261121T000000Z-{i:012x}",
                kind="checked",
                data_set=f"data set {i % 50}",
                at=time_text(AT),
                payload=payload,
                attachments="[]",
                previous_hash=before,
            )
            before = seal(row)
            database.execute(
                "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (i, row.id, row.kind, row.data_set, row.at, payload, "[]", row.previous_hash, before),
            )
        database.execute("UPDATE chain_head SET sequence = ?, hash = ?", (entries, before))


def plain(path):
    """Read all rows and hash their payloads, and check nothing."""
    with closing(sqlite3.connect(path)) as database:
        for row in database.execute("SELECT * FROM entry"):
            hashlib.sha256(row[5].encode()).digest()


@pytest.mark.bench
@pytest.mark.parametrize("entries", [10, 1_000, 100_000])
def test_a_decision_costs_what_is_new(tmp_path, entries, figures):
    """A first look walks all; later ones cost four times of opening at most, however long the ledger is."""
    path = tmp_path / "ledger.db"
    filled(path, entries)
    anchors = tmp_path / "anchors.jsonl"
    with open_ledger(str(path), anchors=anchors) as ledger:
        ledger.accept("made for a benchmark", by={}, at=AT)

    def look(where=None):
        with open_ledger(str(path), anchors=where) as ledger:
            ledger.verified()

    def opened():
        with open_ledger(str(path), anchors=anchors):
            pass

    number = 0

    def append():
        nonlocal number
        number += 1
        with open_ledger(str(path), anchors=anchors) as ledger:
            new = NewEntry(id=f"new-{number}", kind="checked", data_set="d", at=AT, payload=PAYLOAD)
            ledger.append(new)

    append()
    passed, empty, walked, seen, appended = in_turns(
        lambda: plain(path), opened, look, lambda: look(anchors), append, repeats=2
    )
    figures(plain=passed, opened=empty, walked=walked, seen=seen, append=appended)
    figures(ratio=seen / empty, peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
    assert seen <= 4 * empty
