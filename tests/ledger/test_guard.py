"""A guard decides under the lock: what it raises refuses the entry."""

import pytest

from qidguard.core.errors import UserError
from qidguard.ledger import open_ledger


class NoError(Exception):
    """The guard's own refusal."""


def refuse(_):
    """Refuse everything."""
    raise NoError("refused")


@pytest.fixture
def ledger(url, new):
    """Return a ledger with one entry."""
    with open_ledger(url) as opened:
        opened.append(new("first", kind="spent"), attachments=[b"x"])
        yield opened


def test_a_refused_entry_leaves_nothing(ledger, new, raw):
    """Neither entry, attachment nor head is written, and the guard's error comes out as it is."""
    before = ledger.head()
    with pytest.raises(NoError, match=r"^refused$"):
        ledger.append(new("a"), attachments=[b"new"], guard=refuse)
    assert before == ledger.head()
    assert raw.execute("SELECT count(*) FROM attachment") == [(1,)]
    assert ledger.check() == ()
    assert ledger.append(new("a")).sequence == 2


def test_a_guard_reads_what_stands_there(ledger, new):
    """It sees entries by data set and kind, one by id, and attachments; not the new one."""
    seen = []

    def guard(reader):
        seen.extend(reader.entries(data_set="visits", kinds={"spent"}, newest_first=True, limit=3))
        seen.append(reader.entry("first"))
        seen.append(reader.entry("a"))
        seen.append(reader.attachment(seen[0].attachments[0]))
        next(reader.entries())  # an iterator that nobody finishes does no harm

    first = ledger.entry("first")
    assert ledger.append(new("a"), guard=guard).sequence == 2
    assert [first, first, None, b"x"] == seen


def test_a_guard_is_not_asked_about_what_stands_there_already(ledger, new):
    """A repeated request is answered even when the guard would refuse it by now."""
    assert ledger.append(new("first", kind="spent"), attachments=[b"x"], guard=refuse).sequence == 1


def test_a_guard_cannot_ask_for_nonsense(ledger, new):
    """Its reader checks arguments as the ledger does."""
    with pytest.raises(UserError, match="a ledger has entries of"):
        ledger.append(new("a"), guard=lambda reader: reader.entries(kinds={"spend"}))
    assert ledger.head()[0] == 1
