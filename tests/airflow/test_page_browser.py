"""The pages in a real Airflow, asked by real users, and looked at in a real browser."""

import re
from collections.abc import Iterator

import pytest

from api_server import ApiServer
from browser import browser, visit
from page_ledger import HOSTILE, fill

pytestmark = [pytest.mark.airflow, pytest.mark.live]

DAG_FILE = """
from datetime import datetime
from airflow.sdk import DAG, Asset
from airflow.providers.standard.operators.empty import EmptyOperator

with DAG("nightly", schedule="0 2 * * *", start_date=datetime(2026, 1, 1), catchup=False):
    EmptyOperator(task_id="audit")
with DAG("on_arrival", schedule=[Asset(name="raw", uri="file:///srv/raw.csv")]):
    EmptyOperator(task_id="audit")
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A ledger with something of everything."""
    return fill(tmp_path_factory.mktemp("place"))


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[ApiServer]:
    """A running server of Airflow that knows two DAGs, below a path as behind a proxy."""
    root = tmp_path_factory.mktemp("airflow")
    (root / "dags").mkdir()
    (root / "dags" / "two.py").write_text(DAG_FILE)
    with ApiServer(root / "home", root / "dags", below="/airflow") as running:
        yield running


@pytest.fixture(scope="module")
def chrome():
    """A running browser."""
    with browser() as running:
        yield running


@pytest.fixture
def told(server, place):
    """The server, whose default connection names the ledger."""
    server.say_where(place.ledger)
    return server


def test_nobody_but_users_gets_an_answer(told):
    """Without a token there is none, with a wrong one neither; everybody who may log in may read."""
    for path in ("/qidguard/", "/qidguard/audits/audit-hostile"):
        assert told.ask("GET", path, user=None).status == 303
    assert told.ask("GET", "/qidguard/api/overview", user=None).status == 401
    told._tokens["wrong"] = "no.such.token"
    assert told.ask("GET", "/qidguard/", user="wrong").status == 403
    for user in ("admin", "guest"):
        assert told.ask("GET", "/qidguard/", user=user).status == 200
        assert told.ask("GET", "/qidguard/api/overview", user=user).document["total"] == 5


def test_documentation_pages_of_the_web_framework_are_not_there(told):
    """They would load scripts from the network."""
    for path in ("docs", "redoc", "openapi.json"):
        assert told.ask("GET", f"/qidguard/{path}").status == 404


def test_next_runs_are_those_of_airflow(told):
    """The clock's and the data's, as this Airflow has them."""
    found = {
        d["data_set"]: d["next_runs"] for d in told.ask("GET", "/qidguard/api/overview").document["data_sets"]
    }
    assert [(r["dag_id"], r["at"], r["words"]) for r in found["school"]] == [("on_arrival", None, "on data")]
    (nightly,) = found["ward"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT02:00:00(Z|\+00:00)", nightly["at"])
    assert found["pilot"] == []


def test_a_ledger_that_is_not_there_yet_or_cannot_be_reached(server):
    """No connection, no ledger: no audits yet, and none is made. A server that is away: 503, no password."""
    server.say_where(None)
    found = server.ask("GET", "/qidguard/")
    assert (found.status, "No audits yet" in found.body) == (200, True)
    assert not (server.home / "qidguard").exists()
    server.say_where("postgresql://gate:s3cr3t-word@127.0.0.1:1/ledger")
    found = server.ask("GET", "/qidguard/")
    assert (found.status, "s3cr3t" in found.body, "Traceback" in found.body) == (503, False, False)
    assert "s3cr3t" not in server.log()


def test_the_menu_opens_the_list_inside_airflow_and_leads_to_a_report(told, chrome):
    """Log in, open the menu's entry, see the data sets, click one: all below Airflow's own address."""
    with visit(chrome, told.url) as seen:
        seen.log_in("/", "guest", told.password)
        seen.page.get_by_text("Browse", exact=True).click()
        seen.page.get_by_text("Privacy gate", exact=True).click()
        frame = seen.frame("Privacy gate", "/qidguard/")
        frame.wait_for_selector("tbody tr")
        names = frame.locator("tbody th a").all_inner_texts()
        assert names == ["claims", "school", HOSTILE, "pilot", "ward"]
        assert frame.locator("tbody tr .badge").all_inner_texts() == [
            "failed",
            "blocked",
            "passed",
            "published by exception",
            "published",
        ]
        frame.get_by_role("link", name="school").click()
        frame.wait_for_selector("dl")
        assert frame.locator("h1").inner_text() == "school"
        assert "k-anonymity is 4 entities, must be at least 5" in frame.locator(".verdict").inner_text()
        seen.page.wait_for_url(re.compile("/plugin/privacy-gate/airflow/qidguard/audits/audit-"))
        seen.page.reload()  # the address leads to the report, so it can be sent to somebody
        again = seen.frame("Privacy gate", "/qidguard/audits/")
        again.wait_for_selector("dl")
        assert again.locator("h1").inner_text() == "school"
        assert (seen.complaints, seen.places - {"data"}) == ([], {told.origin})


def test_somebody_who_is_not_logged_in_comes_back_to_what_they_asked_for(told, chrome):
    """A link to a report leads over the login to the report."""
    with visit(chrome, told.url) as seen:
        seen.log_in("/qidguard/audits/audit-hostile", "guest", told.password)
        seen.page.wait_for_selector("dl")
        assert seen.page.locator("h1").inner_text() == HOSTILE


def test_hostile_names_stay_text(told, chrome):
    """No picture is loaded, no dialog opens, nothing is asked of another server."""
    with visit(chrome, told.url) as seen:
        seen.log_in("/qidguard/", "guest", told.password)
        for path in ("/qidguard/", "/qidguard/audits/audit-hostile", "/qidguard/?q=%3Cimg%20src%3Dx%3E"):
            seen.go(path)
            assert seen.page.locator("img").count() == 0
            assert seen.page.locator("script").count() == 1
        assert (seen.complaints, seen.places) == ([], {told.origin})


@pytest.mark.parametrize("width", [1280, 400])
def test_pages_fit_their_window(told, chrome, place, width):
    """Nobody has to scroll sideways, on a screen or on a telephone."""
    audits = [e.payload["audit_id"] for e in place.entries("audited", "checked", "failed")]
    with visit(chrome, told.url, width=width) as seen:
        seen.log_in("/qidguard/", "guest", told.password)
        for path in ("/qidguard/", *(f"/qidguard/audits/{audit_id}" for audit_id in audits)):
            assert seen.go(path).overflow_pixels() == 0, path
        assert seen.complaints == []


def ground(page):
    """Return the color of a page's ground."""
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_pages_are_as_dark_as_airflow_or_else_as_the_system(told, chrome):
    """What somebody chose in Airflow counts, also when they change their mind; else what the system says."""
    light, dark = "rgb(255, 255, 255)", "rgb(17, 17, 19)"
    for scheme, expected in (("light", light), ("dark", dark)):
        with visit(chrome, told.url, scheme=scheme) as seen:
            seen.log_in("/qidguard/", "guest", told.password)
            assert ground(seen.page) == expected
            for chosen, color in (("dark", dark), ("light", light)):
                seen.page.evaluate("theme => localStorage.setItem('theme', theme)", chosen)
                seen.page.reload()
                assert ground(seen.page) == color


def test_the_table_is_one_for_a_screen_reader_at_any_width(told, chrome):
    """Rows, headers and cells stay what they are when they are drawn as cards; the trend has words."""
    for width in (1280, 400):
        with visit(chrome, told.url, width=width) as seen:
            seen.log_in("/qidguard/", "guest", told.password)
            page = seen.page
            assert page.get_by_role("row").count() == 6
            assert page.get_by_role("rowheader").count() == 5
            assert page.get_by_role("columnheader").count() == 6
            words = page.get_by_role("img").nth(1).get_attribute("aria-label")
            assert words == (
                "0 of the last 1 runs ended well; the last one: blocked: k-anonymity 4 entities, at least 5."
            )
