"""The project's DAGs on a real Airflow: what is published, what is not, and after a killed scheduler."""

from collections import Counter
from pathlib import Path

import pytest

from qidguard.evidence.keys import load_public_key
from qidguard.evidence.verify import verify_release
from qidguard_provider.operators.release import run_name

pytestmark = [pytest.mark.airflow, pytest.mark.live, pytest.mark.timeout(420)]

ARRIVED, PUBLISHED = "qidguard://demo/arrived", "qidguard://demo/published"
GATE, ARRIVAL, SIGN_OFF = "gate_and_publish", "publish_on_arrival", "human_sign_off"
NIGHTLY, CONSUMER = "nightly_reaudit", "published_consumer"


def faults(gate, folder: Path) -> tuple[str, ...]:
    """Return what is wrong with a release, by the signer's public key and the policy in force."""
    key = load_public_key(gate.home / "keys" / "signing.pub")
    return verify_release(str(folder), keys=[key], policy_bytes=gate.policy_file.read_bytes()).faults


def told(airflow, run_id: str) -> list[str | None]:
    """Return the releases of which a run told those who wait for the published Asset."""
    events = airflow.events(PUBLISHED)
    return [event["extra"].get("release_id") for event in events if event["source_run_id"] == run_id]


def consumed(airflow, run_id: str) -> list[str]:
    """Return the consumer's runs that heard of a run."""

    def has_heard(consumer: str) -> bool:
        heard = airflow.api("GET", f"/dags/{CONSUMER}/dagRuns/{consumer}/upstreamAssetEvents")["asset_events"]
        return run_id in [event["source_run_id"] for event in heard]

    return [consumer for consumer in airflow.runs(CONSUMER) if has_heard(consumer)]


def check_published(airflow, gate, dag_id: str, run_id: str) -> Path:
    """Check that a run published one release, whole, and that its consumer ran once; return its folder."""
    name = run_name(dag_id, run_id)
    folder = gate.to / gate.data_set / name
    assert [f for f in gate.releases(gate.data_set) if f.name == name] == [folder]
    assert faults(gate, folder) == ()
    assert gate.left_over(gate.data_set) == []
    assert gate.faults() == ()
    assert told(airflow, run_id) == [name]
    airflow.until(lambda: consumed(airflow, run_id), f"the consumer of {run_id}", seconds=60)
    (consumer,) = consumed(airflow, run_id)
    assert airflow.wait(CONSUMER, consumer) == "success"
    assert not gate.elsewhere.exists()  # keys and ledger are those of the connection
    return folder


def check_nothing(airflow, gate, dag_id: str, run_id: str) -> None:
    """Check that a run published nothing, left nothing, and that nobody heard of it."""
    name = run_name(dag_id, run_id)
    assert [f for f in gate.releases(gate.data_set) if f.name == name] == []
    assert gate.left_over(gate.data_set) == []
    assert gate.faults() == ()
    kinds = {kind for kind, _ in gate.written(run_id)}
    assert kinds & {"releasing", "released", "abandoned", "exception", "failed"} == set()
    assert told(airflow, run_id) == consumed(airflow, run_id) == []


@pytest.fixture(scope="module")
def published(airflow, gate) -> str:
    """Return a run of the gate that published the good table."""
    run = airflow.trigger(GATE, {"source": gate.table("good")})
    assert airflow.wait(GATE, run) == "success"
    return run


def test_what_passes_is_published_once_and_its_consumer_runs(airflow, gate, published):
    """A good table: one release, signed and whole; one event; the consumer runs on it and verifies it."""
    run = published
    states = {"audit": "success", "decide": "success", "publish": "success", "block": "skipped"}
    assert airflow.tasks(GATE, run) == states | {"notify": "success"}
    folder = check_published(airflow, gate, GATE, run)
    assert airflow.returned(GATE, run, "publish")["address"] == str(folder)
    outcomes = [(kind, said.get("outcome")) for kind, said in gate.written(run)]
    assert outcomes == [
        ("checked", "passed"),
        ("audited", "passed"),
        ("releasing", "passed"),
        ("released", None),
    ]


def test_what_is_blocked_is_not_published_and_no_consumer_runs(airflow, gate):
    """A bad table: the run is red, the ledger has the audit that blocked it, and nothing else happened."""
    run = airflow.trigger(GATE, {"source": gate.table("bad")})
    assert airflow.wait(GATE, run) == "failed"
    states = {"audit": "success", "decide": "success", "publish": "skipped", "block": "failed"}
    assert airflow.tasks(GATE, run) == states | {"notify": "success"}
    ((kind, said),) = gate.written(run)
    assert (kind, said["outcome"], said["exit_code"]) == ("checked", "blocked", 1)
    check_nothing(airflow, gate, GATE, run)


def test_what_a_person_rejects_is_not_published(airflow, gate):
    """A bad table that the privacy officer rejects: the run is red, no exception, nothing published."""
    run = airflow.trigger(SIGN_OFF, {"source": gate.table("bad")})
    question = airflow.question(SIGN_OFF, run, "ask")
    said = {"reason": "one person stands alone", "days": 7}
    assert airflow.answer(question, "Approve", said, user="clerk") == 403  # who is nobody's officer
    assert airflow.answer(question, "Reject", said, user="officer") == 200
    assert airflow.wait(SIGN_OFF, run) == "failed"
    states = airflow.tasks(SIGN_OFF, run)
    assert (states["ask"], states["sign"], states["publish"]) == (
        "failed",
        "upstream_failed",
        "upstream_failed",
    )
    assert [(kind, said["outcome"]) for kind, said in gate.written(run)] == [("audited", "blocked")]
    check_nothing(airflow, gate, SIGN_OFF, run)


def test_what_a_person_approves_is_published_by_an_exception_that_expires(airflow, gate):
    """A poor table that the privacy officer approves: an exception with who and why; one release."""
    run = airflow.trigger(SIGN_OFF, {"source": gate.table("poor")})
    question = airflow.question(SIGN_OFF, run, "ask")
    said = {"reason": "two couples gave consent", "days": 7}
    assert airflow.answer(question, "Approve", said, user="officer") == 200
    assert airflow.wait(SIGN_OFF, run) == "success"
    check_published(airflow, gate, SIGN_OFF, run)
    said = airflow.returned(SIGN_OFF, run, "publish")
    assert (said["outcome"], said["sentences"]) == ("passed_by_exception", [])
    (exception,) = [payload for kind, payload in gate.written(run) if kind == "exception"]
    assert exception["by"] == "A. Roe, privacy officer"
    assert "two couples gave consent" in exception["reason"]
    assert "officer" in exception["reason"]


def test_an_arrival_starts_the_gate(airflow, gate):
    """An event of the Asset that arrives starts a run that publishes, and the consumer follows."""
    before = set(airflow.runs(ARRIVAL))
    airflow.announce(ARRIVED)
    airflow.until(lambda: set(airflow.runs(ARRIVAL)) - before, "a run of the gate", seconds=60)
    (run,) = set(airflow.runs(ARRIVAL)) - before
    assert airflow.wait(ARRIVAL, run) == "success"
    check_published(airflow, gate, ARRIVAL, run)


@pytest.mark.parametrize("source", ["table.csv", "../table.csv", "", 5, ["/srv/table.csv"]])
def test_a_parameter_that_is_not_valid_starts_nothing(airflow, source):
    """A source that is no absolute path or URL is refused by the API, and no run begins."""
    before = airflow.runs(GATE)
    body = {"conf": {"source": source}, "logical_date": None}
    answer = airflow.ask("POST", f"/api/v2/dags/{GATE}/dagRuns", body)
    assert answer.status == 400
    assert "source" in answer.body
    assert airflow.runs(GATE) == before


def publishing(airflow, gate) -> str:
    """Start a run and return its id when its release is being written: no file is where it will be."""
    run = airflow.trigger(GATE, {"source": gate.table("large")})
    words = "the release to be written"
    airflow.until(lambda: staged(gate, run), words, seconds=90, run=(GATE, run), look_seconds=0.005)
    return run


def staged(gate, run_id: str) -> list[Path]:
    """Return the hidden folders in which a run of the gate writes its release."""
    return list((gate.to / gate.data_set).glob(f".staging-{run_name(GATE, run_id)}-*"))


@pytest.mark.parametrize("with_tasks", [True, False])
def test_a_scheduler_killed_in_the_middle_of_publishing_leaves_one_release(airflow, gate, with_tasks):
    """Whether its tasks die with it or not, and another is started: one whole release, told once."""
    run = publishing(airflow, gate)
    with airflow.killed_scheduler(with_tasks=with_tasks):
        if with_tasks:
            assert staged(gate, run)
            assert [kind for kind, _ in gate.written(run)] == ["checked", "audited"]
    assert airflow.wait(GATE, run) == "success"
    folder = check_published(airflow, gate, GATE, run)
    tries = 2 if with_tasks else 1
    assert airflow.task(GATE, run, "publish")["try_number"] == tries
    assert [kind for kind, _ in gate.written(run)] == [
        "checked",
        *["audited"] * tries,
        "releasing",
        "released",
    ]
    assert gate.qidguard("verify", folder, "--policy", gate.policy_file).startswith("VERIFIED")
    assert gate.qidguard("history", "--check").startswith("UNCHANGED")


def test_a_task_that_was_taken_for_dead_publishes_nothing_when_it_wakes_up(airflow, gate):
    """The second try published meanwhile: the first finds that out by itself, and gives up."""
    run = publishing(airflow, gate)
    with airflow.frozen_tasks() as wake_up:
        with airflow.killed_scheduler(with_tasks=False):
            assert staged(gate, run)
        assert airflow.wait(GATE, run) == "success"
        assert staged(gate, run)
        wake_up()
        airflow.until(lambda: not staged(gate, run), "the first try to give up", seconds=60)
    folder = check_published(airflow, gate, GATE, run)
    kinds = Counter(kind for kind, _ in gate.written(run))
    assert kinds == {"checked": 1, "audited": 2, "releasing": 1, "released": 1, "failed": 1}
    (failed,) = [payload for kind, payload in gate.written(run) if kind == "failed"]
    assert f"Release {folder.name!r} of 'demo' is being published by another run" in failed["error"]


def test_what_is_published_is_judged_again(airflow, gate, published):
    """Each release that stands there is a task of the nightly run, named by it, and passes."""
    releases = [folder.name for folder in gate.releases(gate.data_set)]
    airflow.unpause(NIGHTLY)
    run = airflow.trigger(NIGHTLY)
    assert airflow.wait(NIGHTLY, run) == "success"
    judged = [payload["release_id"] for _, payload in gate.written(run)]
    assert set(judged) >= {*releases, run_name(GATE, published)}
    names = {f"reaudit[{i}]" for i in range(len(judged))}
    assert airflow.tasks(NIGHTLY, run) == dict.fromkeys({"list_published", *names}, "success")


def test_the_page_is_for_users_alone_and_lists_the_data_set(airflow, gate, published):
    """Nobody is sent to the login; who may see Airflow sees the data set, its audits and next runs."""
    audit_id = airflow.returned(GATE, published, "publish")["audit_id"]
    pages = ("/qidguard/", f"/qidguard/audits/{audit_id}", "/qidguard/api/overview")
    assert [airflow.ask("GET", page, user=None).status for page in pages] == [303, 303, 401]
    overview, audit, document = (airflow.ask("GET", page, user="guest") for page in pages)
    assert [overview.status, audit.status, document.status] == [200, 200, 200]
    assert gate.data_set in overview.body
    assert audit_id in audit.body
    (told_of,) = document.document["data_sets"]
    assert told_of["data_set"] == gate.data_set
    assert GATE in {run["dag_id"] for run in told_of["next_runs"]}
