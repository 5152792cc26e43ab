"""Several runs may confirm one release: whoever comes second finds it done, and nobody fails."""

from functools import partial

import pytest

from qidguard.ledger.ledger import Ledger
from qidguard.releasing.publishing.folder import LocalFolder
from releases import people, verified
from steps import Paused


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def url(request, place):
    """Return where the ledger is, in each kind of database."""
    if request.param == "sqlite":
        return place.ledger
    return request.getfixturevalue("postgres_url")


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
    owner = Paused("confirming", partial(place.release, people(), ledger=url, release_id="r1"))
    done = before_recording(monkeypatch, "r1", owner.end)
    bystander = place.release(people(), ledger=url, release_id="r2")
    assert [entry.payload["is_recovered"] for entry in done] == [True]
    assert (bystander.is_published, bystander.notes) == (True, ())
    assert [(m.is_published, m.notes) for m in owner.made] == [(True, ())]


@pytest.mark.slow
def test_a_release_that_is_finished_while_another_run_looks_is_not_abandoned(place, url, monkeypatch):
    """The bystander saw no manifest yet; before it asked who is at work, the owner had finished."""
    owner = Paused("publishing", partial(place.release, people(), ledger=url, release_id="r1"))
    original = LocalFolder.manifest_digest

    def too_early(self, data_set, release_id):
        found = original(self, data_set, release_id)
        if not owner.is_current and release_id == "r1" and found is None:
            owner.end()
        return found

    monkeypatch.setattr(LocalFolder, "manifest_digest", too_early)
    assert place.release(people(), ledger=url, release_id="r2").is_published
    assert [(m.is_published, verified(m.address)) for m in owner.made] == [(True, ())]
