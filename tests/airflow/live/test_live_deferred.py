"""A deferred release on a real Airflow: heard of, its triggerer killed and started again, given up."""

import pytest

from qidguard_provider.operators.release import run_name

pytestmark = [pytest.mark.airflow, pytest.mark.live, pytest.mark.timeout(420)]

DAG_ID, TASK = "deferred_gate", "publish"


def asleep(airflow, source: str) -> str:
    """Start a run and return its id when its task sleeps."""
    run = airflow.trigger(DAG_ID, {"source": source})

    def is_asleep() -> bool:
        return airflow.tasks(DAG_ID, run).get(TASK) == "deferred"

    airflow.until(is_asleep, "the task to sleep", seconds=90, run=(DAG_ID, run), look_seconds=0.1)
    return run


def heard(airflow) -> None:
    """Wait until a trigger watches over the work, which begins by that."""
    places = airflow.home / "qidguard-deferred"
    airflow.until(lambda: list(places.glob("*/watched")), "the trigger to run", seconds=60, look_seconds=0.1)


def answers(airflow) -> list[str]:
    """Return what lies where work answers."""
    return [folder.name for folder in (airflow.home / "qidguard-deferred").iterdir()]


def published(gate, run: str) -> list[str]:
    """Return the releases that a run made."""
    return [f.name for f in gate.releases(gate.data_set) if f.name == run_name(DAG_ID, run)]


def test_a_release_that_sleeps_is_published_once(airflow, gate):
    """The task wakes up with the verdict of work that held no slot, and tells it as ever."""
    run = asleep(airflow, gate.table("large"))
    assert airflow.wait(DAG_ID, run) == "success"
    assert published(gate, run) == [airflow.returned(DAG_ID, run, TASK)["release_id"]]
    assert airflow.task(DAG_ID, run, TASK)["try_number"] == 1
    # another DAG may publish the same data set meanwhile, which has it audited once more
    kinds = [kind for kind, _ in gate.written(run)]
    assert list(dict.fromkeys(kinds)) == ["audited", "releasing", "released"]
    assert kinds.count("releasing") == kinds.count("released") == 1
    assert answers(airflow) == []


def test_a_table_that_is_blocked_fails_the_task_that_wakes_up(airflow, gate):
    """The run is red, its log names the reason, and nothing is published."""
    run = asleep(airflow, gate.table("bad"))
    assert airflow.wait(DAG_ID, run) == "failed"
    assert published(gate, run) == []
    assert airflow.returned(DAG_ID, run, TASK)["outcome"] == "blocked"
    assert "demo is blocked" in airflow.task_logs(DAG_ID, run)


def test_a_triggerer_that_is_killed_and_started_again_goes_on_waiting(airflow, gate):
    """The work does not notice; its answer is heard by the next triggerer."""
    run = asleep(airflow, gate.table("large"))
    heard(airflow)
    with airflow.killed_triggerer():
        airflow.until(lambda: published(gate, run), "the release to be published", seconds=90)
        assert airflow.tasks(DAG_ID, run)[TASK] == "deferred"
    assert airflow.wait(DAG_ID, run) == "success"
    assert [kind for kind, _ in gate.written(run)].count("released") == 1
    assert answers(airflow) == []


def test_a_task_that_a_person_marks_as_failed_publishes_nothing(airflow, gate):
    """The triggerer hears of it and ends the work: no release, no copy, no process."""
    run = asleep(airflow, gate.table("large"))
    heard(airflow)
    path = f"/dags/{DAG_ID}/dagRuns/{run}/taskInstances/{TASK}"
    airflow.api("PATCH", path, {"new_state": "failed"})
    airflow.until(lambda: not answers(airflow), "the work to end", seconds=60, run=(DAG_ID, run))
    assert published(gate, run) == []
    assert gate.left_over(gate.data_set) == []
    assert "released" not in {kind for kind, _ in gate.written(run)}
