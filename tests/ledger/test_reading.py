"""Reading entries: which, in which order, how many."""

import pytest

from qidguard.core.errors import UserError
from qidguard.ledger import open_ledger


@pytest.fixture
def ledger(url, new):
    """Return a ledger of four entries: two data sets, two kinds."""
    with open_ledger(url) as opened:
        for entry_id, kind, data_set in (
            ("1", "audited", "a"),
            ("2", "released", "a"),
            ("3", "audited", "b"),
            ("4", "audited", "a"),
        ):
            opened.append(new(entry_id, kind=kind, data_set=data_set))
        yield opened


@pytest.mark.samples(4)
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "1234"),
        ({"newest_first": True}, "4321"),
        ({"data_set": "a"}, "124"),
        ({"data_set": "A"}, "124"),  # case does not matter
        ({"data_set": "c"}, ""),
        ({"data_set": "a", "kinds": {"audited"}}, "14"),
        ({"data_set": "a", "kinds": ["audited"], "newest_first": True, "limit": 1}, "4"),
        ({"kinds": ("released", "spent")}, "2"),
        ({"kinds": ()}, ""),
        ({"limit": 0}, ""),
        ({"limit": 2}, "12"),
        ({"limit": 9}, "1234"),
    ],
)
def test_entries_are_chosen(ledger, arguments, expected):
    """Data set and kinds choose, newest_first turns round, limit cuts."""
    assert list(expected) == [entry.id for entry in ledger.entries(**arguments)]


@pytest.mark.parametrize(("arguments", "words"), [
    ({"kinds": {"audit"}}, "not 'audit'"),
    ({"limit": -1}, "0 or more, not -1"),
    ({"data_set": ""}, "1 to 200 characters"),
    ({"data_set": "a\0"}, r"not 'a\\x00'"),
])  # fmt: skip
def test_nonsense_is_refused_at_once(ledger, arguments, words):
    """A wrong argument is said by the call, not by the first step of the iteration."""
    with pytest.raises(UserError, match=words):
        ledger.entries(**arguments)


@pytest.mark.parametrize("number", [0, 3, 7])
def test_pages_join(url, new, monkeypatch, number):
    """Whether or not the last page of three is full, entries come out once each, either way round."""
    monkeypatch.setattr("qidguard.ledger.reading.PAGE", 3)
    ids = [f"e{i}" for i in range(number)]
    seen = []
    with open_ledger(url) as ledger:
        for entry_id in ids:
            ledger.append(new(entry_id))
        assert ids == [e.id for e in ledger.entries()]
        assert ids[::-1] == [e.id for e in ledger.entries(newest_first=True)]
        for limit in range(number + 2):
            assert ids[:limit] == [e.id for e in ledger.entries(limit=limit)]
        ledger.append(new("last"), guard=lambda reader: seen.extend(e.id for e in reader.entries()))
    assert ids == seen


@pytest.mark.parametrize("entry_id", ["5", "", "a\0b", "\ud800", "é"])
def test_an_unknown_id_gives_none(ledger, entry_id):
    """Also one that no entry can have."""
    assert ledger.entry(entry_id) is None


def test_a_listing_goes_on_while_others_append(ledger, new):
    """An entry that is added during a listing comes at its end, and nobody waits for the listing."""
    listing = ledger.entries()
    assert next(listing).id == "1"
    ledger.append(new("5"))
    assert [entry.id for entry in listing][:3] == ["2", "3", "4"]
