"""Several runs may confirm one release: whoever comes second finds it done, and nobody fails."""

import threading

import pytest

from qidguard.ledger.ledger import Ledger
from qidguard.releasing.publishing.folder import LocalFolder
from releases import people, verified


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def url(request, place):
    """Return where the ledger is, in each kind of database."""
    if request.param == "sqlite":
        return place.ledger
    return request.getfixturevalue("postgres_url")


class Pause:
    """Waits at a step until it is told to go on."""

    def __init__(self, title):
        self._title = title
        self.reached, self.go = threading.Event(), threading.Event()

    def step(self, title, done, total):
        """Wait at the beginning of the step."""
        if (title, done) == (self._title, 0):
            self.reached.set()
            assert self.go.wait(250)


def before_recording(monkeypatch, release_id, act):
    """Do something once, at the last moment before a run records how a release of this name ended."""
    original, done = Ledger.append, []

    def append(self, entry, **more):
        is_end = entry.kind in {"released", "abandoned"} and entry.payload["release_id"] == release_id
        if is_end and not done:
            done.append(entry)
            act()
        return original(self, entry, **more)

    monkeypatch.setattr(Ledger, "append", append)
    return done


@pytest.mark.slow
def test_an_owner_whom_another_run_outran_has_published(place, url, monkeypatch):
    """The release is there and verifies, so its run succeeds although another one confirmed it first."""
    others = []

    def outrun():
        others.append(place.release(people(), ledger=url, release_id="r2"))

    done = before_recording(monkeypatch, "r1", outrun)
    made = place.release(people(), ledger=url, release_id="r1")
    assert [entry.payload["is_recovered"] for entry in done] == [False]
    assert (made.is_published, made.notes, verified(made.address)) == (True, (), ())
    assert [other.is_published for other in others] == [True]
    assert "r1 was complete" in others[0].notes[0]


@pytest.mark.slow
def test_a_bystander_whom_the_owner_outran_goes_on(place, url, monkeypatch):
    """It was about to confirm what its owner confirmed in the meantime; it says nothing of it."""
    pause, made = Pause("confirming"), []

    def own():
        made.append(place.release(people(), ledger=url, release_id="r1", progress=pause))

    owner = threading.Thread(target=own)
    owner.start()
    assert pause.reached.wait(250)

    def outrun():
        pause.go.set()
        owner.join(250)

    done = before_recording(monkeypatch, "r1", outrun)
    bystander = place.release(people(), ledger=url, release_id="r2")
    assert [entry.payload["is_recovered"] for entry in done] == [True]
    assert (bystander.is_published, bystander.notes) == (True, ())
    assert [(m.is_published, m.notes) for m in made] == [(True, ())]


@pytest.mark.slow
def test_a_release_that_is_finished_while_another_run_looks_is_not_abandoned(place, url, monkeypatch):
    """The bystander saw no manifest yet; before it asked who is at work, the owner had finished."""
    pause, made = Pause("publishing"), []

    def own():
        made.append(place.release(people(), ledger=url, release_id="r1", progress=pause))

    owner = threading.Thread(target=own)
    owner.start()
    assert pause.reached.wait(250)
    original = LocalFolder.manifest_digest

    def too_early(self, data_set, release_id):
        found = original(self, data_set, release_id)
        if threading.current_thread() is not owner and release_id == "r1" and found is None:
            pause.go.set()
            owner.join(250)
        return found

    monkeypatch.setattr(LocalFolder, "manifest_digest", too_early)
    assert place.release(people(), ledger=url, release_id="r2").is_published
    assert [(m.is_published, verified(m.address)) for m in made] == [(True, ())]
