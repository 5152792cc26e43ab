"""A statement that is interrupted is no fault of the data, and leaves a table that goes on to answer."""

import duckdb
import pandas as pd
import pytest

from qidguard.core.watchdog import Interrupted
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.measuring.subset_measurer import deadline

NAMES = tuple(f"c{i}" for i in range(5))
TABLE = pd.DataFrame({name: [str(row // (1 + i % 3)) for row in range(6)] for i, name in enumerate(NAMES)})


class Cut:
    """A connection whose statement number ``at`` is interrupted before it ends, or after it."""

    def __init__(self, real, at, *, is_done):
        self.real, self.at, self.is_done, self.statements = real, at, is_done, 0

    def execute(self, *given):
        """Run a statement, or interrupt it."""
        self.statements += 1
        if self.statements == self.at:
            if self.is_done:
                self.real.execute(*given)
            raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")
        return self.real.execute(*given)

    def __getattr__(self, name):
        return getattr(self.real, name)


def opened():
    """Return an opened table of which no column is coded yet."""
    return ENGINE.open(TABLE, ReadOptions(), Needs(), EngineSettings())


@pytest.mark.samples(1)
@pytest.mark.parametrize("is_done", [False, True])
def test_coding_that_was_interrupted_anywhere_is_done_when_it_is_asked_for_again(is_done, monkeypatch):
    """Each statement of it is interrupted once: coded columns answer as before, and so do all others then."""
    monkeypatch.setattr("qidguard.engines.duckdb.dictionary._JOINS", 2)  # so that they are coded in steps
    with opened() as table:
        expected = [sorted(table.class_sizes((name,)).tolist()) for name in NAMES]
    at = 0
    while True:
        at += 1
        with opened() as table:
            table.prepare(NAMES[:2])
            real = table._connection.duckdb
            cut = table._connection.duckdb = Cut(real, at, is_done=is_done)
            try:
                table.prepare(NAMES)
            except Interrupted:
                interrupted = True
            else:
                interrupted = False
            table._connection.duckdb = real
            assert sorted(table.class_sizes(NAMES[:1]).tolist()) == expected[0]
            assert [sorted(table.class_sizes((name,)).tolist()) for name in NAMES[-2:]] == expected[-2:]
            if not interrupted:
                break
    assert cut.statements < at
    assert at > len(NAMES)


def test_while_a_table_is_interrupted_no_statement_is_begun():
    """Neither one that reads columns nor one that counts; afterward both are."""
    with opened() as table:
        table.prepare(NAMES[:1])
        table.is_interrupted = True
        for ask in (lambda: table.class_sizes(NAMES[:1]), lambda: table.prepare(NAMES[1:2])):
            with pytest.raises(Interrupted):
                ask()
        table.is_interrupted = False
        assert sorted(table.class_sizes(NAMES[:2]).tolist()) == [1] * 6


def test_a_statement_without_end_is_interrupted_at_the_deadline():
    """It would count 10¹⁵ pairs; the same connection goes on."""
    with opened() as table:
        with deadline(table, 0.01) as end:
            many = "(SELECT range AS n FROM range(31622776))"
            table._connection.duckdb.execute(f"SELECT sum(a.n ^ b.n) FROM {many} a, {many} b").fetchall()
        assert end.has_come
        assert not table.is_interrupted
        assert sorted(table.class_sizes(NAMES[:1]).tolist()) == [1] * 6
