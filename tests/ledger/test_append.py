"""What an append records, and what it refuses."""

import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from qidguard.core.errors import InternalError, UserError
from qidguard.ledger import Entry, LedgerError, open_ledger
from qidguard.ledger.ledger import LARGEST_ATTACHMENT_BYTES


@pytest.fixture
def ledger(url):
    """Return an empty ledger."""
    with open_ledger(url) as opened:
        yield opened


def test_the_first_entries_form_a_chain(ledger, new):
    """The first entry follows 64 zeros, the second the first's hash, and the head is the second's."""
    assert ledger.head() == (0, "0" * 64)
    first, second = ledger.append(new("a")), ledger.append(new("b"))
    assert [(1, "0" * 64), (2, first.hash)] == [(e.sequence, e.previous_hash) for e in (first, second)]
    assert (2, second.hash) == ledger.head()


def test_what_comes_back_is_what_was_asked(ledger, new):
    """Every field of the entry is the caller's, in the result, by id and in the listing."""
    expected = {
        "id": "a",
        "kind": "spent",
        "data_set": "Überweisungen 2026",
        "at": datetime(2026, 11, 21, 10, 30, 0, 123456, tzinfo=UTC),
        "payload": {"ε": "1/10", "risk": [0.1, None, True]},
        "attachments": (hashlib.sha256(b"x").hexdigest(),),
    }
    stored = ledger.append(
        new("a", kind="spent", data_set=expected["data_set"], payload=expected["payload"]), attachments=[b"x"]
    )
    assert (expected, stored) == ({name: getattr(stored, name) for name in expected}, ledger.entry("a"))
    assert [stored] == list(ledger.entries())
    assert isinstance(stored, Entry)


def test_the_hash_can_be_recomputed_from_the_stored_columns(ledger, new, raw):
    """SHA-256 over sorted, blank-free ASCII JSON of the format and every other column gives the hash."""
    ledger.append(new("a", payload={"b": "é", "a": 1.5}), attachments=[b"x", b"y", b"x"])
    names = ("sequence", "id", "kind", "data_set", "at", "payload", "attachments", "previous_hash")
    [(*values, digest)] = raw.execute(f"SELECT {', '.join(names)}, hash FROM entry")
    material = {"format": "qidguard-ledger/1", **dict(zip(names, values, strict=True))}
    text = json.dumps(material, sort_keys=True, separators=(",", ":"))
    assert digest == hashlib.sha256(text.encode()).hexdigest()
    assert values[4:6] == ["2026-11-21T10:30:00.123456+00:00", '{"a":1.5,"b":"\\u00e9"}']
    assert json.loads(values[6]) == [hashlib.sha256(c).hexdigest() for c in (b"x", b"y", b"x")]


def test_a_time_is_kept_in_utc(ledger, new):
    """Noon at UTC+2 is stored as ten o'clock UTC."""
    stored = ledger.append(new(at=datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=2)))))
    assert datetime(2026, 7, 1, 10, tzinfo=UTC) == stored.at
    assert stored.at.tzinfo is UTC


@pytest.mark.parametrize("text", ["\0", "\ud800", "'; --", "漢字", "\\u0000", "%s :a ?"])
def test_any_text_in_a_payload_survives(ledger, new, text):
    """NUL, lone surrogates and what looks like SQL come back as they were, as key and as value."""
    stored = ledger.append(new(payload={text: text}))
    assert ({text: text}, {text: text}) == (stored.payload, ledger.entry("e1").payload)
    assert ledger.check() == ()


def test_the_same_request_again_is_answered_with_what_stands_there(ledger, new):
    """A repeated id with the same content returns the stored entry, though the clock went on."""
    first = ledger.append(new("a"), attachments=[b"x"])
    ledger.append(new("b"))
    again = ledger.append(new("a", at=datetime(2027, 1, 1, tzinfo=UTC)), attachments=[b"x"])
    assert first == again
    assert ledger.head()[0] == 2


@pytest.mark.parametrize(("changes", "contents"), [
    ({"kind": "failed"}, [b"x"]), ({"data_set": "other"}, [b"x"]), ({"payload": {"k": 6}}, [b"x"]),
    ({"payload": {"k": 5.0}}, [b"x"]), ({}, []), ({}, [b"y"]), ({}, [b"x", b"x"]),
])  # fmt: skip
def test_an_id_stands_for_one_content(ledger, new, changes, contents):
    """A repeated id with any other kind, data set, payload or attachment is the caller's mistake."""
    ledger.append(new("a"), attachments=[b"x"])
    with pytest.raises(UserError, match=r"'a' stands in the ledger with other content \(entry 1\)"):
        ledger.append(new("a", **changes), attachments=contents)
    assert ledger.head()[0] == 1
    assert ledger.check() == ()


def test_attachments_come_back_and_equal_ones_are_kept_once(ledger, new, raw):
    """Also some megabytes of every byte; an unknown digest and a text that is none are said."""
    large = bytes(range(256)) * 20_000
    first = ledger.append(new("a"), attachments=[b"x", b"", large])
    second = ledger.append(new("b"), attachments=[b"x"])
    assert raw.execute("SELECT count(*) FROM attachment") == [(3,)]
    assert [ledger.attachment(d) for d in first.attachments + second.attachments] == [b"x", b"", large, b"x"]
    for digest, said in (("0" * 64, "has no attachment"), ("x", "64 lower-case hex digits, not 'x'")):
        with pytest.raises(UserError, match=said):
            ledger.attachment(digest)


def test_a_content_that_was_changed_is_not_relied_upon_again(ledger, new, raw):
    """An append that attaches the same bytes again finds that those stored are others."""
    ledger.append(new("a"), attachments=[b"x"])
    if raw.is_sqlite:
        raw.without_triggers("UPDATE attachment SET content = CAST('z' AS BLOB)")
    else:
        raw.without_triggers("UPDATE attachment SET content = 'z'")
    with pytest.raises(LedgerError, match=r"(attachment '\w+' was changed|is not what was written)"):
        ledger.append(new("b"), attachments=[b"x"])
    assert ledger.head()[0] == 1


def test_an_attachment_is_bytes_and_not_too_large(ledger, new):
    """One byte more than the limit is the caller's mistake; a text or a list of none a fault of a program."""
    for wrong, error, said in (
        ([bytes(LARGEST_ATTACHMENT_BYTES + 1)], UserError, "at most 268,435,456 bytes, not 268,435,457"),
        (["x"], InternalError, "is bytes, not str$"),
        (b"x", InternalError, "is bytes, not int$"),
        ([bytearray(b"x")], InternalError, "is bytes, not bytearray$"),
    ):
        with pytest.raises(error, match=said):
            ledger.append(new(), attachments=wrong)
    assert ledger.head()[0] == 0


def test_a_ledger_whose_head_was_moved_takes_no_entry(ledger, new, raw):
    """Nothing is built on a head that is not the last entry's."""
    ledger.append(new("a"))
    raw.execute("UPDATE chain_head SET hash = ?", "f" * 64)
    with pytest.raises(LedgerError, match=r"the head of the (chain says|ledger at .* is not that of)"):
        ledger.append(new("b"))
    raw.execute("DELETE FROM chain_head")
    with pytest.raises(LedgerError, match="has not one head but 0"):
        ledger.append(new("b"))
    with pytest.raises(LedgerError, match="has not one head but 0"):
        ledger.head()
    assert raw.execute("SELECT count(*) FROM entry") == [(1,)]


def test_a_ledger_whose_last_entry_was_changed_takes_no_entry(ledger, new, raw):
    """Nothing is built on an entry that is not what was written, and reading it is refused too."""
    ledger.append(new("a"))
    raw.without_triggers("""UPDATE entry SET payload = '{"k":6}'""")
    for refused in (
        lambda: ledger.append(new("b")),
        lambda: list(ledger.entries()),
        lambda: ledger.entry("a"),
    ):
        with pytest.raises(LedgerError, match=r"the ledger at .* does not hold: entry 1 was changed"):
            refused()


def test_a_closed_ledger_is_closed(ledger, new):
    """Whoever goes on using a closed ledger is told; closing twice does no harm."""
    ledger.close()
    ledger.close()
    with pytest.raises(InternalError, match="is closed"):
        ledger.append(new())
