"""Tables as an engine holds them, and what the host makes of an anonymizer's answer on one."""

from contextlib import contextmanager
from types import SimpleNamespace

from plugged import OWNER, Doing
from qidguard.anonymizing.protocol import ChosenAnonymizer
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.anonymizing.run import run_on
from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.host import load_host


@contextmanager
def snapshot_of(table):
    """Yield a snapshot of a frame or a file."""
    with load_host().engine("duckdb").snapshot(table, ReadOptions(), EngineSettings()) as snapshot:
        yield snapshot


@contextmanager
def ran(do, table, task, **more):
    """Run a function as an anonymizer on a table; yield both snapshots, the receipt and what was done."""
    with snapshot_of(table) as snapshot:
        run = run_anonymizer(Doing(do, **more), snapshot, {}, task, owner=OWNER)
        with run.after:
            yield SimpleNamespace(after=run.after, receipt=run.receipt, done=run.done, before=snapshot)


def run_anonymizer(anonymizer, snapshot, arguments, task, *, owner):
    """Return a run of an anonymizer on a snapshot, whose copy is to be closed."""
    records = SnapshotRecords(snapshot, task.suppression_mark, task.normalized, task.kinds)
    method = ChosenAnonymizer(anonymizer=anonymizer, arguments=arguments, owner=owner)
    return run_on(records, method, task)


def cells(snapshot, name):
    """Return the texts of a column in the order of its records."""
    column = snapshot.column(name)
    return [column.texts[code] for code in column.codes]
