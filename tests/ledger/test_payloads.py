"""Payloads have types: what the ledger keeps is read into them whole, or refused."""

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

import qidguard
from ledger_book import Book
from old_ledger import restore
from qidguard.ledger import LedgerError, new_entry, open_ledger, read, read_any
from qidguard.ledger.entry import canonical
from qidguard.ledger.payloads import PAYLOADS, Audited, Checked, Releasing, Spent


@pytest.fixture
def old(tmp_path):
    """Return the entries of the ledger that 0.1.0 wrote."""
    with open_ledger(f"{restore(tmp_path)['home']}/ledger.db") as ledger:
        return list(ledger.entries())


def entry(kind, **changes):
    """Return an entry of a kind, some of whose fields are changed; None takes a field away."""
    book = Book()
    made = book.verdict(kind, "a1") if kind in {"audited", "checked"} else book.add(kind, "e1")
    (found,) = made.entries
    payload = {name: value for name, value in (found.payload | changes).items() if value is not ...}
    return replace(found, payload=payload)


def test_what_0_1_0_wrote_would_be_written_again_byte_by_byte(old):
    """Each payload is read and written anew; only the British spelling is not kept."""
    for one in old:
        typed = read_any(one)
        again = new_entry(typed.payload, entry_id=one.id, data_set=one.data_set, at=one.at)
        stored = {name.replace("anonymiser", "anonymizer"): value for name, value in one.payload.items()}
        assert (again.kind, canonical(again.payload)) == (one.kind, canonical(stored))


@pytest.mark.parametrize("kind", PAYLOADS)
def test_every_field_is_needed_and_no_other_is_taken(kind):
    """An entry that lacks one, or has one more, is refused by one sentence that names it."""
    whole = read_any(entry(kind)).payload
    with pytest.raises(LedgerError, match=r"cannot be read as .* has the unknown field 'surprise'"):
        read_any(entry(kind, surprise=1))
    for field in fields(whole):
        if field.metadata:
            assert getattr(read_any(entry(kind, **{field.name: ...})).payload, field.name) is None
            continue
        with pytest.raises(LedgerError, match=f"lacks the field '{field.name}'"):
            read_any(entry(kind, **{field.name: ...}))


@pytest.mark.parametrize(("kind", "changes", "words"), [
    ("released", {"is_recovered": 1}, "'is_recovered' is of type int"),
    ("releasing", {"records": True}, "'records' is of type bool"),
    ("releasing", {"records": None}, "'records' is of type NoneType"),
    ("releasing", {"follows": "age"}, "'follows' is of type str, not a list"),
    ("releasing", {"qids": []}, "'qids' is of type list, not an object"),
    ("releasing", {"files": [{"name": "x"}]}, "'files' lacks the field 'bytes'"),
    ("exception", {"expires": "soon"}, "'expires' is no day"),
    ("exception", {"expires": 20261201}, "'expires' is no day"),
    ("checked", {"policy": "clinic"}, "'policy' is of type str, not an object"),
    ("checked", {"figures": [{"metric": "k"}]}, "'figures' lacks the field 'bound'"),
    ("spent", {"epsilon": 0.1}, "'epsilon' is of type float"),
])  # fmt: skip
def test_a_value_of_another_type_is_refused(kind, changes, words):
    """It is said where it stands and what it is, and never its value."""
    with pytest.raises(LedgerError, match=words):
        read_any(entry(kind, **changes))


def test_an_entry_is_read_as_what_it_is():
    """Nobody takes a checked table for a release; a policy, a count or a population may be unknown."""
    checked = read(entry("checked", policy=None, records=None), Checked).payload
    assert (checked.release_id, checked.policy, checked.records) == (None, None, None)
    assert read(entry("spent"), Spent).payload.population is None
    assert read(entry("releasing"), Releasing).payload.key_id == "0" * 64
    with pytest.raises(LedgerError, match="is checked, not audited"):
        read(entry("checked"), Audited)


def test_payloads_are_taken_apart_in_one_place():
    """No code outside the ledger looks into the JSON of an entry."""
    root = Path(qidguard.__file__).parent
    looks = re.compile(r"payload(\[|\.get\(|\.items\()")
    found = [
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if path.parent.name not in {"ledger", "evidence"} and looks.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
