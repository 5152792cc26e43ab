"""The parts of the pages: drawings, words, next runs, what is read of the ledger, and the plugin itself."""

import doctest
import subprocess
import sys
from datetime import UTC, date, datetime
from importlib import import_module
from types import SimpleNamespace

import pytest
from airflow.api_fastapi.core_api.datamodels.plugins import ExternalViewResponse
from airflow.models.base import Base
from airflow.models.dag import DagModel
from airflow.plugins_manager import is_valid_plugin
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from qidguard.interfaces.airflow.pages.drawing import EDGE, HALF_HEIGHT, STEP, bar, look, trend
from qidguard.interfaces.airflow.pages.ledger_view import LedgerView, ledger_address
from qidguard.interfaces.airflow.pages.next_run import NextRun, next_runs, soonest
from qidguard.interfaces.airflow.pages.words import asked, measured
from qidguard.interfaces.airflow.plugin import QidguardPlugin
from qidguard.ledger import Ledger, NewEntry, open_ledger
from qidguard.releasing.findings import findings_of, record_check
from qidguard.releasing.judgement import Judgement, Standing
from qidguard.releasing.tightest import Tightest
from qidguard.report.example import blocked, passed

pytestmark = pytest.mark.airflow

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = date(2026, 11, 21)
MIDDLE = EDGE + HALF_HEIGHT
MODULES = (
    "plugin",
    *(f"pages.{name}" for name in ("app", "audit_page", "drawing", "ledger_view", "next_run")),
)
MODULES += tuple(f"pages.{name}" for name in ("overview_page", "readers", "render", "words"))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_true(name):
    """Every example in the documentation of these modules gives what it says."""
    found = doctest.testmod(import_module(f"qidguard.interfaces.airflow.{name}"))
    assert (found.failed, found.attempted > 0) == (0, True)


def judgement(standing, room=None):
    """Return a verdict whose tightest figure has some room."""
    figure = None
    if room is not None:
        figure = Tightest(
            metric="k_anonymity",
            title="k-anonymity",
            sensitive=None,
            value=4,
            unit="records",
            bound="at_least",
            limit=5,
            is_met=room >= 0,
            room=room,
        )
    return Judgement(
        audit_id="a",
        at=NOW,
        standing=standing,
        sentence="",
        reasons=1,
        policy=None,
        release_id=None,
        is_excepted=False,
        tightest=figure,
        dag_id=None,
    )


def test_a_mark_stands_as_high_as_there_is_room():
    """On the middle there is none, at the top all, at the bottom the figure is as far off as can be."""
    runs = [judgement(Standing.PASSED, room) for room in (1.0, 0.5, 0.0, -0.5, -1.0)]
    drawn = trend(runs, 5)
    assert [mark.y for mark in drawn.marks] == [EDGE, EDGE + 9, MIDDLE, MIDDLE + 9, MIDDLE + HALF_HEIGHT]
    assert [mark.x for mark in drawn.marks] == [EDGE + STEP * n for n in range(5)]
    assert (drawn.width, drawn.height) == (2 * EDGE + 4 * STEP, 2 * MIDDLE)


def test_the_last_verdict_is_at_the_right():
    """However many there are, so that data sets can be compared."""
    (mark,) = trend([judgement(Standing.PASSED, 0.0)], 30).marks
    assert mark.x == EDGE + 29 * STEP


def test_a_verdict_without_a_figure_joins_no_line():
    """A failure stands at the bottom, a verdict of old that was good on the middle."""
    drawn = trend(
        [judgement(Standing.FAILED), judgement(Standing.PASSED), judgement(Standing.BLOCKED, -1)], 3
    )
    assert [mark.y for mark in drawn.marks] == [MIDDLE + HALF_HEIGHT, MIDDLE, MIDDLE + HALF_HEIGHT]
    assert drawn.line == f"{EDGE + 2 * STEP},{MIDDLE + HALF_HEIGHT}"


def test_the_drawing_says_in_words_what_it_shows():
    """For somebody who cannot see it."""
    drawn = trend([judgement(Standing.PASSED), judgement(Standing.BLOCKED, -0.2)], 2)
    assert drawn.words == (
        "1 of the last 2 runs ended well; the last one: blocked: k-anonymity 4 records, at least 5."
    )
    assert [mark.words for mark in drawn.marks] == [
        "2026-11-21 12:00 passed",
        "2026-11-21 12:00 blocked: k-anonymity 4 records, at least 5",
    ]


def test_standings_look_different_in_shape():
    """Good and bad never look the same, and an exception looks like neither."""
    assert {standing.value: look(standing) for standing in Standing} == {
        "passed": "good",
        "blocked": "blocked",
        "failed": "failed",
        "published": "good",
        "published by exception": "excepted",
        "not published": "open",
        "cut off": "open",
        "unfinished": "open",
        "withdrawn": "open",
    }


@pytest.mark.parametrize(
    ("value", "limit", "expected"),
    [
        (5, 5, (180.0, 180.0)),
        (20, 5, (180.0, 45.0)),
        (0, 5, (0.0, 180.0)),
        (0, 0, (0.0, 0.0)),
        (None, 5, None),
        (-1, 5, None),
        (1, -5, None),
    ],
)
def test_a_bar_is_as_long_as_its_figure(value, limit, expected):
    """The larger of figure and limit takes nine tenths of 200; below zero there is no bar."""
    drawn = bar({"value": value, "limit": limit})
    assert (None if drawn is None else (drawn.figure, drawn.limit)) == expected


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"value": 1, "limit": 5, "unit": "records", "bound": "at_least"}, ("1 record", "at least 5")),
        ({"value": 0.2001, "limit": 0.2, "unit": "share", "bound": "at_most"}, ("20.01%", "at most 20%")),
        (
            {"value": None, "reason": "infinite\x1b", "limit": 1, "unit": "bits", "bound": "at_most"},
            ("infinite\\x1b", "at most 1"),
        ),
        (
            {"value": None, "reason": "", "limit": 1, "unit": "", "bound": "at_least"},
            ("not measured", "at least 1"),
        ),
    ],
)
def test_figures_are_written_with_their_unit(item, words):
    """With as many digits as tell a figure from its limit."""
    assert (measured(item), asked(item)) == words


@pytest.fixture
def session():
    """A session of Airflow's database with DAGs of every kind."""
    at = datetime(2026, 11, 22, 2, tzinfo=UTC)
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine, tables=[DagModel.__table__])
    kinds = {
        "nightly": {"next_dagrun_create_after": at},
        "on_arrival": {"asset_expression": {"all": []}},
        "manual": {},
        "paused": {"next_dagrun_create_after": at, "is_paused": True},
        "gone": {"next_dagrun_create_after": at, "is_stale": True},
    }
    with Session(engine) as opened:
        for dag_id, more in kinds.items():
            fields = {"is_paused": False, "is_stale": False} | more
            opened.add(DagModel(dag_id=dag_id, bundle_name="dags", fileloc="f", **fields))
        opened.commit()
        yield opened
    engine.dispose()


def test_next_runs_are_as_airflow_has_them(session):
    """At a moment, on data, on demand or paused; a DAG that is gone has none."""
    found = next_runs(session, {"nightly", "on_arrival", "manual", "paused", "gone", "unknown"})
    assert {name: (run.at, run.words) for name, run in found.items()} == {
        "nightly": (datetime(2026, 11, 22, 2, tzinfo=UTC), ""),
        "on_arrival": (None, "on data"),
        "manual": (None, "on demand"),
        "paused": (None, "paused"),
    }


def run(dag_id, words="", hour=None):
    """Return a next run."""
    return NextRun(dag_id=dag_id, at=None if hour is None else NOW.replace(hour=hour), words=words)


def test_of_several_dags_the_soonest_counts():
    """The clock before data, data before a person, and paused ones last."""
    runs = {r.dag_id: r for r in (run("late", hour=9), run("early", hour=3), run("data", "on data"))}
    runs |= {r.dag_id: r for r in (run("hand", "on demand"), run("paused", "paused"))}
    assert soonest(["late", "data", "early"], runs).dag_id == "early"
    assert soonest(["paused", "hand", "data"], runs).dag_id == "data"
    assert soonest(["paused", "hand"], runs).dag_id == "hand"
    assert soonest(["gone"], runs) is None


def recorded(address, *names):
    """Record an audit for each name."""
    with open_ledger(address) as ledger:
        for name in names:
            record_check(ledger, findings_of(passed()), data_set=name, at=NOW)


def test_a_view_reads_only_what_is_new(tmp_path, monkeypatch):
    """The second time each new entry is read, and one more to know where the view was."""
    address = f"{tmp_path}/ledger.db"
    recorded(address, *"abcd")
    read = []
    own = Ledger.entries
    monkeypatch.setattr(
        Ledger, "entries", lambda *a, **k: (read.append(e.data_set) or e for e in own(*a, **k))
    )
    view = LedgerView()
    assert [line.data_set for line in view.overview(address, TODAY)] == list("abcd")
    recorded(address, "e")
    with open_ledger(address) as ledger:
        record_check(ledger, findings_of(blocked()), data_set="e", at=NOW)
    read.clear()
    found = view.overview(address, TODAY)
    assert [line.data_set for line in found] == list("abcde")
    assert [judgement.standing.value for judgement in found[-1].trend] == ["passed", "blocked"]
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
        with pytest.raises(KeyError):
            view.overview(address, TODAY)


def test_a_blocked_set_of_figures_is_read(tmp_path):
    """The example of a blocked report: one figure missed, one without a number."""
    address = f"{tmp_path}/ledger.db"
    with open_ledger(address) as ledger:
        record_check(ledger, findings_of(blocked()), data_set="a", at=NOW)
    (line,) = LedgerView().overview(address, TODAY)
    assert (line.last.standing, line.last.reasons, line.last.tightest.metric) == ("blocked", 4, "k_map")


def test_the_ledger_is_the_connections_else_the_environments(monkeypatch, tmp_path):
    """As for every task of the gate."""
    monkeypatch.delenv("QIDGUARD_LEDGER", raising=False)
    monkeypatch.setenv("QIDGUARD_HOME", str(tmp_path))
    monkeypatch.setenv("_AIRFLOW_PROCESS_CONTEXT", "client")  # this test has no database of Airflow
    assert ledger_address() == f"sqlite:///{tmp_path}/ledger.db"
    monkeypatch.setenv(
        "AIRFLOW_CONN_QIDGUARD_DEFAULT", '{"conn_type": "qidguard", "extra": {"home": "/srv/g"}}'
    )
    assert ledger_address() == "sqlite:////srv/g/ledger.db"
    monkeypatch.setenv(
        "AIRFLOW_CONN_QIDGUARD_DEFAULT", '{"conn_type": "qidguard", "extra": {"ledger": "postgresql://db/l"}}'
    )
    assert ledger_address() == "postgresql://db/l"


def test_the_plugin_is_one_that_airflow_takes():
    """A menu entry below "Browse" that opens the pages inside Airflow's own, and the pages themselves."""
    assert is_valid_plugin(QidguardPlugin)
    (view,) = [ExternalViewResponse(**view) for view in QidguardPlugin.external_views]
    assert (view.name, view.href, view.url_route, view.category, view.destination) == (
        "Privacy gate",
        "qidguard/",
        "privacy-gate",
        "browse",
        "nav",
    )
    plugin = QidguardPlugin()
    (mounted,) = plugin.fastapi_apps
    assert (mounted["url_prefix"], mounted["name"]) == ("/qidguard", "Privacy gate")
    assert plugin.fastapi_apps[0]["app"] is mounted["app"]


def test_pages_that_cannot_be_made_do_not_stop_the_server(monkeypatch, caplog):
    """An Airflow in which something moved still starts, without the pages, and says so."""
    monkeypatch.setitem(sys.modules, "qidguard.interfaces.airflow.pages.app", None)
    assert QidguardPlugin().fastapi_apps == []
    assert "The pages of the privacy gate need" in caplog.text


def test_the_plugin_is_light():
    """Every process of Airflow imports it: no table library, no database of ours, no web framework."""
    code = (
        "import sys, airflow.settings; before = set(sys.modules); import qidguard.interfaces.airflow.plugin;"
        "print(*sorted(m for m in set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    added = {name.split(".")[0] for name in done.stdout.split()}
    assert added <= {"airflow", "qidguard"}
    assert not [n for n in done.stdout.split() if n.startswith(("qidguard.ledger", "qidguard.releasing"))]


def test_a_summary_of_nothing_is_no_trend():
    """A caller may hand over no verdict at all."""
    assert trend([], 30).marks == ()
    assert soonest([], {"a": SimpleNamespace(at=None, words="paused")}) is None
