"""The remedy without a release: one file, written only if the policy holds on it."""

import os

import pandas as pd
import pytest

from qidguard import UserError
from qidguard.core.private_folder import PrivateFolder
from qidguard.engines.base import EngineSettings
from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot
from qidguard.releasing.deciding.remedied import write_remedied
from releases import people, policy

REMEDY = {"anonymizer": "small_class_suppression", "parameters": {"k": 5}}


@pytest.fixture
def table():
    """Return five classes of five persons, and one person alone."""
    return pd.concat([people(groups=5), people(1, 1, first=900).assign(age=99)])


def done(place, table, to, **rules):
    """Transform a table."""
    rules = policy(**({"remedy": REMEDY} | rules))
    return write_remedied(table, policy=rules, to=str(to), home=str(place.home))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_what_is_written_holds_all_columns_and_the_kept_records(place, table, ending):
    """It is on its way to a release, so the entity and the names are still there, for its owner only."""
    path = place.root / f"deep/cleaned.{ending}"
    made = done(place, table, path)
    read = pd.read_parquet(path) if ending == "parquet" else pd.read_csv(path)
    assert (made.is_passed, made.address, made.sentences) == (True, str(path), ())
    assert (made.before.records, made.report.records, len(read)) == (26, 25, 25)
    assert list(read.columns) == list(table.columns)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.slow
def test_both_audits_are_in_the_ledger(place, table):
    """The entry is of what was written; the record says what the remedy did."""
    made = done(place, table, place.root / "x.parquet")
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
    made = done(place, table, path, thresholds=[{"metric": "k_anonymity", "at_least": 6}])
    assert (made.is_passed, made.address) == (False, None)
    assert made.sentences == ("k-anonymity is 5 entities, must be at least 6 (1 short), over age, sex.",)
    assert path.read_bytes() == b"earlier"


@pytest.mark.slow
def test_a_store_is_written_too(place, table):
    """Any address that fsspec opens."""
    import fsspec

    made = done(place, table, "memory://anonymized/x.parquet")
    assert made.address == "memory://anonymized/x.parquet"
    with fsspec.open("memory://anonymized/x.parquet", "rb") as file:
        assert len(pd.read_parquet(file)) == 25


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("x.json", "must end in .parquet or .csv"),
        ("nowhere://x.csv", "cannot be written"),
        ("~nosuchuser/x.csv", "is no path of this machine"),
    ],
)
def test_addresses_that_cannot_be(place, table, to, said):
    """The sentence says what to change, and nothing is left behind."""
    with pytest.raises(UserError, match=said):
        done(place, table, to)


def test_the_source_is_never_written_over(place, table):
    """Not by another spelling of its path either."""
    path = place.root / "table.parquet"
    table.to_parquet(path)
    before = path.read_bytes()
    other = os.path.join(str(place.root), "..", place.root.name, "table.parquet")  # noqa: PTH118 - spelled oddly
    with pytest.raises(UserError, match="written over its source"):
        write_remedied(str(path), policy=policy(remedy=REMEDY), to=other, home=str(place.home))
    assert path.read_bytes() == before


@pytest.mark.parametrize("source", ["g", "g/*.parquet"])
def test_what_is_written_is_never_read_again(place, table, source):
    """A folder or a pattern would hold the output too, and each further run counts its records again."""
    (place.root / "g").mkdir()
    table.to_parquet(place.root / "g/a.parquet")
    with pytest.raises(UserError, match="would be read as data"):
        write_remedied(
            str(place.root / source),
            policy=policy(remedy=REMEDY),
            to=str(place.root / "g/out.parquet"),
            home=str(place.home),
        )
    assert [p.name for p in (place.root / "g").iterdir()] == ["a.parquet"]


def test_the_population_is_never_written_over(place, table):
    """It is read as well, and stands beside the policy."""
    path = place.root / "population.csv"
    table.to_csv(path, index=False)
    with pytest.raises(UserError, match="written over its source"):
        done(place, table, path, population={"path": str(path)})


def test_the_source_is_never_written_over_by_a_url(place, table):
    """A URL of this machine is a path."""
    path = place.root / "table.csv"
    table.to_csv(path, index=False)
    before = path.read_bytes()
    for source, to in ((str(path), path.as_uri()), (path.as_uri(), str(path))):
        with pytest.raises(UserError, match="written over its source"):
            write_remedied(source, policy=policy(remedy=REMEDY), to=to, home=str(place.home))
    assert path.read_bytes() == before


@pytest.mark.slow
def test_what_a_killed_run_left_is_removed_by_one_that_is_blocked(place, table):
    """Personal data does not wait for a run that writes."""
    left = PrivateFolder(str(place.root))
    (left.path / ".table").write_bytes(b"half")
    os.close(left._lock._handle)  # as the system does when a process dies
    done(place, table, place.root / "x.csv", thresholds=[{"metric": "k_anonymity", "at_least": 6}])
    assert not left.path.exists()


@pytest.mark.slow
def test_nobody_else_reads_it_while_it_is_written(place, table, monkeypatch):
    """Every folder in which it is made is its owner's only."""
    place.root.chmod(0o755)
    modes = []
    write = DuckdbSnapshot.write

    def watched(self, path, *given, **more):
        modes.append(path.parent.stat().st_mode & 0o777)
        write(self, path, *given, **more)

    monkeypatch.setattr(DuckdbSnapshot, "write", watched)
    done(place, table, place.root / "x.csv")
    done(place, table, "memory://anonymized/x.csv")
    assert modes == [0o700, 0o700]


@pytest.mark.slow
def test_a_file_on_its_way_to_a_store_is_made_where_copies_go(place, table, monkeypatch):
    """The folder for spilled data is the one that its owner chose for it."""
    made = []
    write = DuckdbSnapshot.write

    def watched(self, path, *given, **more):
        made.append(path.parent.parent)
        write(self, path, *given, **more)

    monkeypatch.setattr(DuckdbSnapshot, "write", watched)
    settings = EngineSettings(spill_directory=str(place.root))
    write_remedied(
        table,
        policy=policy(remedy=REMEDY),
        to="memory://anonymized/x.csv",
        home=str(place.home),
        settings=settings,
    )
    assert made == [place.root]


def test_without_a_remedy_there_is_nothing_to_do(place, table):
    """The policy has to name one."""
    with pytest.raises(UserError, match="names no remedy"):
        done(place, table, place.root / "x.csv", remedy=None)


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_is_said(place, table):
    """The sentence names the file and the reason."""
    (place.root / "file").write_text("x")
    with pytest.raises(UserError, match="cannot be written"):
        done(place, table, place.root / "file" / "x.csv")
    assert place.entries("failed") != []


@pytest.mark.slow
def test_an_exception_is_for_a_release_and_not_for_what_is_on_its_way(place, table):
    """An approver let k = 5 pass where 6 is asked: the release passes, no intermediate table is made."""
    from datetime import UTC, datetime, timedelta

    from qidguard.evidence.keys import load_private_key, new_key_pair
    from qidguard.ledger import open_ledger
    from qidguard.releasing.deciding.approve import Consent, make_exception

    new_key_pair(place.root / "officer", "officer")
    key = load_private_key(place.root / "officer" / "officer.key")
    approvers = {"approvers": [{"name": "officer", "key": key.public.text}], "longest_days": 30}
    more = {"thresholds": [{"metric": "k_anonymity", "at_least": 6}], "exceptions": approvers}
    blocked = place.release(table, policy(remedy=REMEDY, **more), release_id="r1", seed=1)
    now = datetime.now(UTC)
    consent = Consent(
        audit_id=blocked.audit_id,
        covers=("k_anonymity",),
        reason="pilot",
        expires=now.date() + timedelta(days=5),
    )
    with open_ledger(place.ledger) as ledger:
        make_exception(ledger, consent, key, now)
    made = done(place, table, place.root / "x.parquet", **more)
    assert (made.is_passed, (place.root / "x.parquet").exists()) == (False, False)
    released = place.release(table, policy(remedy=REMEDY, **more), release_id="r2", seed=1)
    assert released.outcome.value == "passed_by_exception"
