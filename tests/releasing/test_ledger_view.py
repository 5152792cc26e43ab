"""What pages read of the ledger, read once and then what is new."""

from datetime import UTC, date, datetime

import pytest

from example_report import blocked, passed
from qidguard import QidguardError
from qidguard.ledger import LedgerError, NewEntry, open_ledger
from qidguard.ledger.reading import PagingReader
from qidguard.releasing.deciding.checked_entry import record_report
from qidguard.releasing.history.view import LedgerView

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = date(2026, 11, 21)


def recorded(address, *names):
    """Record an audit for each name."""
    with open_ledger(address) as ledger:
        for name in names:
            record_report(ledger, passed(), data_set=name, at=NOW)


def test_a_view_reads_only_what_is_new(tmp_path, monkeypatch):
    """The second time each new entry is read, and one more to know where the view was."""
    address = f"{tmp_path}/ledger.db"
    recorded(address, *"abcd")
    read = []
    own = PagingReader.entries
    monkeypatch.setattr(
        PagingReader, "entries", lambda *a, **k: (read.append(e.data_set) or e for e in own(*a, **k))
    )
    view = LedgerView()
    assert [line.data_set for line in view.overview(address, TODAY)] == list("abcd")
    recorded(address, "e")
    with open_ledger(address) as ledger:
        record_report(ledger, blocked(), data_set="e", at=NOW)
    read.clear()
    found = view.overview(address, TODAY)
    assert [line.data_set for line in found] == list("abcde")
    assert [judgment.status.value for judgment in found[-1].trend] == ["passed", "blocked"]
    assert read == ["e", "e", "d"]


def test_a_view_forgets_a_ledger_that_is_another_one(tmp_path):
    """At another address, and at the same one when the ledger was made anew."""
    first, second = f"{tmp_path}/one.db", f"{tmp_path}/two.db"
    recorded(first, "a", "b")
    recorded(second, "c", "d", "e")
    view = LedgerView()
    assert [line.data_set for line in view.overview(first, TODAY)] == ["a", "b"]
    assert [line.data_set for line in view.overview(second, TODAY)] == ["c", "d", "e"]
    (tmp_path / "two.db").unlink()
    for rest in tmp_path.glob("two.db-*"):
        rest.unlink()
    recorded(second, "f", "g", "h", "i")
    assert [line.data_set for line in view.overview(second, TODAY)] == ["f", "g", "h", "i"]


def test_a_view_takes_nothing_half(tmp_path):
    """An entry that cannot be understood is an error each time, not only the first."""
    address = f"{tmp_path}/ledger.db"
    recorded(address, "a")
    with open_ledger(address) as ledger:
        ledger.append(NewEntry(id="odd", kind="checked", data_set="b", at=NOW, payload={}))
    view = LedgerView()
    for _ in range(2):
        with pytest.raises(LedgerError, match="cannot be read as checked"):
            view.overview(address, TODAY)


def test_a_blocked_set_of_figures_is_read(tmp_path):
    """The example of a blocked report: one figure missed, one without a number."""
    address = f"{tmp_path}/ledger.db"
    with open_ledger(address) as ledger:
        record_report(ledger, blocked(), data_set="a", at=NOW)
    (line,) = LedgerView().overview(address, TODAY)
    assert (line.last.status, line.last.reasons, line.last.tightest.metric) == ("blocked", 4, "k_map")


def test_an_audit_is_shown_with_what_came_later(tmp_path):
    """Its line, its verdict and its figures; another name is none, and so is a ledger that nobody made."""
    address = f"{tmp_path}/ledger.db"
    view = LedgerView()
    assert view.audit(address, "audit-1", TODAY) is None
    with open_ledger(address) as ledger:
        made = record_report(ledger, blocked(), data_set="a", at=NOW)
    assert view.audit(address, "audit-1", TODAY) is None
    (line,) = view.overview(address, TODAY)
    found = view.audit(address, line.last.audit_id, TODAY)
    assert made is not None
    assert (found.line, found.judgment, found.is_failure) == (line, line.last, False)
    assert [figure["is_met"] for figure in found.figures].count(False) >= 1


def test_what_is_no_ledger_is_no_empty_one(tmp_path):
    """A file of something else is told of."""
    (tmp_path / "ledger.db").write_bytes(b"no database " * 100)
    with pytest.raises(QidguardError, match="ledger"):
        LedgerView().overview(f"{tmp_path}/ledger.db", TODAY)
