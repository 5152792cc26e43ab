"""The next run of a data set, as Airflow has it."""

from datetime import UTC, datetime

import pytest
from airflow.models.base import Base
from airflow.models.dag import DagModel
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from qidguard_provider.plugins.pages.app import NextRun, ledger_address, next_runs, soonest

pytestmark = pytest.mark.airflow

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


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
