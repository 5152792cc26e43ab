"""The state of a series: private, of one release, known to the ledger; anything else blocks in words."""

import signal
import stat
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from killing import Runner, release_month
from qidguard import UserError
from qidguard.releasing.series.state import (
    KeptRecords,
    PersonCounts,
    SeriesState,
    StateError,
    StateFolder,
    read_state,
)
from quick import mostly_slow
from released_series import GroupsKept, host, moment, months, present, rules
from releases import Place


def counted(**persons: int) -> PersonCounts:
    """Return persons, by any text, with a number each."""
    names = np.array([name.encode().ljust(16, b"x") for name in sorted(persons)], dtype="S16")
    return PersonCounts(persons=names, releases=np.array([persons[name] for name in sorted(persons)]))


def kept(tmp_path, release_id="r1", audit_id="audit-1", **tables) -> tuple[StateFolder, str]:
    """Return a folder with one state, and its digest."""
    folder = StateFolder(tmp_path / "private", "people-1")
    for name, content in ({"records": b"records of persons"} | tables).items():
        (tmp_path / name).write_bytes(content)
    none = PersonCounts.of(np.zeros(0, dtype="S16"), np.zeros(0, dtype=np.int64))
    state = SeriesState(
        data_set="people", release_id=release_id, audit_id=audit_id, left=counted(a=2, b=1), waiting=none
    )
    files = {name: tmp_path / name for name in tables}
    return folder, folder.write(state, KeptRecords(persons=tmp_path / "records", tables=files))


def private_folder(tmp_path, name="read"):
    """Return an empty folder to read a state into."""
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_a_state_comes_back_and_is_its_owners_alone(tmp_path):
    """Header and records, in the form that states of a single table always had; folders 0700, files 0600."""
    folder, digest = kept(tmp_path)
    state, records = read_state(folder.file("r1", "audit-1"), digest, private_folder(tmp_path))
    assert records.persons.read_bytes() == b"records of persons"
    assert (state.data_set, state.release_id, state.audit_id) == ("people", "r1", "audit-1")
    assert records.tables == {}
    assert folder.file("r1", "audit-1").read_bytes().startswith(b"qidguard-state\0\1")
    asked = np.array([b"b".ljust(16, b"x"), b"c".ljust(16, b"x")], dtype="S16")
    assert state.left.number(asked, other=0).tolist() == [1, 0]
    assert state.waiting.number(asked, other=-1).tolist() == [-1, -1]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "private", folder.path)]
    assert (modes, stat.S_IMODE(folder.file("r1", "audit-1").stat().st_mode)) == ([0o700, 0o700], 0o600)


def test_a_state_of_several_tables_is_one_file(tmp_path):
    """Persons and the records of each other table come back, and one digest is of all."""
    tables = {"visits": b"visits of persons", "tests": b""}
    folder, digest = kept(tmp_path, "r2", "audit-2", **tables)
    path = folder.file("r2", "audit-2")
    read, records = read_state(path, digest, private_folder(tmp_path))
    found = {name: file.read_bytes() for name, file in records.tables.items()}
    assert ((read.release_id, records.persons.read_bytes()), found) == (("r2", b"records of persons"), tables)
    path.write_bytes(path.read_bytes().replace(b"visits of", b"visits by"))
    with pytest.raises(StateError, match="is not the one that the ledger knows"):
        read_state(path, digest, private_folder(tmp_path, "again"))


@pytest.mark.parametrize("change", ["flip", "cut", "longer", "other", "link", "folder", "gone"])
def test_a_state_that_is_not_what_the_ledger_knows_is_refused(tmp_path, change):
    """However it differs; nothing is read of it."""
    folder, digest = kept(tmp_path)
    path = folder.file("r1", "audit-1")
    content = path.read_bytes()
    path.unlink()
    if change == "folder":
        path.mkdir()
    elif change == "link":
        (tmp_path / "elsewhere").write_bytes(content)
        path.symlink_to(tmp_path / "elsewhere")
    elif change != "gone":
        made = {"flip": content[:-1] + b"?", "cut": content[:-1], "longer": content + b"0", "other": b""}
        path.write_bytes(made[change])
    with pytest.raises(StateError) as raised:
        read_state(path, digest, private_folder(tmp_path))
    said = {"gone": "is missing", "link": "cannot be read", "folder": "cannot be read"}
    assert str(raised.value) == said.get(change, "is not the one that the ledger knows")


def test_a_folder_that_others_can_enter_is_refused(tmp_path):
    """What is kept there are last values of persons."""
    folder, _ = kept(tmp_path)
    folder.path.chmod(0o755)
    with pytest.raises(UserError, match="others can enter it; run: chmod 700"):
        StateFolder(tmp_path / "private", "people-1")


def test_a_folder_among_what_is_published_is_refused(tmp_path):
    """Whoever reads the releases would read last values of persons."""
    context = SimpleNamespace(
        policy=SimpleNamespace(state_folder=str(tmp_path / "published" / "private")),
        destination=SimpleNamespace(path=tmp_path / "published"),
        history_key=b"k" * 32,
    )
    with pytest.raises(UserError, match=r"where releases are published; name another one as series\.state"):
        StateFolder.of(context, "people")
    context.destination = None
    assert StateFolder.of(context, "people").path.is_dir()


def test_a_sweep_leaves_what_is_needed_and_what_another_ledger_keeps(tmp_path):
    """Attempts that this ledger knows go, but those that are kept."""
    folder, _ = kept(tmp_path, "r1", "audit-1")
    kept(tmp_path, "r.2", "audit-2")
    kept(tmp_path, "r3", "audit-3")
    (folder.path / ".r3.draft.draft").touch()
    folder.sweep({"audit-2"}, lambda audit_id: audit_id != "audit-3")
    assert sorted(p.name for p in folder.path.iterdir()) == [".lock", "r.2.audit-2.state", "r3.audit-3.state"]


def states(place: Place) -> list[str]:
    """Return the ids of the releases whose state is kept."""
    return sorted(path.name.split(".")[0] for path in (place.root / "private").glob("*/*.state"))


def test_a_series_goes_on_with_the_last_values_of_who_left(place):
    """The source has nobody who left, and the release shows them until a batch goes; the record says so."""
    made = [release_month(place, month, release_id=f"r{month}") for month in range(3)]
    assert ([one.is_published for one in made], states(place)) == ([True] * 3, ["r1", "r2"])
    expected = {"state_of": "r1", "leavers_added": 3, "records_added": 3}
    assert place.record(made[2].audit_id)["series"] == expected
    [note] = made[2].receipt.notes
    assert note in made[2].notes
    assert "3 last records of 3 persons who left, as release r1 kept them" in note
    assert made[2].report.records == 28
    promised = [entry.payload["state"] for entry in place.entries("releasing")]
    assert len(set(promised)) == 3
    assert place.faults() == ()


@pytest.mark.slow
@pytest.mark.parametrize(("change", "said"), [
    ("gone", "is missing, so nobody knows the last values of who left; restore that file"),
    ("other", "is not the one that the ledger knows"),
    ("open", "others can enter it"),
    ("older", "is not the one that the ledger knows"),
])  # fmt: skip
def test_a_state_that_was_tampered_with_blocks(place, change, said):
    """In one sentence; once it is restored, the series goes on."""
    for month in range(2):
        assert release_month(place, month, release_id=f"r{month}").is_published
    [older, path] = sorted((place.root / "private").glob("*/*.state"))
    content = path.read_bytes()
    if change == "open":
        path.parent.chmod(0o755)
        with pytest.raises(UserError, match=said):
            release_month(place, 2)
        path.parent.chmod(0o700)
    else:
        path.unlink()
        if change != "gone":
            path.write_bytes(older.read_bytes() if change == "older" else b"x")
        made = release_month(place, 2)
        assert not made.is_published
        [reason] = made.reasons
        assert said in reason
        path.write_bytes(content)
        path.chmod(0o600)
    assert release_month(place, 2, release_id="r2").is_published


@pytest.fixture(scope="module")
def runner():
    """Return what starts releases in processes."""
    return Runner()


_POINTS = [("recording", 0), ("attesting", 1), ("recording", 1), ("publishing", 1), ("confirming", 0)]


@pytest.mark.parametrize(("step", "done"), mostly_slow(_POINTS, quick=0))
def test_a_series_goes_on_wherever_a_run_was_killed(runner, tmp_path, step, done):
    """Before the state, the promise, the rename or the confirmation: the next run is right."""
    place = Place(tmp_path)
    assert release_month(place, 0, release_id="r0").is_published
    code, _ = runner.run(tmp_path, "r1", at=(step, done), month=1)
    assert code == -signal.SIGKILL
    made = [release_month(place, month, release_id=f"r{month}") for month in (1, 2)]
    assert [one.is_published for one in made] == [True, True]
    assert (place.record(made[1].audit_id)["series"]["leavers_added"], states(place)) == (3, ["r1", "r2"])
    assert (place.faults(), place.left_over()) == ((), [])


@pytest.mark.slow
def test_who_must_not_stay_goes_at_once(place, tmp_path):
    """A person on the list of the erased is taken from no state, is missing, and no new state has them."""
    tables = list(months(24, 2, turnover=0.05))
    erased = tables[1].loc[tables[1]["left_on"].notna(), "person"].tolist()
    (tmp_path / "erased.txt").write_text("\n".join(erased))
    policy = rules(state=str(tmp_path / "private"), erased=str(tmp_path / "erased.txt"))
    spy = GroupsKept()
    for month, table in enumerate(tables):
        place.release(present(table), policy, host=host(spy), now=moment(month), release_id=f"r{month}")
    assert (len(spy.seen[-1].missing), int((spy.seen[-1].gone > 0).sum())) == (len(erased), 0)
    (tmp_path / "erased.txt").unlink()
    with pytest.raises(UserError, match=r"which series\.erased names, cannot be read"):
        place.release(present(tables[1]), policy, host=host(), now=moment(2))


@pytest.mark.slow
def test_a_table_with_other_columns_cannot_take_up_who_left(place, tmp_path):
    """What their last records lack would tell them apart."""
    first, second = (present(table) for table in months(24, 2, turnover=0.05))
    policy = rules(state=str(tmp_path / "private")) | {"unnamed_columns": "insensitive"}
    assert place.release(first, policy, host=host(), now=moment(0)).is_published
    made = place.release(second.assign(ward=1), policy, host=host(), now=moment(1))
    [reason] = made.reasons
    assert "only one of the two tables has the column 'ward'; give the table the columns" in reason


@pytest.mark.slow
def test_a_series_may_begin_to_keep_a_state(place, tmp_path):
    """Of the release before nobody knows last values, which is said; from then on it is known."""
    tables = list(months(24, 3, turnover=0.0))
    by_column = rules(left_on="left_on")
    state = rules(state=str(tmp_path / "private"))
    source = present(tables[0])
    assert place.release(source.assign(left_on=None), by_column, host=host(), now=moment(0)).is_published
    spy = GroupsKept()
    made = place.release(source, state, host=host(spy), now=moment(1), release_id="r1")
    assert "kept no state, so whoever left since then goes at once" in made.receipt.notes[-1]
    more = pd.concat([source, source.iloc[:1].assign(person="q1", age=31)], ignore_index=True)
    place.release(more, state, host=host(spy), now=moment(2), release_id="r2")
    place.release(more, state, host=host(spy), now=moment(3), release_id="r3")
    waits = [int(seen.waited[np.flatnonzero(seen.trajectory < 0)].max(initial=-1)) for seen in spy.seen]
    assert waits == [-1, 0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("day", ["soon", "2027-01-01"])
def test_days_that_cannot_be_block(place, day):
    """They are reasons of a blocked release."""
    [table] = months(24, 1)
    table.loc[0, "left_on"] = day
    made = place.release(table, rules(left_on="left_on", came_on="came_on"), host=host(), now=moment(0))
    assert not made.is_published
    assert "'left_on'" in made.reasons[0]
