"""Each anonymizer of the folder run by the host on a frame, and its result measured by the engine's SQL."""

import numpy as np
import pandas as pd
import pytest

from qidguard.core.errors import UnreachableError
from qidguard.core.parameter import bind
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.sdk import AnonymizationTask, Grouping, ValueType
from qidguard_standard.anonymizers.recoding import RECODING
from qidguard_standard.metrics import METRICS
from quick import mostly_slow
from snapshots import run_anonymizer

BY_NAME = {anonymizer.name: anonymizer for anonymizer in RECODING}
BY_METRIC = {metric.name: metric for metric in METRICS}
ARGUMENTS = {
    "local_recoding": {"k": 3, "l": 2},
    "local_suppression": {"k": 3},
    "top_bottom_coding": {"k": 3, "top": "age=90%", "bottom": "age=25", "publish": "limit"},
    "rounding": {"base": '{"age": 5, "weight, \\"kg\\"": 2.5}', "is_random": True},
    "pram": {"p": 0.5},
    "pram_sensitive": {"p": 0.5, "is_invariant": True},
}
QIDS = ("age", 'weight, "kg"', "select")


def frame(records=120, seed=3):
    """A typed table with NULLs, a hostile name, and persons who come more than once."""
    draw = np.random.default_rng(seed)
    weight = draw.integers(800, 1000, records) / 10
    weight[::11] = np.nan
    return pd.DataFrame(
        {
            "age": draw.integers(18, 90, records),
            'weight, "kg"': weight,
            "select": draw.choice(["ä", "b c", "NULL", None], records),
            "salary": draw.choice(["low", "high"], records),
            "who": draw.integers(0, (records + 1) // 2, records),
        }
    )


class Steps:
    """A progress that is interrupted at a step."""

    def __init__(self, last=None):
        self.heard = 0
        self.last = last

    def step(self, title, done, total):
        """Count, and interrupt."""
        assert 0 <= done <= total
        self.heard += 1
        if self.heard == self.last:
            raise KeyboardInterrupt


def run(anonymizer, source, **given):
    """Run it as the host does; the task is over pairs of the QIDs too where it can be."""
    options = {"entity": "who", "seed": 7, "combinations": (QIDS, QIDS[:2]), **given}
    task = AnonymizationTask(sensitive=("salary",), **options)
    arguments = bind(anonymizer.parameters, ARGUMENTS[anonymizer.name])
    made = run_anonymizer(anonymizer, source, arguments, task, owner="test")
    return made.after, made.receipt, made.done


@pytest.fixture(scope="module")
def source():
    """Return the frame as a snapshot."""
    with ENGINE.snapshot(frame(), ReadOptions(), EngineSettings()) as snapshot:
        yield snapshot


def test_every_anonymizer_of_the_folder_is_run_here():
    """A new one needs arguments above."""
    assert set(ARGUMENTS) == set(BY_NAME)


@pytest.mark.samples(1)
@pytest.mark.parametrize("entity", mostly_slow(["who", None]))
@pytest.mark.parametrize("name", BY_NAME)
def test_what_is_claimed_is_what_the_engine_measures(source, name, entity):
    """Each claim holds over entities and over records, and untouched columns stay as they are."""
    after, receipt, done = run(BY_NAME[name], source, entity=entity)
    with after:
        needs = Needs(entity=entity, suppression_mark="*")
        with ENGINE.open(after, ReadOptions(), needs, EngineSettings()) as table:
            for claim in done.guarantees:
                metric = BY_METRIC[claim.metric]
                needed = metric.method.needs({})
                values = table.statistics(Grouping(qids=claim.qids, sensitive=claim.sensitive), needed)
                assert claim.limit.is_met_by(metric.method.compute(values, {})), claim
        untouched = [column for column in source.names if column not in done.columns]
        kept = source.keep(done.kept)
        with kept:
            assert kept.content_digest(untouched) == after.content_digest(untouched)
    assert bool(done.guarantees) == name.startswith("local_")
    changed = {column for column, cells in receipt.cells_changed.items() if cells}
    assert changed == set(done.columns) or not name.startswith("local_")


@pytest.mark.slow  # of each anonymizer the kit asks the same for every save
@pytest.mark.parametrize("name", BY_NAME)
def test_the_same_seed_gives_the_same_records(source, name):
    """Twice the same digest."""
    digests = []
    for _ in range(2):
        after, *_ = run(BY_NAME[name], source)
        with after:
            digests.append(after.content_digest(after.names))
    assert digests[0] == digests[1]


@pytest.mark.samples(2)
@pytest.mark.parametrize(
    ("name", "column", "expected"),
    [
        ("top_bottom_coding", "age", ValueType.INTEGER),
        ("rounding", "age", ValueType.INTEGER),
        ("rounding", 'weight, "kg"', ValueType.NUMBER),
        ("pram", "age", ValueType.INTEGER),
    ],
)
def test_columns_of_numbers_stay_so(source, name, column, expected):
    """What publishes numbers in place of numbers keeps their type."""
    after, *_ = run(BY_NAME[name], source)
    with after:
        assert after.column(column).value_type is expected


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_an_interrupt_ends_the_work(source, name):
    """At the first step and at the last: nothing is swallowed and the source stays as it is."""
    before = source.content_digest(source.names)
    steps = Steps()
    run(BY_NAME[name], source, progress=steps)[0].close()
    for last in (1, steps.heard):
        with pytest.raises(KeyboardInterrupt):
            run(BY_NAME[name], source, progress=Steps(last))
    assert source.content_digest(source.names) == before


@pytest.mark.samples(2)
@pytest.mark.parametrize("name", BY_NAME)
def test_a_table_of_one_record(name):
    """Three persons are refused with a sentence that names no value; the others take the record as it is."""
    with ENGINE.snapshot(frame(1), ReadOptions(), EngineSettings()) as one:
        if name in {"local_recoding", "local_suppression", "top_bottom_coding"}:
            with pytest.raises(UnreachableError, match="k = 3"):
                run(BY_NAME[name], one)
        else:
            after, *_ = run(BY_NAME[name], one)
            assert after.records == 1
            after.close()
