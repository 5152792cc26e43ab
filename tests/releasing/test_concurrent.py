"""Releases at the same time lose nothing, on either ledger."""

import multiprocessing
from collections import Counter
from pathlib import Path

import pytest

from killing import PRELOADED
from qidguard import QidguardError
from qidguard.ledger import open_ledger
from releases import Place, judged, named, people, policy, verified

pytestmark = pytest.mark.slow


def _one(root, ledger, data_set, release_id, rules, to=None, first=0):
    try:
        made = Place(Path(root)).release(
            people(first=first), rules, to=to, data_set=data_set, ledger=ledger, release_id=release_id
        )
    except QidguardError as error:
        return int(error.exit_code), str(error)
    said = "repeated" if made.is_repeated else made.outcome.value
    return int(made.exit_code), " ".join(made.sentences) if made.exit_code else said


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
    """Eight releases of other people each are eight entries of each kind in one unbroken chain."""
    jobs = [(str(tmp_path), ledger, f"set-{i}", None, named(f"set-{i}"), None, 1000 * i) for i in range(8)]
    assert pool.starmap(_one, jobs) == [(0, "passed")] * 8
    with open_ledger(ledger) as opened:
        assert opened.check() == ()
        kinds = Counter(entry.kind for entry in opened.entries())
    assert kinds == {"audited": 8, "releasing": 8, "released": 8}
    place = Place(tmp_path)
    assert [verified(f) for i in range(8) for f in place.releases(f"set-{i}")] == [()] * 8


@pytest.mark.parametrize("is_one_place", [True, False])
def test_eight_releases_of_one_data_set_at_once(pool, tmp_path, ledger, is_one_place):
    """Each is judged against all that came before it, or told to run again; what is there is complete."""
    places = [None if is_one_place else str(tmp_path / f"to{i}") for i in range(8)]
    jobs = [(str(tmp_path), ledger, "people", None, judged(), to) for to in places]
    found = pool.starmap(_one, jobs)
    folders = [*tmp_path.glob("to*/people/*")] if places[0] else Place(tmp_path).releases()
    assert found.count((0, "passed")) == len(folders) >= 1
    others = [answer for answer in found if answer != (0, "passed")]
    assert {code for code, _ in others} <= {2}
    assert all(sentence.endswith(".") and "locked" not in sentence for _, sentence in others)
    assert not is_one_place or all("was published meanwhile" in sentence for _, sentence in others)
    assert [verified(folder) for folder in folders] == [()] * len(folders)
    with open_ledger(ledger) as opened:
        assert opened.check() == ()
        assert len(list(opened.entries(kinds={"released"}))) == len(folders)


def test_one_release_id_from_eight_processes_is_published_once(pool, tmp_path, ledger):
    """A release id that eight processes use at once is one release."""
    jobs = [(str(tmp_path), ledger, "people", "nightly", policy()) for _ in range(8)]
    found = pool.starmap(_one, jobs)
    place = Place(tmp_path)
    assert found.count((0, "passed")) == 1
    others = [answer for answer in found if answer != (0, "passed")]
    assert all(code == 2 and "being published by another run" in said for code, said in others if code)
    assert all(said == "repeated" for code, said in others if not code)
    assert [f.name for f in place.releases()] == ["nightly"]
    assert [verified(f) for f in place.releases()] == [()]
    assert place.left_over() == []
    with open_ledger(ledger) as opened:
        assert opened.check() == ()
        assert len(list(opened.entries(kinds={"released"}))) == 1
