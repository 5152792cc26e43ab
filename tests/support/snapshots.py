"""Tables as an engine holds them, and what the host makes of an anonymizer's answer on one."""

from contextlib import contextmanager
from types import SimpleNamespace

from plugged import OWNER, Doing
from qidguard.anonymizing.run import run_anonymizer
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
        after, receipt, done = run_anonymizer(Doing(do, **more), snapshot, {}, task, owner=OWNER)
        with after:
            yield SimpleNamespace(after=after, receipt=receipt, done=done, before=snapshot)


def cells(snapshot, name):
    """Return the texts of a column in the order of its records."""
    column = snapshot.column(name)
    return [column.texts[code] for code in column.codes]
