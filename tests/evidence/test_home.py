import os
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from qidguard.core.errors import UserError
from qidguard.evidence.home import Home

VARIABLES = ("QIDGUARD_HOME", "QIDGUARD_KEY", "QIDGUARD_LEDGER", "XDG_DATA_HOME")


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch, tmp_path):
    """Take what the account has set out of the way."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_the_first_of_four_places_is_the_home_folder(monkeypatch, tmp_path):
    """What is given, else QIDGUARD_HOME, else in XDG_DATA_HOME, else in ~/.local/share."""
    assert Home.at().folder == tmp_path / ".local" / "share" / "qidguard"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert Home.at().folder == tmp_path / ".local" / "share" / "qidguard"
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert Home.at().folder == Path("/data/qidguard")
    monkeypatch.setenv("QIDGUARD_HOME", "")
    assert Home.at().folder == Path("/data/qidguard")
    monkeypatch.setenv("QIDGUARD_HOME", "~/q")
    assert Home.at().folder == tmp_path / "q"
    monkeypatch.chdir(tmp_path)
    assert Home.at("here").folder == tmp_path / "here"


def test_asking_where_things_are_makes_nothing(tmp_path):
    """Paths only; nothing is written before something is kept."""
    home = Home.at(str(tmp_path / "q"))
    assert home.keys_folder == tmp_path / "q" / "keys"
    assert home.anchors_file() == tmp_path / "q" / "anchors.jsonl"
    assert (home.default_ledger(), home.default_signing_key()) == (f"sqlite:///{tmp_path}/q/ledger.db", None)
    assert not (tmp_path / "q").exists()


def test_the_signing_key_is_the_named_one_or_the_one_in_the_keys_folder(monkeypatch, tmp_path):
    """A name that leads nowhere is still the key that was meant, and so is a broken link."""
    home = Home.at(str(tmp_path))
    home.keys_folder.mkdir()
    (home.keys_folder / "signing.key").symlink_to("nowhere")
    assert home.default_signing_key() == home.keys_folder / "signing.key"
    monkeypatch.setenv("QIDGUARD_KEY", "~/other.key")
    assert home.default_signing_key() == tmp_path / "other.key"
    assert not (tmp_path / "other.key").exists()


def test_a_keys_folder_that_cannot_be_looked_into_is_an_error(monkeypatch, tmp_path):
    """To take it for no key would publish unsigned."""

    def refuse(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "lstat", refuse)
    with pytest.raises(UserError, match="cannot be looked into"):
        Home.at(str(tmp_path)).default_signing_key()


def test_the_ledger_is_the_named_one(monkeypatch, tmp_path):
    """QIDGUARD_LEDGER goes first; a path that a database address cannot hold is an error."""
    with pytest.raises(UserError, match="question mark"):
        Home.at(str(tmp_path / "a?b")).default_ledger()
    monkeypatch.setenv("QIDGUARD_LEDGER", "postgresql://db/ledger")
    assert Home.at(str(tmp_path / "a?b")).default_ledger() == "postgresql://db/ledger"


def test_the_history_key_is_made_once(tmp_path):
    """32 random bytes for the owner alone; the next call reads them; another home has another key."""
    folder = tmp_path / "deep" / "home"
    key = Home.at(str(folder)).history_key()
    assert (len(key), [p.name for p in folder.iterdir()]) == (32, ["history.key"])
    assert stat.S_IMODE((folder / "history.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert Home.at(str(folder)).history_key() == key == (folder / "history.key").read_bytes()
    assert Home.at(str(tmp_path / "other")).history_key() != key


@pytest.mark.parametrize(("content", "rights", "said"), [
    (b"", 0o600, "history key"),
    (b"x" * 31, 0o600, "history key"),
    (b"x" * 33, 0o600, "history key"),
    (b"x" * 100_000, 0o600, "history key"),
    (b"x" * 32, 0o640, "chmod 600"),
    (None, None, "cannot be read"),
], ids=["empty", "short", "long", "huge", "open", "link"])  # fmt: skip
def test_a_history_key_that_cannot_be_used_is_never_replaced(tmp_path, content, rights, said):
    """Under a new one nothing earlier could be compared; a link may lead to a disk that is away."""
    path = tmp_path / "history.key"
    if content is None:
        path.symlink_to(tmp_path / "gone")
    else:
        path.write_bytes(content)
        path.chmod(rights)
    with pytest.raises(UserError, match=said):
        Home.at(str(tmp_path)).history_key()
    assert path.read_bytes() == content if content is not None else not (tmp_path / "gone").exists()


@pytest.mark.parametrize("where", ["write", "link"])
def test_a_key_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch, where):
    """A full disk, or a file system without hard links."""

    def fail(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync") if where == "write" else (os, "link")), fail)
    with pytest.raises(UserError, match="cannot be made"):
        Home.at(str(tmp_path)).history_key()
    assert list(tmp_path.iterdir()) == []


RACER = """
import sys, time
from pathlib import Path
from qidguard.evidence import home
from qidguard.evidence.home import Home
homes, marks, racers, rounds, mine = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
to_disk = home.to_disk

def write_and_wait(path):
    to_disk(path)
    if path.is_dir():
        return
    (marks / f"{path.parent.name}-{mine}").touch()
    end = time.monotonic() + 100
    while len(list(marks.glob(f"{path.parent.name}-*"))) < racers and time.monotonic() < end:
        time.sleep(0.0005)

home.to_disk = write_and_wait
for number in range(rounds):
    print(Home.at(str(homes / str(number))).history_key().hex(), flush=True)
"""


@pytest.mark.slow
def test_processes_that_start_together_get_one_key(tmp_path):
    """Eight processes in 20 homes, each with a key of its own at hand: one key in each, no file beside it."""
    homes, marks, racers, rounds = tmp_path / "homes", tmp_path / "marks", 8, 20
    marks.mkdir()
    given = [str(homes), str(marks), str(racers), str(rounds)]
    with ExitStack() as stack:
        running = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", RACER, *given, str(mine)], stdout=subprocess.PIPE, text=True
                )
            )
            for mine in range(racers)
        ]
        keys = [racer.communicate(timeout=250)[0].split() for racer in running]
    assert [racer.returncode for racer in running] == [0] * racers
    assert len(list(marks.iterdir())) == racers * rounds  # all of them saw no key, in every round
    for number, found in enumerate(zip(*keys, strict=True)):
        assert len(set(found)) == 1
        assert found[0] == (homes / str(number) / "history.key").read_bytes().hex()
        assert [p.name for p in (homes / str(number)).iterdir()] == ["history.key"]
    assert len(set(keys[0])) == rounds


def test_the_loser_of_a_race_takes_the_winners_key(tmp_path, monkeypatch):
    """Both saw no key; the second one to link finds the first one's."""
    from qidguard.evidence import home

    winner = b"w" * 32
    to_disk = home.to_disk

    def write_and_lose(path):
        to_disk(path)
        (tmp_path / "history.key").write_bytes(winner)
        (tmp_path / "history.key").chmod(0o600)

    monkeypatch.setattr(home, "to_disk", write_and_lose)
    assert Home.at(str(tmp_path)).history_key() == winner
    assert [p.name for p in tmp_path.iterdir()] == ["history.key"]
