"""Published things and private things never lie in one another, and no link stands where releases belong."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from qidguard import UserError, release
from qidguard.ledger import open_ledger
from qidguard.releasing.history.published import withdraw
from qidguard.releasing.publishing import folder as local
from reaudits import again
from releases import Place, once, people, policy, verified

pytestmark = pytest.mark.usefixtures("memory")


def _linked(place: Place, target: Path) -> str:
    (place.root / "link").symlink_to(target)
    return str(place.root / "link")


MIXED = {
    "the home": lambda p: str(p.home),
    "in the home": lambda p: f"{p.home}/published",
    "in its keys": lambda p: f"{p.home}/keys/published",
    "by ..": lambda p: f"{p.root}/other/../home/published",
    "a URL": lambda p: (p.home / "published").as_uri(),
    "a URL of this host": lambda p: f"file://localhost{p.home}/published",
    "local": lambda p: f"local://{p.home}/published",
    "escaped": lambda p: f"file://{p.root}/%68ome/published",
    "a link to the home": lambda p: _linked(p, p.home),
    "a link into the home": lambda p: _linked(p, p.home / "published") + "/deep",
}


@pytest.mark.parametrize("is_made", [True, False], ids=["home is there", "home is not"])
@pytest.mark.parametrize("to", MIXED.values(), ids=MIXED.keys())
def test_nothing_is_published_in_the_home_folder(place, to, is_made):
    """However it is written; nothing is decided then, and nothing is made there."""
    if is_made:
        place.home.mkdir()
    with pytest.raises(UserError, match="stands in the home folder") as raised:
        place.release(people(), to=to(place))
    assert int(raised.value.exit_code) == 2
    assert (list(place.home.iterdir()) if is_made else place.home.exists()) in ([], False)


@pytest.mark.parametrize("door", ["policy", "environment", "relative", "chained"])
def test_every_door_refuses_the_home_folder(place, monkeypatch, door):
    """The policy's own destination, QIDGUARD_HOME, a path from here, and a chain of protocols."""
    place.home.mkdir()
    monkeypatch.chdir(place.root)
    monkeypatch.setenv("QIDGUARD_HOME", str(place.home))
    inside = {"data_set": "people", "destination": f"{place.home}/x"}
    rules = policy(release=inside) if door == "policy" else policy()
    to = {"policy": None, "relative": "home/x", "chained": f"simplecache::file://{place.home}/x"}
    with pytest.raises(UserError, match=r"stands in the home folder|leads to a folder of this machine"):
        release(people(), rules, to=to.get(door, f"{place.home}/x"))


def test_another_spelling_of_the_home_folder_is_the_home_folder(place, monkeypatch):
    """Where a file system knows no case, another case leads to the same folder."""
    place.home.mkdir()
    real, other = Path.stat, str(place.root / "HOME")

    def stat(self, **how):
        return real(Path(str(self).replace(other, str(place.home))), **how)

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(UserError, match="stands in the home folder"):
        place.release(people(), to=other + "/published")


@pytest.mark.parametrize(
    ("to", "data_set", "is_refused"),
    [
        (".", "home", True),
        ("..", None, True),  # the data set is called as the folder around the home
        (".", "people", False),
        ("home2", "people", False),
        (".", "homer", False),
    ],
)
def test_a_data_sets_folder_neither_is_nor_holds_the_home(place, to, data_set, is_refused):
    """A destination around the home is one, unless the data set's own folder is in the way."""
    place.home.mkdir()
    name = data_set or place.root.name
    rules = once(release={"data_set": name, "earlier_releases": "unrelated"})
    if not is_refused:
        assert place.release(people(), rules, to=str(place.root / to)).is_published
        return
    with pytest.raises(UserError, match=r"the home folder .* stands there"):
        place.release(people(), rules, to=str(place.root / to))


def test_ledger_key_and_keys_folder_stand_nowhere_among_the_releases(place, monkeypatch):
    """A file of its own named in the data set's folder, also through a link, be it there yet or not."""
    releases = place.to / "people"
    for ledger in (releases / "ledger.db", releases / "deep/ledger.db", f"sqlite:///{releases}/ledger.db"):
        with pytest.raises(UserError, match=r"the ledger .* stands there"):
            place.release(people(), ledger=str(ledger))
    monkeypatch.setenv("QIDGUARD_KEY", str(releases / "signing.key"))
    with pytest.raises(UserError, match=r"the signing key .* stands there"):
        place.release(people())
    monkeypatch.delenv("QIDGUARD_KEY")
    assert not releases.exists()
    releases.mkdir(parents=True)
    place.home.mkdir()
    (place.home / "keys").symlink_to(releases)
    with pytest.raises(UserError, match=r"the folder of the keys .* stands there"):
        place.release(people())
    (place.home / "keys").unlink()
    assert place.release(people(), ledger=str(place.to / "ledger.db")).is_published


@pytest.mark.parametrize("is_dangling", [True, False])
@pytest.mark.parametrize("at", ["people", "PEOPLE", "people/r1"])
def test_a_link_where_a_folder_of_the_releases_belongs_is_refused(place, at, is_dangling):
    """It is refused before anything is decided, and nothing appears behind it."""
    elsewhere = place.root / "elsewhere"
    if not is_dangling:
        elsewhere.mkdir()
    (place.to / at).parent.mkdir(parents=True)
    (place.to / at).symlink_to(elsewhere)
    with pytest.raises(UserError, match=f"A link stands at .*{at}") as raised:
        place.release(people(), release_id="r1")
    assert int(raised.value.exit_code) == 2
    assert not place.home.exists()
    assert (list(elsewhere.iterdir()) if elsewhere.exists() else []) == []


@pytest.mark.parametrize("moment", ["stage", "publish"])
@pytest.mark.parametrize("is_dangling", [True, False])
def test_a_link_that_comes_meanwhile_is_refused_when_it_is_written(place, monkeypatch, moment, is_dangling):
    """The folder is looked at again before files are made, and before they are renamed into place."""
    elsewhere, folder = place.root / "elsewhere", place.to / "people"
    owner = local.LocalFolder if moment == "stage" else local.StagedFolder
    original = getattr(owner, moment)

    def exchanged(self, *given):
        folder.mkdir(parents=True, exist_ok=True)
        folder.rename(place.to / "moved") if is_dangling else folder.rename(elsewhere)
        folder.symlink_to(elsewhere)
        return original(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(owner, moment, exchanged)
        with pytest.raises(UserError, match="A link stands at"):
            place.release(people(), release_id="r1")
    assert not (elsewhere / "r1").exists()
    folder.unlink()
    assert place.release(people(), release_id="r1").is_published
    assert place.entries("released")


def test_the_destination_itself_may_be_a_link(place):
    """It is resolved once, and what it leads to is where releases go."""
    (place.root / "real").mkdir()
    place.to.symlink_to(place.root / "real")
    made = place.release(people())
    assert Path(str(made.address)).parent == place.root / "real" / "people"


def test_a_release_below_a_link_is_neither_announced_nor_verified_nor_judged(place):
    """The data set's folder was moved and a link left: what stands behind it is not what was published."""
    made = place.release(people(), release_id="r1")
    (place.to / "people").rename(place.root / "moved")
    (place.to / "people").symlink_to(place.root / "moved")
    [fault] = verified(made.address)
    assert fault.startswith("The folder of people is a link, and what it leads to can be exchanged")
    with pytest.raises(UserError, match="A link stands at"):
        place.release(people(), release_id="r1")
    assert "The folder of people is a link" in again(place, policy()).sentences[0]
    with open_ledger(place.ledger) as ledger:
        taken = withdraw(ledger, "people", "r1", reason="asked for", now=datetime.now(UTC))
    assert taken.notice is None
    assert "a link stands in the place of its folder" in taken.notes[0]
    assert [path.name for path in (place.root / "moved").iterdir()] == ["r1"]
