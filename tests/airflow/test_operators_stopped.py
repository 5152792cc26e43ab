"""A task that Airflow stops: its private copies are removed, and another try does the same again."""

import subprocess
import sys
from datetime import timedelta

import numpy as np
import pytest
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowTaskTimeout

from qidguard.core.errors import PluginError, UserError
from qidguard_provider.operators import QidguardAuditOperator

pytestmark = pytest.mark.airflow

CHECK = "qidguard.sdk.check"

TASK = """
import os, signal, sys, threading, time
from pathlib import Path
from types import SimpleNamespace as Namespace
from qidguard_provider.operators import QidguardReleaseOperator

folder = Path(sys.argv[1])
operator = QidguardReleaseOperator(
    task_id="publish", policy="big.yaml", source="big.csv", to=str(folder / "published"), release_id="one"
)
signal.signal(signal.SIGTERM, lambda *_: operator.on_kill())  # as Airflow's task runner does it

def stop():
    copies = folder / "tmp"
    while not any(path.is_dir() for path in copies.iterdir()):  # until the table is being copied
        time.sleep(0.01)
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=stop, daemon=True).start()
ti = Namespace(dag_id="d", task_id="t", run_id="r", map_index=-1, try_number=1, xcom_push=print)
try:
    operator.execute({"ti": ti, "dag": Namespace(folder=str(folder)), "outlet_events": {}})
except BaseException as error:
    print("ENDED", type(error).__name__, error)
else:
    print("ENDED well")
"""

POLICY = """qidguard: 1
name: big
roles: {quasi_identifiers: [a, b, c, d]}
attacker: {knows_any: 2}
thresholds:
  - {metric: persons_below_k, at_most: 1500000, parameters: {k: 2}}
release: {data_set: big, earlier_releases: unrelated}
"""


def test_a_stopped_task_leaves_nothing_behind(ward):
    """SIGTERM in the middle of the work ends it in order: no copy, no release, and a retry may follow."""
    numbers = np.random.default_rng(1).integers(0, 40, (1_500_000, 4))
    np.savetxt(ward.folder / "big.csv", numbers, fmt="%d", delimiter=",", header="a,b,c,d", comments="")
    ward.write("big.yaml", POLICY)
    (ward.folder / "tmp").mkdir()
    environment = {"TMPDIR": str(ward.folder / "tmp")}
    done = subprocess.run(
        [sys.executable, "-c", TASK, str(ward.folder)],
        capture_output=True,
        text=True,
        timeout=250,
        check=True,
        env={**_environment(), **environment},
    )
    (ended,) = [line for line in done.stdout.splitlines() if line.startswith("ENDED")]
    assert ended == (
        "ENDED AirflowException The task was stopped before its end. Its temporary copies are removed, and"
        " another try does the same again."
    )
    assert list((ward.folder / "tmp").iterdir()) == []
    assert ward.releases == []


def _environment():
    import os

    return dict(os.environ)


def _audit(**given):
    return QidguardAuditOperator(task_id="audit", policy="ward.yaml", source="ward.csv", **given)


def _interrupted(error):
    def stand_in(*_given, **_more):
        raise error

    return stand_in


@pytest.mark.parametrize(
    "error",
    [KeyboardInterrupt(), RuntimeError("Query interrupted"), PluginError("engine 'x' failed with Stopped")],
)
def test_an_engine_that_hides_the_stop_does_not_hide_it_from_the_task(tried, monkeypatch, error):
    """Whatever the engine makes of the interruption, the task says that it was stopped."""
    operator = _audit()
    monkeypatch.setattr(CHECK, _interrupted(error))
    operator._is_stopped = True
    with pytest.raises(AirflowException, match="The task was stopped before its end") as caught:
        tried.execute(operator)
    assert not isinstance(caught.value, AirflowFailException)


def test_a_stop_while_nothing_works_is_nothing():
    """Airflow may call on_kill after the end, as it does after a timeout."""
    _audit().on_kill()


def test_a_person_at_the_keyboard_stops_everything(tried, monkeypatch):
    """Ctrl-C under ``airflow dags test`` is no failure of one task."""
    monkeypatch.setattr(CHECK, _interrupted(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        tried.execute(_audit())


def test_a_timeout_of_airflow_passes_through(tried, monkeypatch):
    """Airflow's own exception is Airflow's to handle."""
    monkeypatch.setattr(CHECK, _interrupted(AirflowTaskTimeout()))
    with pytest.raises(AirflowTaskTimeout):
        tried.execute(_audit())


@pytest.mark.parametrize("error", [KeyboardInterrupt(), PluginError("engine 'x' failed with a timeout")])
def test_a_timeout_that_the_engine_hides_reads_as_stopped(tried, monkeypatch, error):
    """A query that is interrupted loses the exception of the timeout; the clock tells."""
    monkeypatch.setattr(CHECK, _interrupted(error))
    with pytest.raises(AirflowException, match="The task was stopped before its end"):
        tried.execute(_audit(execution_timeout=timedelta(microseconds=1)))


@pytest.mark.parametrize("limit", [timedelta(seconds=30), timedelta(seconds=60)])
def test_a_mistake_in_time_is_a_mistake(tried, monkeypatch, limit):
    """However short the limit is, what ends long before it was not stopped."""
    operator = _audit(execution_timeout=limit / 60)
    clock = iter([100.0, 100.0 + limit.total_seconds() / 120])
    monkeypatch.setattr("qidguard_provider.operators.gate.time.monotonic", lambda: next(clock))
    monkeypatch.setattr(CHECK, _interrupted(UserError("It is wrong.")))
    with pytest.raises(AirflowFailException, match=r"It is wrong\."):
        tried.execute(operator)
