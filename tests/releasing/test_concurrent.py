"""Releases at the same time lose nothing, on either ledger."""

import multiprocessing
from pathlib import Path

import pytest

from killing import PRELOADED
from qidguard import QidguardError
from qidguard.ledger import open_ledger
from releases import Place, judged, named, people, policy, verified

pytestmark = pytest.mark.slow


def _one(root: str, ledger: str, data_set: str, release_id: str | None, rules: dict) -> str:
    try:
        made = Place(Path(root)).release(
            people(), rules, data_set=data_set, ledger=ledger, release_id=release_id
        )
    except QidguardError as error:
        return f"{type(error).__name__}: {error}"
    return "repeated" if made.is_repeated else made.outcome.value


@pytest.fixture(scope="module")
def pool():
    """Return eight processes that have everything imported already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    with context.Pool(8) as workers:
        yield workers


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def ledger(request, tmp_path):
    """Return the URL of an empty ledger, on each database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    return request.getfixturevalue("postgres_url")


def test_eight_data_sets_at_once(pool, tmp_path, ledger):
    """Eight releases of eight data sets are eight entries of each kind in one unbroken chain."""
    jobs = [(str(tmp_path), ledger, f"set-{i}", None, named(f"set-{i}")) for i in range(8)]
    assert pool.starmap(_one, jobs) == ["passed"] * 8
    with open_ledger(ledger) as opened:
        assert opened.check() == ()
        kinds = [e.kind for e in opened.entries()]
        assert {kind: kinds.count(kind) for kind in set(kinds)} == {
            "audited": 8,
            "releasing": 8,
            "released": 8,
        }
    place = Place(tmp_path)
    assert [verified(f) for i in range(8) for f in place.releases(f"set-{i}")] == [()] * 8


def test_eight_releases_of_one_data_set_at_once(pool, tmp_path, ledger):
    """Each is judged against all that came before it, or told to run again; what is there is complete."""
    jobs = [(str(tmp_path), ledger, "people", None, judged()) for _ in range(8)]
    found = pool.starmap(_one, jobs)
    place = Place(tmp_path)
    folders = place.releases()
    assert found.count("passed") == len(folders) >= 1
    others = [answer for answer in found if answer != "passed"]
    assert all("was published meanwhile" in answer for answer in others)
    assert [verified(folder) for folder in folders] == [()] * len(folders)
    with open_ledger(ledger) as opened:
        assert opened.check() == ()
        assert len(list(opened.entries(kinds={"released"}))) == len(folders)


def test_one_release_id_from_eight_processes_is_published_once(pool, tmp_path, ledger):
    """A release id that eight processes use at once is one release."""
    jobs = [(str(tmp_path), ledger, "people", "nightly", policy()) for _ in range(8)]
    found = pool.starmap(_one, jobs)
    place = Place(tmp_path)
    assert found.count("passed") == 1
    assert [f.name for f in place.releases()] == ["nightly"]
    assert [verified(f) for f in place.releases()] == [()]
    assert place.left_over() == []
    with open_ledger(ledger) as opened:
        assert opened.check() == ()
        assert len(list(opened.entries(kinds={"released"}))) == 1
