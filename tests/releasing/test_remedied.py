"""The remedy without a release: one file, written only if the policy holds on it."""

import os

import fsspec
import pandas as pd
import pytest

from qidguard import UserError
from qidguard.core.files import PrivateFolder
from qidguard.engines.base import EngineSettings
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot
from qidguard.releasing.deciding.check import write_remedied
from releases import at_least, people, policy

REMEDY = {"anonymizer": "small_class_suppression", "parameters": {"k": 5}}


@pytest.fixture
def table():
    """Return five classes of five persons, and one person alone."""
    return pd.concat([people(groups=5), people(1, 1, first=900).assign(age=99)])


def done(place, table, to, settings=None, **rules):
    """Transform a table."""
    rules = policy(**({"remedy": REMEDY} | rules))
    return write_remedied(table, policy=rules, to=str(to), home=str(place.home), settings=settings)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_what_is_written_holds_all_columns_and_the_kept_records(place, table, ending):
    """It is on its way to a release: entity and names are there, for its owner; the ledger has both."""
    path = place.root / f"deep/cleaned.{ending}"
    made = done(place, table, path)
    read = pd.read_parquet(path) if ending == "parquet" else pd.read_csv(path)
    assert (made.is_passed, made.address, made.sentences) == (True, str(path), ())
    assert (made.before.records, made.report.records, len(read)) == (26, 25, 25)
    assert list(read.columns) == list(table.columns)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    (entry,) = place.entries()
    assert (entry.kind, entry.payload["outcome"], entry.payload["records"]) == ("checked", "passed", 25)
    assert place.record(made.audit_id)["suppression"]["records_before"] == 26


def test_a_table_that_needs_no_remedy_is_written_as_it_is(place):
    """And the result says that nothing was done."""
    made = done(place, people(), place.root / "x.parquet")
    assert (made.is_passed, made.receipt, made.before) == (True, None, None)
    assert len(pd.read_parquet(place.root / "x.parquet")) == 15


@pytest.mark.slow
def test_what_stays_blocked_is_not_written(place, table):
    """An earlier file stays as it was."""
    path = place.root / "x.parquet"
    path.write_bytes(b"earlier")
    made = done(place, table, path, thresholds=at_least(k_anonymity=6))
    assert (made.is_passed, made.address) == (False, None)
    assert made.sentences == ("k-anonymity is 5 entities, must be at least 6 (1 short), over age, sex.",)
    assert path.read_bytes() == b"earlier"


@pytest.mark.slow
def test_a_store_is_written_too(place, table):
    """Any address that fsspec opens."""
    made = done(place, table, "memory://anonymized/x.parquet")
    assert made.address == "memory://anonymized/x.parquet"
    with fsspec.open("memory://anonymized/x.parquet", "rb") as file:
        assert len(pd.read_parquet(file)) == 25


@pytest.mark.samples(2)
@pytest.mark.parametrize(("to", "rules", "said"), [
    ("x.csv", {"remedy": None}, "names no remedy"),
    ("nowhere://x.csv", {}, "cannot be written"),
    ("~nosuchuser/x.csv", {}, "is no path of this machine"),
    ("x.json", {}, "must end in .parquet or .csv"),
])  # fmt: skip
def test_a_policy_without_a_remedy_and_addresses_that_cannot_be(place, table, to, rules, said):
    """The sentence says what to change, and nothing is left behind."""
    with pytest.raises(UserError, match=said):
        done(place, table, to, **rules)


def test_what_is_read_is_never_written_over(place, table):
    """Neither the source, by another spelling of its path or a URL of this machine, nor the population."""
    path = place.root / "table.csv"
    table.to_csv(path, index=False)
    before = path.read_bytes()
    other = os.path.join(str(place.root), "..", place.root.name, "table.csv")  # noqa: PTH118 - spelled oddly
    for source, to in ((str(path), other), (str(path), path.as_uri()), (path.as_uri(), path)):
        with pytest.raises(UserError, match="written over its source"):
            done(place, source, to)
    with pytest.raises(UserError, match="written over its source"):
        done(place, table, path, population={"path": str(path)})
    assert path.read_bytes() == before


@pytest.mark.parametrize("source", ["g", "g/*.parquet"])
def test_what_is_written_is_never_read_again(place, table, source):
    """A folder or a pattern would hold the output too, and each further run counts its records again."""
    (place.root / "g").mkdir()
    table.to_parquet(place.root / "g/a.parquet")
    with pytest.raises(UserError, match="would be read as data"):
        done(place, str(place.root / source), place.root / "g/out.parquet")
    assert [p.name for p in (place.root / "g").iterdir()] == ["a.parquet"]


@pytest.mark.slow
def test_what_a_killed_run_left_is_removed_by_one_that_is_blocked(place, table):
    """Personal data does not wait for a run that writes."""
    left = PrivateFolder(str(place.root))
    (left.path / ".table").write_bytes(b"half")
    os.close(left._lock._handle)  # as the system does when a process dies
    done(place, table, place.root / "x.csv", thresholds=at_least(k_anonymity=6))
    assert not left.path.exists()


@pytest.mark.slow
def test_nobody_else_reads_it_while_it_is_written(place, table, monkeypatch):
    """Every folder in which it is made is its owner's only; on its way to a store it is where copies go."""
    place.root.chmod(0o755)
    modes, folders = [], []
    write = DuckdbSnapshot.write

    def watched(self, path, *given, **more):
        modes.append(path.parent.stat().st_mode & 0o777)
        folders.append(path.parent.parent)
        write(self, path, *given, **more)

    monkeypatch.setattr(DuckdbSnapshot, "write", watched)
    settings = EngineSettings(spill_directory=str(place.root))
    for to in (place.root / "x.csv", "memory://anonymized/x.csv"):
        done(place, table, to)
    done(place, table, "memory://anonymized/x.csv", settings)
    assert (modes, folders[-1]) == ([0o700] * 3, place.root)


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_is_said(place, table):
    """The sentence names the file and the reason."""
    (place.root / "file").write_text("x")
    with pytest.raises(UserError, match="cannot be written"):
        done(place, table, place.root / "file" / "x.csv")
    assert place.entries("failed") != []


@pytest.mark.slow
def test_an_exception_is_for_a_release_and_not_for_what_is_on_its_way(place, table, officer):
    """An approver let k = 5 pass where 6 is asked: the release passes, no intermediate table is made."""
    more = {"thresholds": at_least(k_anonymity=6), "exceptions": officer.exceptions}
    blocked = place.release(table, policy(remedy=REMEDY, **more), release_id="r1", seed=1)
    officer.let_through(place, blocked.audit_id)
    made = done(place, table, place.root / "x.parquet", **more)
    assert (made.is_passed, (place.root / "x.parquet").exists()) == (False, False)
    released = place.release(table, policy(remedy=REMEDY, **more), release_id="r2", seed=1)
    assert released.outcome.value == "passed_by_exception"
