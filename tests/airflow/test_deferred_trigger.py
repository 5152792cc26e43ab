"""The trigger that waits for deferred work, and the folder by which it hears of it."""

import asyncio
import json
import threading
import time

import pytest
from airflow.providers_manager import ProvidersManager
from airflow.triggers.base import BaseTrigger

from qidguard.core.errors import UserError
from qidguard_provider.deferring.answer import read, written
from qidguard_provider.deferring.folder import SignWatch, WorkFolder, root
from qidguard_provider.triggers.qidguard import QidguardTrigger
from qidguard_provider.verdicts import Failure, Judged

pytestmark = pytest.mark.airflow

TRY = ("airflow", "gate", "audit", "run", "-1", "1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of one try, made."""
    monkeypatch.setenv("QIDGUARD_DEFERRED", str(tmp_path / "deferred"))
    return WorkFolder.new(TRY)


def _trigger(folder, **given):
    return QidguardTrigger(folder=str(folder.path), **{"poll_seconds": 0.01, "silent_seconds": 1.5, **given})


def _event(trigger):
    async def first():
        return [event async for event in trigger.run()]

    (event,) = asyncio.run(asyncio.wait_for(first(), 200))
    assert event.payload["work"] == trigger.folder.rpartition("/")[2]
    assert set(event.payload) == {"status", "work"}
    return event.payload["status"]


def test_it_is_a_trigger_of_the_provider():
    """Airflow finds the module among the provider's."""
    modules = {trigger.trigger_class_name for trigger in ProvidersManager().trigger}
    assert "qidguard_provider.triggers.qidguard" in modules


def test_it_knows_a_folder_and_two_numbers(folder):
    """What the metadata database keeps of it makes it again, and holds nothing else."""
    name, kept = _trigger(folder).serialize()
    assert name == "qidguard_provider.triggers.qidguard.QidguardTrigger"
    assert kept == {"folder": str(folder.path), "poll_seconds": 0.01, "silent_seconds": 1.5}
    assert isinstance(QidguardTrigger(**json.loads(json.dumps(kept))), BaseTrigger)


def test_an_answer_wakes_the_task_without_its_words(folder):
    """The event says that an answer lies there, and nothing of it."""
    folder.beat(1)
    threading.Timer(0.1, lambda: folder.answer(b"34,f,flu")).start()
    assert _event(_trigger(folder)) == "answered"


def test_work_that_no_longer_counts_on_is_gone(folder):
    """A process that was killed leaves its last count, and no process id is asked."""
    folder.beat(7)
    assert _event(_trigger(folder)) == "gone"


def test_work_that_counts_on_is_waited_for(folder):
    """However long it takes, as long as the count goes on."""

    def work():
        for count in range(40):
            folder.beat(count)
            time.sleep(0.05)
        folder.answer(b"{}")

    threading.Thread(target=work).start()
    began = time.monotonic()
    assert _event(_trigger(folder)) == "answered"
    assert time.monotonic() - began > 1.5  # more than the silence that counts as death


def test_a_folder_that_cannot_be_seen_is_said_at_once(folder):
    """Another machine that does not share the folder is no death of the work."""
    folder.remove()
    assert _event(_trigger(folder)) == "unseen"


def test_a_folder_that_vanishes_ends_the_waiting(folder):
    """Nothing will ever be answered there."""
    folder.beat(1)
    threading.Timer(0.1, folder.remove).start()
    assert _event(_trigger(folder, silent_seconds=60.0)) == "gone"


def test_a_triggerer_that_starts_again_goes_on_waiting(folder):
    """Cancelled in the middle, the work is left alone, and the trigger made anew hears the answer."""
    folder.beat(1)

    async def cancelled():
        task = asyncio.create_task(anext(_trigger(folder, silent_seconds=60.0).run()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert not folder.is_stopped()
    folder.answer(b"{}")
    assert _event(QidguardTrigger(**_trigger(folder).serialize()[1])) == "answered"


def test_a_task_that_a_person_ends_ends_its_work(folder):
    """Airflow calls on_kill where a task is marked or cleared, and the work is asked to end."""
    asyncio.run(_trigger(folder).on_kill())
    assert folder.is_stopped()


def test_waiting_is_seen_by_the_work(folder):
    """Each look leaves another sign."""
    folder.beat(1)
    before = folder.watched()
    _event(_trigger(folder))
    assert folder.watched() != before


def test_a_sign_that_stays_the_same_is_over_by_the_watchers_own_clock(monkeypatch):
    """No clock of another machine is asked."""
    moments = iter([0.0, 5.0, 5.0, 14.0, 16.0])
    monkeypatch.setattr("qidguard_provider.deferring.folder.time.monotonic", lambda: next(moments))
    watch = SignWatch(10.0)
    assert [watch.is_over(b"1"), watch.is_over(b"1"), watch.is_over(b"1")] == [False, False, True]


def test_no_two_tries_share_a_folder(folder):
    """Neither another try nor another run finds the answer of this one."""
    name = folder.path.name
    assert WorkFolder.named(name, TRY) == folder
    assert WorkFolder.named(name, (*TRY[:-1], "2")) is None
    assert WorkFolder.named(name, (*TRY[:3], "run2", *TRY[4:])) is None


def test_the_folders_are_for_their_owner_alone(folder):
    """Mode 0700, and one that others could enter is refused in one sentence."""
    assert folder.path.parent.stat().st_mode & 0o777 == folder.path.stat().st_mode & 0o777 == 0o700
    folder.path.parent.chmod(0o755)
    with pytest.raises(UserError, match=r"open to nobody else \(mode 0700\); correct it"):
        root()


def test_a_relative_folder_is_refused(monkeypatch):
    """It would depend on where a worker runs."""
    monkeypatch.setenv("QIDGUARD_DEFERRED", "answers")
    with pytest.raises(UserError, match="must be an absolute folder, not 'answers'"):
        root()


def test_a_link_in_the_place_of_an_answer_is_none(folder, tmp_path):
    """What another file says is not what the work answered."""
    (tmp_path / "other").write_bytes(b"{}")
    (folder.path / "answer").symlink_to(tmp_path / "other")
    assert folder.read_answer() == b""


JUDGED = Judged(
    data_set="ward",
    outcome="blocked",
    policy="/srv/p.yaml",
    audit_id="a-1",
    sentences=("k is 1.",),
    missed_metrics=("k_anonymity",),
    is_remediable=True,
)


@pytest.mark.parametrize("answer", [JUDGED, Failure(sentence="It is wrong.", is_final=True)])
def test_an_answer_is_read_as_it_was_written(answer):
    """Every field comes back, with its type."""
    assert read(written(answer)) == answer


def _changed(**fields):
    said = json.loads(written(JUDGED))
    return json.dumps({**said, "judged": {**said["judged"], **fields}}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"format": "qidguard-deferred-answer/1"}',
        written(JUDGED)[:-5],
        written(JUDGED).replace(b"answer/1", b"answer/2"),
        _changed(outcome="fine"),
        _changed(more=1),
        _changed(sentences=[1]),
        _changed(is_fault="no"),
        _changed(data_set=None),
        written(Failure(sentence="x")).replace(b"false", b"0"),
    ],
)
def test_what_is_no_answer_is_none(content):
    """A part, another version, a field too many or of another type: nothing is made of it."""
    assert read(content) is None
