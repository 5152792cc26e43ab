"""What the pages of the privacy gate show, to whom, and what they never show."""

import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from html import unescape
from types import SimpleNamespace

import pytest
from airflow.api_fastapi.common.db.common import _get_session
from airflow.api_fastapi.core_api.security import get_user
from airflow.models.base import Base
from airflow.models.dag import DagModel
from fastapi.testclient import TestClient
from sqlalchemy import NullPool, create_engine
from sqlalchemy.orm import Session

from example_report import passed
from page_ledger import HOSTILE, NIGHTLY, NOW, POLICY_HOSTILE, SEED, VALUE, fill, rules, table
from qidguard.ledger import open_ledger
from qidguard.releasing.deciding.checked_entry import record_report
from qidguard.releasing.history.published import withdraw
from qidguard_provider.plugins.pages import app as pages_app
from qidguard_provider.plugins.pages.app import may_read
from releases import Place, judged, people

pytestmark = pytest.mark.airflow

LATER = NOW + timedelta(hours=3)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A ledger with something of everything."""
    return fill(tmp_path_factory.mktemp("place"))


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """Airflow's table of DAGs: one runs nightly, one on data."""
    engine = create_engine(f"sqlite:///{tmp_path_factory.mktemp('airflow')}/airflow.db", poolclass=NullPool)
    Base.metadata.create_all(engine, tables=[DagModel.__table__])
    at = {"next_dagrun_create_after": datetime(2026, 11, 22, 2, tzinfo=UTC)}
    fields = {"bundle_name": "dags", "is_stale": False, "is_paused": False, "fileloc": "f"}
    with Session(engine) as session:
        session.add(DagModel(dag_id="nightly", **fields, **at))
        session.add(DagModel(dag_id="on_arrival", **fields, asset_expression={"all": []}))
        session.commit()

    def in_session():
        with Session(engine) as session:
            yield session

    return in_session


class Reader:
    """Somebody who is logged in and reads pages."""

    def __init__(self, client):
        self._client = client

    def get(self, path):
        """Return an answer."""
        return self._client.get(path, follow_redirects=False)

    def text(self, path):
        """Return the words of a page, one line for each text between tags, scripts and style left out."""
        found = self.get(path)
        assert found.status_code == 200, found.text
        body = found.text.partition("</head>")[2]
        return [unescape(t).strip() for t in re.split(r"<[^>]*>", body) if t.strip()]


@pytest.fixture
def reading(monkeypatch, database):
    """Return how somebody reads the pages of a ledger; they may read all DAGs but those that are hidden."""

    @contextmanager
    def open_at(address, hidden=()):
        readable = {"nightly", "on_arrival"} - set(hidden)
        monkeypatch.setattr(pages_app, "ledger_address", lambda: address)
        monkeypatch.setattr(pages_app, "readable_dags", lambda _: readable)
        monkeypatch.setattr(pages_app, "_now", lambda: LATER)
        app = pages_app.pages()
        app.dependency_overrides[get_user] = lambda: SimpleNamespace(name="reader")
        app.dependency_overrides[may_read] = lambda: None
        app.dependency_overrides[_get_session] = database
        with TestClient(app, root_path="") as client:
            yield Reader(client)

    return open_at


@pytest.fixture
def reader(reading, place):
    """Somebody who reads the pages of the whole ledger."""
    with reading(place.ledger) as found:
        yield found


def audit_of(place, data_set):
    """Return the id of the last verdict on a data set."""
    verdicts = [e for e in place.entries("audited", "checked", "failed") if e.data_set == data_set]
    return verdicts[-1].payload["audit_id"]


def rows(page):
    """Return for each data set of a list its words."""
    body = page.text.partition("<tbody")[2].partition("</tbody")[0]
    return [
        [unescape(t).strip() for t in re.split(r"<[^>]*>", row) if t.strip()]
        for row in body.split('<tr role="row">')[1:]
    ]


def test_the_list_says_what_came_of_each_data_set(reader):
    """What needs attention comes first, then the others by name."""
    found = rows(reader.get("/"))
    assert [(row[0], row[2]) for row in found] == [
        ("claims", "failed"),
        ("school", "blocked"),
        (HOSTILE, "passed"),
        ("pilot", "published by exception"),
        ("ward", "published"),
    ]


def test_a_row_carries_policy_moment_reason_release_exception_and_next_run(reader):
    """All that the ledger and Airflow know of a data set stands on its row."""
    claims, school, _, pilot, ward = (" | ".join(row) for row in rows(reader.get("/")))
    assert "2026-11-21 12:00 | 3 hours ago" in claims
    assert "gone.csv' does not exist; check the path." in claims
    assert "k-anonymity is 4 entities, must be at least 5 (1 short), over age, sex." in school
    assert "Tightest: k-anonymity 4 entities, at least 5" in school
    assert "Next run | on data | on_arrival" in school
    assert "1 valid | next ends | 2026-12-01" in pilot
    assert "not known" in pilot
    assert "people, 5-anonymous" in ward
    assert "Last release | 2026-11 | 2026-11-21 12:00" in ward
    assert "Next run | 2026-11-22 02:00 | in 11 hours | nightly" in ward


def test_a_dag_that_somebody_may_not_read_is_not_named(reading, place):
    """Neither in the list, nor on an audit's page, nor in the document."""
    with reading(place.ledger, hidden={"nightly"}) as reader:
        told = [reader.get(p).text for p in ("/", f"/audits/{audit_of(place, 'ward')}", "/api/overview")]
    assert [text.count("nightly") for text in told] == [0, 0, 0]
    assert "on_arrival" in told[0]


def test_the_list_can_be_searched_and_narrowed(reader):
    """By a part of the name in any case, and to what needs attention."""
    assert [row[0] for row in rows(reader.get("/?q=WAR"))] == ["ward"]
    assert [row[0] for row in rows(reader.get("/?show=attention"))] == ["claims", "school"]
    assert "No data set has a name like this." in reader.text("/?q=nothing")
    assert "Nothing needs attention." in reader.text("/?q=ward&show=attention")


def test_an_address_that_asks_for_nonsense_is_refused_with_a_page(reader):
    """One sentence, and nothing of what was asked."""
    for path in ("/?page=0", "/?page=x", "/?show=<b>", f"/?q={'x' * 201}"):
        found = reader.get(path)
        assert (found.status_code, "asks for something that is not there" in found.text) == (422, True)
        assert "<b>" not in found.text


def test_300_data_sets_come_page_by_page(reading, tmp_path):
    """Fifty at a time, with the way to the next."""
    address = f"sqlite:///{tmp_path / 'ledger.db'}"
    with open_ledger(address) as ledger:
        for number in range(120):
            record_report(ledger, passed(), data_set=f"set-{number:03}", at=NOW)
    with reading(address) as reader:
        first, last, beyond = (reader.get(f"/?page={page}") for page in (1, 3, 9))
    assert (len(rows(first)), rows(first)[0][0]) == (50, "set-000")
    assert (len(rows(last)), rows(last)[0][0]) == (20, "set-100")
    assert rows(beyond) == rows(last)
    assert "page=2" in first.text
    assert "Page 1 of 3" in first.text


def test_an_audit_shows_verdict_thresholds_columns_and_run(reader, place):
    """Counts, names and rules: what a person needs to believe the verdict."""
    told = " | ".join(reader.text(f"/audits/{audit_of(place, 'school')}"))
    assert "blocked | 2026-11-21 12:00" in told
    assert "k-anonymity | over age, sex | Measured | 4 entities | Must be | at least 5" in told
    assert "name | Role | direct identifier | Decided by | person | Distinct values | 12" in told
    assert "default | Quasi-identifiers | age, sex | Classes | 3 | Smallest | 4" in told
    assert "Started by | DAG on_arrival, task audit, run scheduled" in told
    assert "Policy | people, 5-anonymous (SHA-256 " in told


def test_an_exception_is_shown_where_it_was_made_and_where_it_was_used(reader, place):
    """By whom, what it covers, why and until when."""
    blocked, published = [e.id for e in place.entries("audited") if e.data_set == "pilot"]
    made, used = (" | ".join(reader.text(f"/audits/{audit_id}")) for audit_id in (blocked, published))
    words = (
        "A. Roe | Covers | k_anonymity ≥ 5 (accepted: 4) | Reason | one hospital | Until | 2026-12-01 | valid"
    )
    assert words in made
    assert f"{words}, used by this audit" in used
    assert "published by exception" in used
    assert "There is a later verdict on this data set:" in made


def test_a_failure_has_a_page_of_its_own(reader, place):
    """Its id is the audit's that would have been."""
    told = " | ".join(reader.text(f"/audits/{audit_of(place, 'claims')}"))
    assert "failed | 2026-11-21 12:00" in told
    assert "The run ended before any threshold was judged." in told


@pytest.mark.parametrize("audit_id", ["audit-nowhere", "exception-1", "%3Cb%3E", "a%00b", "x" * 500])
def test_an_audit_that_is_not_there_is_not_found(reader, audit_id):
    """A page with status 404, and nothing of what was asked."""
    found = reader.get(f"/audits/{audit_id}")
    assert (found.status_code, "The ledger has no audit of this name." in found.text) == (404, True)
    assert "<b>" not in found.text


def test_an_entry_of_another_kind_is_no_audit(reader, place):
    """Only verdicts and failures have a page."""
    (exception,) = place.entries("exception")
    assert reader.get(f"/audits/{exception.id}").status_code == 404


def every_page(reader, place):
    """Return the text of every page and of the document."""
    audits = [f"/audits/{e.payload['audit_id']}" for e in place.entries("audited", "checked", "failed")]
    return [reader.get(path).text for path in ("/", "/api/overview", *audits)]


def test_no_page_shows_the_seed_a_value_or_a_key(reader, place):
    """The internal record holds the seed of the record order, the table holds values: neither is shown."""
    published = audit_of(place, "ward")
    assert place.record(published)["order"]["seed"] == SEED
    assert VALUE in (place.releases("ward")[0] / "ward.parquet").read_bytes().decode("latin-1")
    pages = every_page(reader, place)
    assert len(pages) == 8
    for word in (str(SEED), VALUE, "BEGIN", "envelope"):
        assert [word in page for page in pages] == [False] * 8, word


def test_names_from_outside_are_text_and_never_markup(reader):
    """A data set, a column, a policy and a metric may be called like a tag."""
    found = [reader.get("/").text, reader.get("/audits/audit-hostile").text]
    for page in found:
        assert HOSTILE not in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page
        assert POLICY_HOSTILE not in page
        assert page.count("<script>") == page.count("<style>") == 1


def test_answers_let_nothing_foreign_in(reader):
    """No script but the page's own, nothing from the network, no other site's frame, nothing kept."""
    for path in ("/", "/audits/none", "/api/overview", "/nothing-here"):
        headers = reader.get(path).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy.pop("style-src").startswith("'sha256-")
        assert policy.pop("script-src").startswith("'sha256-")
        assert policy == {
            "default-src": "'none'",
            "form-action": "'self'",
            "base-uri": "'none'",
            "frame-ancestors": "'self'",
        }
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"


def test_pages_name_no_other_server(reader, place):
    """They work where there is no network: every address is relative."""
    for page in every_page(reader, place):
        # the address of SVG's own names is never fetched, and is not even needed in HTML
        assert re.findall(r"""(?:src|href|action|url)\s*[=(]\s*["']?(?:https?:)?//""", page) == []


def test_the_document_says_the_same_as_the_page(reader):
    """For programs: data sets by name, their trend, releases and next runs."""
    found = reader.get("/api/overview").json()
    assert (found["total"], [d["data_set"] for d in found["data_sets"]]) == (
        5,
        [HOSTILE, "claims", "pilot", "school", "ward"],
    )
    ward = found["data_sets"][-1]
    assert (ward["trend"][-1]["status"], ward["released"]["release_id"]) == ("published", "2026-11")
    assert ward["next_runs"] == [{"dag_id": "nightly", "at": "2026-11-22T02:00:00+00:00", "words": ""}]
    assert reader.get("/api/overview?q=war&limit=1").json()["total"] == 1


@pytest.mark.parametrize("path", ["/api/overview?limit=0", "/api/overview?limit=1001", "/api/nothing"])
def test_a_program_is_refused_with_a_document(reader, path):
    """Never with a page."""
    found = reader.get(path)
    assert found.status_code in {404, 422}
    assert list(found.json()) == ["detail"]


def test_looking_makes_no_ledger(reading, tmp_path):
    """Where none was made there are no audits yet, and still no ledger afterward."""
    folder = tmp_path / "home"
    with reading(f"sqlite:///{folder}/ledger.db") as reader:
        assert "No audits yet: the ledger is empty, or none was made." in reader.text("/")
        assert reader.get("/audits/audit-1").status_code == 404
        assert reader.get("/api/overview").json() == {"total": 0, "data_sets": []}
    assert not folder.exists()


def test_a_ledger_without_entries_has_no_audits_yet(reading, tmp_path):
    """It was made, and nothing was recorded."""
    with open_ledger(f"{tmp_path}/ledger.db"):
        pass
    with reading(f"{tmp_path}/ledger.db") as reader:
        assert "No audits yet: the ledger is empty, or none was made." in reader.text("/")


@pytest.mark.parametrize("path", ["/", "/audits/audit-1", "/api/overview"])
@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("postgresql://gate:s3cr3t-word@127.0.0.1:1/ledger", "postgresql://127.0.0.1:1/ledger"),
        ("mysql://gate:s3cr3t-word@db/ledger", "a ledger is in SQLite or PostgreSQL"),
        ("{tmp}/garbage.db", "no ledger of qidguard"),
        ("{tmp}", "is a folder"),
    ],
)
def test_a_ledger_that_cannot_be_read_is_a_clear_page(reading, tmp_path, path, address, sentence):
    """Status 503, one sentence, no traceback, and no password."""
    (tmp_path / "garbage.db").write_bytes(b"this is no database" * 100)
    with reading(address.format(tmp=tmp_path)) as reader:
        found = reader.get(path)
    assert (found.status_code, sentence in unescape(found.text)) == (503, True), found.text
    assert "s3cr3t" not in found.text
    assert "Traceback" not in found.text


def test_the_words_of_a_foreign_error_are_not_shown(reading, place, monkeypatch, caplog):
    """They could hold values; the kind of the error must do, on the page and in the log."""

    def broken(_):
        raise ValueError(VALUE)

    with reading(place.ledger) as reader:
        monkeypatch.setattr(pages_app, "readable_dags", broken)
        found = reader.get("/")
    assert (found.status_code, "internal error (ValueError)" in found.text) == (503, True)
    assert VALUE not in found.text + caplog.text


def test_what_is_recorded_later_is_seen(reading, tmp_path):
    """A page is never older than the ledger, though it reads only what is new."""
    address = f"{tmp_path}/ledger.db"
    with open_ledger(address) as ledger, reading(address) as reader:
        record_report(ledger, passed(), data_set="a", at=NOW)
        assert [row[0] for row in rows(reader.get("/"))] == ["a"]
        record_report(ledger, passed(), data_set="b", at=NOW, origin=NIGHTLY)
        assert [row[0] for row in rows(reader.get("/"))] == ["a", "b"]


def test_a_release_that_was_taken_back_says_so(reading, tmp_path):
    """It is no longer published at any address, and needs attention until the next verdict."""
    place = Place(tmp_path)
    made = place.release(table(5), rules("ward"), now=NOW, release_id="2026-11")
    with open_ledger(place.ledger) as ledger:
        withdraw(ledger, "ward", "2026-11", reason="a wrong file", now=NOW)
    with reading(place.ledger) as reader:
        (row,) = rows(reader.get("/?show=attention"))
        told = " | ".join(reader.text(f"/audits/{made.audit_id}"))
    assert (row[2], "It was withdrawn: a wrong file" in row) == ("withdrawn", True)
    assert "Published at" not in told


def test_nobody_sees_a_page_without_a_login():
    """A person is led to Airflow's login and back; a program is told."""
    with TestClient(pages_app.pages(), follow_redirects=False) as client:
        for path in ("/", "/?q=ward", "/audits/audit-1"):
            found = client.get(path)
            assert (found.status_code, found.text) == (303, "")
            target = path.replace("/", "%2F").replace("?", "%3F").replace("=", "%3D")
            assert found.headers["location"] == f"/api/v2/auth/login?next={target}"
        found = client.get("/api/overview")
        assert (found.status_code, found.json()) == (401, {"detail": "Not authenticated"})


def test_there_are_no_other_addresses():
    """No documentation pages, which would be open to everybody."""
    app = pages_app.pages()
    assert sorted(route.path for route in app.routes) == ["/", "/api/overview", "/audits/{audit_id}"]
    assert [d.dependency for d in app.router.dependencies] == [may_read]


def test_a_blocked_run_says_what_would_make_it_pass(reading, tmp_path):
    """The lines as they were recorded, whom releases isolate by release, and the first of it on the list."""
    place = Place(tmp_path)
    first = people(size=6)
    assert place.release(first, judged(), now=NOW, release_id="2026-10").is_published
    left = place.release(first[1:], judged(), now=NOW, release_id="2026-11", has_advice=True)
    sentence = "The earlier release and this one isolate 1 of 18 entities below k = 5: 1 left."
    with reading(place.ledger) as reader:
        words = reader.text(f"/audits/{left.audit_id}")
        at = words.index("Isolated over releases")
        assert words[at + 1].startswith("1 of 18 persons are in joint classes below k = 5, over age, sex.")
        at = words.index("2026-10", at)
        assert words[at : at + 9] == ["2026-10", "Persons", "1", "Left", "1", "Came", "0", "Stayed", "0"]
        assert sentence in words[words.index("What would make it pass") + 1]
        assert sentence in reader.text("/")
        assert "What would make it pass" not in reader.text(f"/audits/{place.entries('audited')[0].id}")
