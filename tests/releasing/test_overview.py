"""Every data set on one line, from entries that can be read by eye."""

from datetime import UTC, date, datetime, timedelta

import pytest

from ledger_book import AIRFLOW, START, TODAY, Book, figure
from qidguard.ledger import open_ledger
from qidguard.releasing.deciding.check import check
from qidguard.releasing.history.overview import LONGEST_TREND, LastRelease, Overviews, RunStatus, overview
from qidguard.releasing.history.timeline import events
from releases import once, other_people, people, policy


def test_each_data_set_with_a_verdict_has_one_line():
    """Sorted by name; what was only spent or excepted is nothing to judge."""
    book = Book().add("spent", "s1", epsilon="1").add("exception", "e1", expires="2026-12-01")
    assert (overview([], today=TODAY), book.overview()) == ((), ())
    book = Book().verdict("checked", "a1", data_set="zoo").verdict("checked", "a2", data_set="ark")
    book.verdict("checked", "a3", "blocked", data_set="zoo", blocks=["No."])
    assert [(line.data_set, line.last.audit_id, len(line.trend)) for line in book.overview()] == [
        ("ark", "a2", 1),
        ("zoo", "a3", 2),
    ]


@pytest.mark.parametrize(("kind", "outcome", "after", "status"), [
    ("checked", "passed", [], "passed"),
    ("checked", "blocked", [], "blocked"),
    ("audited", "blocked", [], "blocked"),
    ("audited", "passed", [], "not published"),
    ("audited", "passed", ["releasing"], "unfinished"),
    ("audited", "passed", ["releasing", "released"], "published"),
    ("audited", "passed", ["releasing", "abandoned"], "cut off"),
    ("audited", "passed", ["releasing", "abandoned", "released"], "published"),
    ("audited", "passed", ["releasing", "released", "abandoned"], "published"),
    ("audited", "passed", ["releasing", "released", "withdrawn"], "withdrawn"),
    ("audited", "passed", ["releasing", "withdrawn", "released"], "withdrawn"),
    ("audited", "passed_by_exception", ["releasing", "released", "withdrawn"], "withdrawn"),
    ("audited", "passed_by_exception", ["releasing"], "unfinished"),
    ("audited", "passed_by_exception", ["releasing", "released"], "published by exception"),
])  # fmt: skip
def test_what_came_of_a_run(kind, outcome, after, status):
    """The last entry on a release decides, except that what was complete stays published."""
    book = Book().verdict(kind, "a1", outcome, release_id="r1", missed=["k is 1."])
    for end in after:
        book.release(end, "a1", address="/published/r1", reason="its run died")
    assert book.only().last.status == status


def test_the_history_of_the_command_line_says_the_same():
    """``qidguard history`` and the overview never disagree on what came of a run."""
    book = (
        Book().verdict("checked", "a1").verdict("audited", "a2", release_id="r1").release("releasing", "a2")
    )
    book.verdict("checked", "a3", "blocked", blocks=["No."]).release("released", "a2", address="/p")
    book.failure("a4", "The disk is full.").failure("a5", "The budget is spent.", exit_code=1)
    words = {"audit passed": "passed", "audit blocked": "blocked"}
    told = [words.get(event.what, event.what) for event in events(book.entries)]
    assert told == [judgment.status for judgment in book.only().trend]
    assert told == ["passed", "published", "blocked", "failed", "blocked"]


def test_an_end_is_of_its_own_audit_alone():
    """A release that is confirmed says nothing of another audit, nor of a failure of the same one."""
    book = Book().verdict("audited", "a1", release_id="r1").verdict("audited", "a2", release_id="r2")
    book.release("releasing", "a1").failure("a1", "It could not be said to last.").release(
        "released", "a1", address="/published/r1"
    )
    assert [j.status for j in book.only().trend] == ["published", "not published", "failed"]


def test_only_three_standings_are_good():
    """Whatever is not known to have ended well is not."""
    assert [status.value for status in RunStatus if status.is_good] == [
        "passed",
        "published",
        "published by exception",
    ]


@pytest.mark.parametrize(("outcome", "payload", "sentence", "reasons"), [
    ("passed", {"figures": []}, "It passed.", 1),
    ("passed", {"figures": [figure("k", 5, 5)]}, "1 threshold holds.", 1),
    ("passed", {"figures": [figure("k", 5, 5)] * 2}, "2 thresholds hold.", 1),
    ("passed", {"figures": [figure("k", 5, 5), figure("l", 1, 2, is_met=False, is_warning=True)]},
        "1 of 2 thresholds hold; it is only warned of what is missed.", 1),
    ("passed_by_exception", {"figures": [figure("k", 3, 5, is_met=False)]},
        "0 of 1 thresholds hold; an exception covers what is missed.", 1),
    ("blocked", {"blocks": ["A column is new."], "missed": ["k is 1."]}, "A column is new.", 2),
    ("blocked", {"missed": ["k is 1."]}, "k is 1.", 1),
    ("blocked", {}, "No threshold was judged.", 1),
    ("blocked", {"missed": ["w is 1.", "k is 3."],
        "figures": [figure("w", 1, 2, is_met=False, is_warning=True), figure("k", 3, 5, is_met=False)]},
        "k is 3.", 1),
])  # fmt: skip
def test_the_reason_in_one_sentence(outcome, payload, sentence, reasons):
    """What blocks beyond thresholds comes first; what only warns is no reason."""
    last = Book().verdict("checked", "a1", outcome, **payload).only().last
    assert (last.sentence, last.reasons) == (sentence, reasons)


def test_a_failure_and_a_release_that_was_cut_off_say_why():
    """The words of the entry are the sentence."""
    book = Book().failure("a1", "The file is gone.").verdict("audited", "a2").release("releasing", "a2")
    book.release("abandoned", "a2", reason="its run died")
    assert [j.sentence for j in book.only().trend] == [
        "The file is gone.",
        "It was not published: its run died.",
    ]


def test_the_trend_is_the_last_thirty_in_their_order():
    """Older verdicts go; the last of the trend is the last verdict."""
    book = Book()
    for number in range(LONGEST_TREND + 2):
        book.verdict("checked", f"a{number}")
    line = book.only()
    assert [j.audit_id for j in line.trend] == [f"a{n}" for n in range(2, 32)]
    assert (line.last.audit_id, line.last.at) == ("a31", START + timedelta(hours=32))


def test_the_last_release_is_kept_after_later_verdicts():
    """The newest confirmed release counts, wherever its audit stands in the trend by now."""
    book = Book()
    for audit_id in ("a1", "a2"):
        book.verdict("audited", audit_id, release_id="r1").release("releasing", audit_id)
        book.release("released", audit_id, address=f"/published/{audit_id}")
    for number in range(LONGEST_TREND):
        book.verdict("checked", f"b{number}", "blocked", blocks=["No."])
    assert book.only().released == LastRelease(
        release_id="r1", audit_id="a2", at=START + timedelta(hours=6), address="/published/a2"
    )


def test_a_withdrawn_release_is_not_the_last_one():
    """The one before it is, while that still stands; a late confirmation brings nothing back."""
    book = Book()
    for audit_id in ("a1", "a2"):
        book.verdict("audited", audit_id, release_id=audit_id).release("releasing", audit_id)
        book.release("released", audit_id, address="/p")
    book.release("withdrawn", "a2", address="/p", reason="a mistake")
    assert (book.only().released.audit_id, book.only().last.sentence) == ("a1", "It was withdrawn: a mistake")
    book.release("released", "a2", address="/p")
    assert book.only().released.audit_id == "a1"
    book.release("withdrawn", "a1", address="/p", reason="the same")
    assert book.only().released is None


def test_a_promised_release_is_not_the_last_one():
    """Only what was seen complete is published."""
    book = Book().verdict("audited", "a1", release_id="r1").release("releasing", "a1", address="/p")
    assert book.only().released is None


@pytest.mark.parametrize(("today", "valid", "expired", "following"), [
    (date(2026, 11, 20), 2, 0, date(2026, 11, 21)),
    (date(2026, 11, 21), 2, 0, date(2026, 11, 21)),
    (date(2026, 11, 22), 1, 1, date(2026, 12, 24)),
    (date(2026, 12, 25), 0, 2, None),
])  # fmt: skip
def test_exceptions_hold_through_their_last_day(today, valid, expired, following):
    """A revoked one is neither valid nor expired."""
    book = Book().verdict("checked", "a1", "blocked", blocks=["No."])
    for entry_id, day in (("e1", "2026-11-21"), ("e2", "2026-12-24"), ("e3", "2026-12-01")):
        book.add("exception", entry_id, expires=day)
    book.add("revoked", "revoked-e3", exception_id="e3", reason="no")
    line = book.only(today)
    assert (line.valid_exceptions, line.expired_exceptions, line.next_expiry) == (valid, expired, following)


def test_dags_are_named_newest_first_and_other_doors_are_none():
    """A run from the command line names no DAG, even if something else calls itself one."""
    gate, book = AIRFLOW | {"dag_id": "gate"}, Book()
    for number, by in enumerate([AIRFLOW, gate, gate, AIRFLOW | {"door": "gx"}]):
        book.verdict("checked", f"a{number}", by=by)
    line = book.only()
    assert line.dag_ids == ("gate", "nightly")
    assert [j.dag_id for j in line.trend] == ["nightly", "gate", "gate", None]


def test_entries_of_old_without_figures_are_read():
    """The first versions kept no figures; the verdict counts all the same."""
    book = Book().verdict("audited", "a1", "blocked", missed=["k is 1."])
    del book.entries[0].payload["figures"]
    assert (book.only().last.sentence, book.only().last.tightest) == ("k is 1.", None)


def test_growing_with_the_ledger_gives_the_same_as_reading_it_whole():
    """What a page has read it need not read again."""
    book = Book().verdict("audited", "a1", release_id="r1").release("releasing", "a1")
    book.release("released", "a1", address="/p").verdict("checked", "a2", data_set="other")
    book.add("exception", "e1", expires="2026-12-01").failure("a3", "Gone.")
    grown = Overviews()
    for number, entry in enumerate(book.entries, start=1):
        grown.add(entry)
        assert grown.on(TODAY) == overview(book.entries[:number], today=TODAY)


@pytest.mark.slow
def test_real_runs_are_read(place):
    """A release that is published, one that is blocked and an audit, as the ledger keeps them."""
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    made = place.release(people(), now=now)
    blocked = place.release(people(size=4, first=900), once(release=other_people("people")), now=now)
    origin = {"door": "airflow", "dag_id": "nightly", "task_id": "audit", "run_id": "r"}
    checked = check(people(), policy=policy(), home=str(place.home), origin=origin, now=now)
    with open_ledger(place.ledger) as ledger:
        (line,) = overview(ledger.entries(), today=TODAY)
    assert [(j.audit_id, j.status.value, j.tightest.value) for j in line.trend] == [
        (made.audit_id, "published", 5),
        (blocked.audit_id, "blocked", 4),
        (checked.audit_id, "passed", 5),
    ]
    assert line.trend[1].sentence.startswith("k-anonymity is 4 entities, must be at least 5 (1 short)")
    assert [j.tightest.room for j in line.trend] == [0.0, pytest.approx(-0.2), 0.0]
    assert line.released.address == made.address
    assert (line.released.audit_id, line.released.release_id) == (made.audit_id, made.release_id)
    assert (line.last.policy, line.dag_ids) == ("people, 5-anonymous", ("nightly",))
