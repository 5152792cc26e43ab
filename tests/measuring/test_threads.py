"""Threads: however many walk, every wanted set is met once and every figure is the same."""

# ruff: noqa: PD011 - the values are a SubsetFigures's, and no pandas

import threading
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.metric import Direction
from qidguard.core.parameter import bind
from qidguard.core.watchdog import THREAD_NAME
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.host import load_host
from qidguard.measuring import way
from qidguard.measuring.cost import Path
from qidguard.measuring.family import side_by_side
from qidguard.measuring.lattice import chunks, partitions
from qidguard.measuring.lattice.levels import levels_of
from qidguard.measuring.lattice.numpy_kernel import NUMPY
from qidguard.measuring.lattice.records import Records
from qidguard.measuring.lattice.walk import Walk, Wanted
from qidguard.measuring.question import Question
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.measuring.way import VARIABLE
from qidguard.sdk import Explanation, GroupBy, Metric, PluginError, Statistic, Unit

GENERATOR = np.random.default_rng(2)
TABLE = pd.DataFrame({f"c{i}": GENERATOR.integers(0, 2 + 2 * i, 2500) for i in range(6)})
TABLE["s"] = GENERATOR.integers(0, 3, 2500)
TABLE["who"] = GENERATOR.integers(0, 2000, 2500)
COLUMNS = tuple(f"c{i}" for i in range(6))
WORDS = Explanation(**dict.fromkeys(Explanation.__dataclass_fields__, "words"))


@pytest.fixture(autouse=True)
def several(monkeypatch):
    """Let small tables be walked by several threads, in many pieces and small chunks."""
    monkeypatch.setenv(VARIABLE, "numba")
    monkeypatch.setattr(way, "WORTH_THREADS_ROWS", 0)
    monkeypatch.setattr(partitions, "_SMALLEST_PIECE", 1)
    monkeypatch.setattr(chunks, "_ENOUGH_SIZES", 50)


@pytest.fixture(autouse=True)
def ended():
    """Whatever happens, no thread is left; the watchdog of plugin code stays, once it is there."""
    before = set(threading.enumerate())
    yield
    assert {one.name for one in set(threading.enumerate()) - before} <= {THREAD_NAME}


def opened(entity=None):
    """Return the table, opened."""
    return ENGINE.open(TABLE, ReadOptions(), Needs(entity=entity), EngineSettings(threads=1))


def figures():
    """Return figures of class sizes and of an attribute's cells."""
    host = load_host()
    asked = [("k_anonymity", None), ("discernibility", None), ("sample_uniques", None), ("t_closeness", "s")]
    metrics = [(host.metric(name), attribute) for name, attribute in asked]
    return [Question(metric=m, arguments=bind(m.parameters, {}), attribute=a) for m, a in metrics]


def failing():
    """Return a figure whose plugin crashes on sets with more than 100 classes."""

    def compute(values, _):
        return 1 // (values["classes"] <= 100)

    method = GroupBy(statistics=(Statistic(name="classes", sql="count(*)"),), compute=compute)
    metric = Metric(
        name="m", title="m", unit=Unit.RATIO, minimum=0, maximum=1, direction=Direction.NEITHER,
        method=method, explanation=WORDS,
    )  # fmt: skip
    return Question(metric=metric, arguments={}, owner="plugin 'p'")


@pytest.mark.slow
@pytest.mark.parametrize("entity", [None, "who"])
def test_the_number_of_threads_changes_nothing(entity):
    """Values, their order and the evaluations are the same on one, two and three threads, and by SQL."""
    with opened(entity) as table:
        expected = SubsetMeasurer(table, COLUMNS, figures(), path=Path.SQL).every(range(1, 7))
        for threads in (1, 2, 3):
            measurer = SubsetMeasurer(table, COLUMNS, figures(), path=Path.LATTICE, threads=threads)
            found = measurer.every(range(1, 7))
            assert found.sets.tolist() == expected.sets.tolist()
            np.testing.assert_array_equal(expected.values, found.values, strict=True)
            assert measurer.evaluations == 63
            assert measurer.plan.reason.endswith(f" on {threads} threads." if threads > 1 else "numba.")


@pytest.mark.samples(1)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_plugin_that_fails_is_named(threads):
    """The same sentence comes out of any number of threads."""
    with opened() as table:
        measurer = SubsetMeasurer(table, COLUMNS, [failing()], path=Path.LATTICE, threads=threads)
        with pytest.raises(PluginError, match=r"^plugin 'p': metric 'm' failed with ZeroDivisionError; mend"):
            measurer.every(range(1, 7))
        assert measurer.evaluations == 0


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_interrupt_ends_the_threads(threads):
    """Work stops after some chunks, no half answer is kept, and the next question is answered."""
    with opened() as table:

        class Listener:
            stops_after = 3

            def step(self, title, done, total):
                table.is_interrupted = done > self.stops_after

        listener = Listener()
        measurer = SubsetMeasurer(
            table, COLUMNS, figures(), path=Path.LATTICE, threads=threads, progress=listener
        )
        before = set(threading.enumerate())
        with pytest.raises(KeyboardInterrupt) as raised:
            measurer.every(range(1, 7))
        # at once, and not only when nobody holds the error any more
        assert (raised.type, set(threading.enumerate()) - before) == (KeyboardInterrupt, set())
        assert measurer.evaluations == 0
        listener.stops_after, table.is_interrupted = 10**6, False
        assert measurer.every([1]).values[:, 0].tolist() == [
            TABLE[name].value_counts().min() for name in COLUMNS
        ]


def test_the_failure_of_a_thread_is_raised_where_it_was_asked():
    """A thread that cannot go on does not leave an answer short."""

    def chunks(found):
        for one in found:
            if one == 5:
                raise MemoryError("no room")
            yield one

    with pytest.raises(MemoryError, match="no room"):
        list(side_by_side(iter([iter(range(4)), iter(range(4, 8))]), chunks, 2))


def test_closing_early_stops_the_threads():
    """Of a walk without an end only what was ready is walked on."""
    walked = []

    def endless():
        while True:
            walked.append(1)
            yield len(walked)

    found = side_by_side(iter([endless(), endless()]), iter, 2)
    next(found)
    found.close()
    count = len(walked)
    assert len(walked) == count < 100


@settings(max_examples=examples(30), deadline=None, derandomize=True, database=None)
@given(data=st.data(), most=st.integers(1, 20), threads=st.integers(1, 3), head=st.integers(1, 5))
def test_pieces_hold_every_wanted_set_once(data, most, threads, head):
    """Cut at any size and walked by any number of threads, no set is lost or met twice."""
    every = [sum(1 << i for i in some) for size in range(1, 6) for some in combinations(range(5), size)]
    masks = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    columns = tuple(TABLE[name].to_numpy()[:40] for name in COLUMNS[:5])
    records = Records(
        columns=columns, cardinalities=tuple(int(c.max()) + 1 for c in columns), weights=None,
        attribute=None, attribute_codes=np.zeros(0, dtype=np.int64), entity=None, entities=0,
    )  # fmt: skip
    wanted = Wanted(masks, head)
    walk = Walk(records, wanted, levels_of(records, head), NUMPY)
    pieces = [list(piece) for piece in walk.branches(most)]
    sizes = [sum(len(tails) for _, tails in piece) for piece in pieces]
    assert all(size <= most or len(piece) == 1 for size, piece in zip(sizes, pieces, strict=True))
    rows = [row for _, tails in side_by_side(walk.branches(most), iter, threads) for _, row in tails]
    assert sorted(rows) == list(range(len(masks)))
