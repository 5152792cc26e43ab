"""Deferred tasks: the work goes on in a process of its own, and its answer counts only where it is true."""

import asyncio
import json
import os
import signal
import time
from datetime import timedelta
from pathlib import Path

import pytest
from airflow.sdk import Asset
from airflow.sdk.exceptions import AirflowException, AirflowFailException, TaskDeferred

from qidguard_provider.deferring import keeper
from qidguard_provider.deferring.answer import read, written
from qidguard_provider.deferring.folder import WorkFolder
from qidguard_provider.operators import (
    QidguardAnonymizeOperator,
    QidguardAuditOperator,
    QidguardExceptionOperator,
    QidguardReauditOperator,
    QidguardReleaseOperator,
    QidguardVerifyOperator,
)
from qidguard_provider.triggers.qidguard import QidguardTrigger
from qidguard_provider.verdicts import Failure, Judged
from ward import FAILURE, SECRET

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("place")]

ANSWERED = "answered"


@pytest.fixture
def place(ward, monkeypatch):
    """Return where answers lie."""
    place = ward.folder.parent / "deferred"
    monkeypatch.setenv("QIDGUARD_DEFERRED", str(place))
    return place


def audit(source="ward.csv", **given):
    """Return a deferred audit."""
    return QidguardAuditOperator(task_id="audit", policy="ward.yaml", source=source, deferrable=True, **given)


def deferred(tried, operator):
    """Let a task begin, and return its folder and what it told Airflow."""
    with pytest.raises(TaskDeferred) as told:
        tried.execute(operator)
    return WorkFolder(Path(told.value.trigger.folder)), told.value


def waited(folder, seconds=200):
    """Wait for the event by the trigger itself."""

    async def first():
        return await anext(QidguardTrigger(folder=str(folder.path), poll_seconds=0.05).run())

    return asyncio.run(asyncio.wait_for(first(), seconds)).payload["status"]


def done(tried, operator):
    """Let a task begin, wait until its work has answered, and return its folder."""
    folder, _ = deferred(tried, operator)
    assert waited(folder) == ANSWERED
    return folder


def completed(tried, operator, folder, status=ANSWERED, context=None):
    """Go on as Airflow does after the event."""
    event = {"status": status, "work": folder.path.name}
    context = context or tried.context(operator)
    return operator.resume_execution("execute_complete", {"event": event}, context)


def gone(folder, seconds=200):
    """Wait until nothing is left of a folder."""
    end = time.monotonic() + seconds
    while folder.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return not folder.exists()


def test_a_deferred_audit_says_what_a_plain_one_says(tried, place):
    """The same verdict and the same value, and nothing is left where the answer lay."""
    operator = audit()
    folder, told = deferred(tried, operator)
    assert told.method_name == "execute_complete"
    assert waited(folder) == ANSWERED
    left = completed(tried, operator, folder)
    plain = tried.execute(QidguardAuditOperator(task_id="plain", policy="ward.yaml", source="ward.csv"))
    assert {**left, "audit_id": None} == {**plain, "audit_id": None}
    assert operator.judged.outcome == "passed"
    assert list(place.iterdir()) == []


def test_what_is_blocked_fails_with_the_same_reasons_once(tried):
    """Each reason stands once in the failure, no value of the table is in what lay in between."""
    operator = audit("bad.csv")
    folder, _ = deferred(tried, operator)
    assert waited(folder) == ANSWERED
    assert SECRET.encode() not in b"".join(file.read_bytes() for file in folder.path.iterdir())
    with pytest.raises(AirflowFailException) as caught:
        completed(tried, operator, folder)
    assert str(caught.value) == FAILURE
    assert list(tried.left) == ["return_value"]


def test_what_is_blocked_may_go_on(tried):
    """With fail_on_block=False later tasks read it."""
    operator = audit("bad.csv", fail_on_block=False)
    folder = done(tried, operator)
    assert completed(tried, operator, folder)["outcome"] == "blocked"


def test_a_mistake_is_final_and_said_as_ever(tried):
    """A source that is not there: one sentence, and no retry."""
    with pytest.raises(AirflowFailException) as plain:
        tried.execute(QidguardAuditOperator(task_id="audit", policy="ward.yaml", source="none.csv"))
    operator = audit("none.csv")
    folder = done(tried, operator)
    with pytest.raises(AirflowFailException) as caught:
        completed(tried, operator, folder)
    assert str(caught.value) == str(plain.value)


def test_a_deferred_release_is_published_once_and_told(tried, ward):
    """Its outlets hear of it after the answer, and another try finds what the first one published."""
    outlet = Asset(name="ward", uri="file:///srv/ward")
    operator = QidguardReleaseOperator(
        task_id="publish",
        policy="ward.yaml",
        source="ward.csv",
        to=str(ward.published),
        outlets=[outlet],
        deferrable=True,
    )
    folder = done(tried, operator)
    context = tried.context(operator)
    left = completed(tried, operator, folder, context=context)
    assert ward.releases == [left["release_id"]]
    assert context["outlet_events"][outlet].extra["release_id"] == left["release_id"]
    tried.try_number = 2
    folder = done(tried, operator)
    assert completed(tried, operator, folder) == left
    assert len(ward.releases) == 1


def test_a_deferred_reaudit_and_a_deferred_remedy(tried, ward):
    """Every operator whose work is long may be deferred."""
    tried.execute(
        QidguardReleaseOperator(
            task_id="publish", policy="ward.yaml", source="ward.csv", to=str(ward.published), release_id="one"
        )
    )
    again = QidguardReauditOperator(
        task_id="again", policy="ward.yaml", data_set="ward", release_id="one", deferrable=True
    )
    folder = done(tried, again)
    assert completed(tried, again, folder)["release_id"] == "one"
    rules = (ward.folder / "ward.yaml").read_text() + "remedy: {anonymizer: mondrian, parameters: {k: 2}}\n"
    ward.write("remedy.yaml", rules)
    coarsen = QidguardAnonymizeOperator(
        task_id="coarsen",
        policy="remedy.yaml",
        source="ward.csv",
        to=str(ward.folder / "safe.csv"),
        deferrable=True,
    )
    folder = done(tried, coarsen)
    assert completed(tried, coarsen, folder)["address"] == str(ward.folder / "safe.csv")
    assert (ward.folder / "safe.csv").exists()


def test_nothing_that_airflow_keeps_holds_a_secret(tried, ward, monkeypatch):
    """Neither the trigger, nor files in the folder, nor the arguments of any process hold a passphrase."""
    gate = {"conn_type": "qidguard", "password": "open-sesame-1", "extra": {"home": str(ward.home)}}
    monkeypatch.setenv("AIRFLOW_CONN_QIDGUARD_DEFAULT", json.dumps(gate))
    folder, told = deferred(tried, audit())
    arguments = b"".join(file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if _is_ours(file))
    assert folder.path.name.encode() in arguments
    waited(folder)
    files = b"".join(file.read_bytes() for file in folder.path.iterdir())
    assert b"open-sesame-1" not in arguments + files + repr((told.trigger.serialize(), told.kwargs)).encode()


def _is_ours(file):
    try:
        return file.stat().st_uid == os.getuid() and bool(file.read_bytes())
    except OSError:
        return False


def test_an_answer_without_a_verdict_in_the_ledger_is_not_believed(tried):
    """Whoever can write the file cannot make the task pass."""
    operator = audit("bad.csv")
    folder, _ = deferred(tried, operator)
    waited(folder)
    told = read(folder.read_answer())
    passed = Judged(data_set="ward", outcome="passed", policy=told.policy, audit_id=told.audit_id)
    for forged in (passed, Judged(data_set="ward", outcome="passed", policy=None)):
        folder.path.mkdir(exist_ok=True)  # which the first attempt removed
        folder.answer(written(forged))
        with pytest.raises(AirflowFailException, match="the ledger has no such verdict of this task"):
            completed(tried, operator, folder)


def test_the_answer_of_another_run_is_not_believed(tried):
    """A true verdict on another table by another run lets nothing through here."""
    good = audit()
    folder, _ = deferred(tried, good)
    waited(folder)
    stolen = folder.read_answer()
    assert completed(tried, good, folder)["outcome"] == "passed"
    tried.run_id = "another"
    operator = audit("bad.csv")
    folder, _ = deferred(tried, operator)
    waited(folder)
    folder.answer(stolen)
    with pytest.raises(AirflowFailException, match="the ledger has no such verdict of this task"):
        completed(tried, operator, folder)


def test_a_release_that_was_not_published_is_not_believed(tried, ward):
    """The audit may be true; the release is not in the ledger, so no outlet hears of one."""
    operator = QidguardReleaseOperator(
        task_id="publish", policy="ward.yaml", source="ward.csv", to=str(ward.published), deferrable=True
    )
    folder, _ = deferred(tried, operator)
    waited(folder)
    told = json.loads(folder.read_answer())
    told["judged"]["address"] = "/srv/elsewhere"
    folder.answer(json.dumps(told).encode())
    with pytest.raises(AirflowFailException, match="the ledger has no such verdict of this task"):
        completed(tried, operator, folder)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"format": "qidguard-deferred-answer/1", "judged": {}}'])
def test_an_answer_that_cannot_be_read_lets_nothing_through(tried, content):
    """And another try may do better."""
    operator = audit()
    folder, _ = deferred(tried, operator)
    waited(folder)
    folder.answer(content)
    with pytest.raises(AirflowException, match="cannot be read, so nothing was let through") as caught:
        completed(tried, operator, folder)
    assert not isinstance(caught.value, AirflowFailException)


@pytest.mark.parametrize("event", [{"status": "gone"}, {"status": "answered"}, {}, None, "answered"])
def test_work_that_is_gone_without_an_answer_lets_nothing_through(tried, event):
    """Whatever the event says, no answer is no verdict."""
    operator = audit()
    with pytest.raises(AirflowException, match="is gone without an answer, so nothing was let through"):
        operator.resume_execution("execute_complete", {"event": event}, tried.context(operator))


def test_a_triggerer_that_sees_no_folder_is_said_to(tried):
    """The sentence says what to share and how to do without, and no retry would help."""
    operator = audit()
    folder, _ = deferred(tried, operator)
    with pytest.raises(AirflowFailException, match="a folder that both share by QIDGUARD_DEFERRED"):
        completed(tried, operator, folder, "unseen")
    assert gone(folder)


def test_a_triggerer_that_fails_ends_the_work(tried):
    """Airflow resumes with a failure of its own; the work is not left alone."""
    operator = audit()
    folder, _ = deferred(tried, operator)
    with pytest.raises(AirflowException, match="The triggerer could not wait for the work"):
        operator.resume_execution("__fail__", {"error": "Trigger failure"}, tried.context(operator))
    assert folder.is_stopped()
    wait_for_nobody(folder)


@pytest.mark.parametrize("name", ["../other", "0" * 65, "", None, 5])
def test_an_event_cannot_name_another_folder(tried, name):
    """What the metadata database says of the folder leads nowhere else than to this try's."""
    operator = audit()
    event = {"status": ANSWERED, "work": name}
    with pytest.raises(AirflowException, match="is gone without an answer"):
        operator.resume_execution("execute_complete", {"event": event}, tried.context(operator))


def test_a_start_that_is_repeated_ends_the_first_one(tried):
    """A worker that died before it could sleep leaves no second work of the same try."""
    operator = audit()
    first, _ = deferred(tried, operator)
    second = done(tried, operator)
    assert first.path != second.path
    assert gone(first) or first.has_answer()
    assert completed(tried, operator, second)["outcome"] == "passed"
    assert not first.exists()


LONG = """qidguard: 1
name: big
roles: {quasi_identifiers: [a, b, c, d]}
attacker: {knows_any: 2}
thresholds:
  - {metric: persons_below_k, at_most: 1500000, parameters: {k: 2}}
release: {data_set: big, earlier_releases: unrelated}
"""


@pytest.fixture
def long_work(ward, monkeypatch):
    """Return a release that takes some seconds, and the folder for its copies."""
    import numpy as np

    numbers = np.random.default_rng(1).integers(0, 40, (1_000_000, 4))
    np.savetxt(ward.folder / "big.csv", numbers, fmt="%d", delimiter=",", header="a,b,c,d", comments="")
    ward.write("big.yaml", LONG)
    (ward.folder / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(ward.folder / "tmp"))
    return QidguardReleaseOperator(
        task_id="publish", policy="big.yaml", source="big.csv", to=str(ward.published), deferrable=True
    )


def at_work(ward, folder):
    """Watch over the work, and wait until the table is being copied."""
    folder.watch(1)
    end = time.monotonic() + 200
    while not [path for path in (ward.folder / "tmp").iterdir() if path.is_dir()]:
        assert time.monotonic() < end
        time.sleep(0.01)


def workers(folder):
    """Return the processes that have a folder among their arguments."""
    found = {}
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        if _is_ours(file) and str(folder.path).encode() in (words := file.read_bytes()):
            found["worker" if b".worker" in words else "keeper"] = int(file.parent.name)
    return found


def wait_for_nobody(folder):
    """Wait until no process of the work is left."""
    end = time.monotonic() + 200
    while workers(folder) and time.monotonic() < end:
        time.sleep(0.1)
    assert workers(folder) == {}


@pytest.mark.slow
def test_work_begins_when_somebody_waits_for_it(tried, ward, long_work):
    """A task that is marked before its trigger runs has nobody who could end the work: it never began."""
    folder, _ = deferred(tried, long_work)
    time.sleep(5)
    assert list((ward.folder / "tmp").iterdir()) == []
    assert set(workers(folder)) == {"keeper", "worker"}
    at_work(ward, folder)
    folder.stop()
    assert gone(folder)
    wait_for_nobody(folder)


@pytest.mark.slow
def test_a_task_that_is_cleared_ends_its_work_in_order(tried, ward, long_work):
    """No process, no copy, no answer and no release is left."""
    folder, _ = deferred(tried, long_work)
    at_work(ward, folder)
    asyncio.run(QidguardTrigger(folder=str(folder.path)).on_kill())
    assert gone(folder)
    wait_for_nobody(folder)
    assert list((ward.folder / "tmp").iterdir()) == []
    assert ward.releases == []


@pytest.mark.slow
def test_a_worker_that_is_killed_is_told_of_by_its_keeper(tried, ward, long_work):
    """As by a system that is short of memory: an answer says so at once, and nothing is published."""
    folder, _ = deferred(tried, long_work)
    at_work(ward, folder)
    os.kill(workers(folder)["worker"], signal.SIGKILL)
    assert waited(folder) == ANSWERED
    with pytest.raises(AirflowException, match=r"ended without an answer \(signal 9\), so nothing was let"):
        completed(tried, long_work, folder)
    assert ward.releases == []


@pytest.mark.slow
def test_a_keeper_that_is_killed_takes_the_worker_with_it(tried, ward, long_work):
    """Nobody counts on any more, the trigger says so, and what nobody watches over publishes nothing."""
    folder, _ = deferred(tried, long_work)
    at_work(ward, folder)
    os.kill(workers(folder)["keeper"], signal.SIGKILL)

    async def first():
        return await anext(QidguardTrigger(folder=str(folder.path), poll_seconds=0.1, silent_seconds=3).run())

    assert asyncio.run(asyncio.wait_for(first(), 60)).payload["status"] == "gone"
    wait_for_nobody(folder)
    with pytest.raises(AirflowException, match="is gone without an answer"):
        completed(tried, long_work, folder, "gone")
    assert ward.releases == []


@pytest.mark.slow
def test_work_that_takes_too_long_is_ended(tried, ward, long_work):
    """The task's execution_timeout holds for the work, though no task runs meanwhile."""
    long_work.execution_timeout = timedelta(seconds=1.5)
    folder, _ = deferred(tried, long_work)
    assert waited(folder) == ANSWERED
    with pytest.raises(AirflowException, match=r"took longer than the task's execution_timeout of 2 s"):
        completed(tried, long_work, folder)
    assert ward.releases == []


def test_work_that_nobody_watches_ends(tmp_path, monkeypatch):
    """A triggerer that never comes back leaves no release to be made behind the back of a failed task."""

    class Worker:
        pid, returncode = 2**22 + 1, None

        def poll(self):
            return self.returncode

        def wait(self, _patience):
            self.returncode = -15

    monkeypatch.setattr(keeper, "UNWATCHED_SECONDS", 0.3)
    monkeypatch.setattr(keeper, "_LOOK_SECONDS", 0.05)
    folder = WorkFolder(tmp_path)
    worker = Worker()
    assert keeper._kept(folder, worker, 0.0, []) == keeper.STOPPED
    assert worker.returncode == -15


def test_where_a_machine_ends_with_its_task_the_work_is_done_in_it(tried, place, monkeypatch):
    """A pod of the KubernetesExecutor would take the process with it."""
    monkeypatch.setenv("AIRFLOW_IS_K8S_EXECUTOR_POD", "True")
    assert tried.execute(audit())["outcome"] == "passed"
    assert not place.exists()


@pytest.mark.parametrize(
    ("kind", "may_defer"),
    [
        (QidguardAuditOperator, True),
        (QidguardAnonymizeOperator, True),
        (QidguardReleaseOperator, True),
        (QidguardReauditOperator, True),
        (QidguardVerifyOperator, False),
        (QidguardExceptionOperator, False),
    ],
)
def test_what_is_long_may_be_deferred(kind, may_defer):
    """Checking a release and recording an exception are short."""
    assert hasattr(kind, "execute_complete") is may_defer


def test_a_switch_is_never_guessed():
    """The text "False" would count as true."""
    from qidguard.core.errors import UserError

    with pytest.raises(UserError, match="deferrable must be True or False"):
        QidguardAuditOperator(task_id="audit", policy="ward.yaml", deferrable="False")


def test_failures_of_the_work_are_retried_as_ever(tried):
    """A failure of a plugin or of qidguard itself may pass; what the user has to correct does not."""
    for failure, kind in (
        (Failure(sentence="x"), AirflowException),
        (Failure(sentence="x", is_final=True), AirflowFailException),
    ):
        operator = audit()
        folder, _ = deferred(tried, operator)
        waited(folder)
        folder.answer(written(failure))
        with pytest.raises(AirflowException) as caught:
            completed(tried, operator, folder)
        assert type(caught.value) is kind
