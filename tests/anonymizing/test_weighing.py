"""What is measured of a rehearsed table in memory is what an audit measures of the published one."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from plugged import Doing, chosen
from qidguard.anonymizing.in_memory import rehearse_on
from qidguard.anonymizing.records import SnapshotRecords
from qidguard.anonymizing.run import run_on
from qidguard.anonymizing.weighing import WeighingFigure
from qidguard.core.role import Role
from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb.engine import ENGINE
from qidguard.host import load_host
from qidguard.measuring.evaluator import measure
from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Bound,
    Limit,
    Original,
    PolicyLimit,
    Recoded,
    UserError,
    k_anonymity_task,
    records_of,
    rehearse,
)
from qidguard.trials.measuring import is_of_models

QIDS, SENSITIVE = ("age", "town"), ("illness", "income")
WITH_ARGUMENTS = (
    "prosecutor_share_above[threshold=0.075]", "prosecutor_share_above[threshold=0.4]",
    "persons_below_k[k=3]", "recursive_l_diversity[c=2]",
)  # fmt: skip


def weighable() -> tuple[str, ...]:
    """Return every installed metric of one table, its classes and its original, that trains no model."""
    names = [
        name
        for name, metric in load_host().metrics.items()
        if not (metric.needs_population or metric.needs_history or metric.needs_rest or metric.change_of)
        and metric.attribute is not Role.TREATMENT
        and not metric.needs_every_column
        and not is_of_models(metric)
        and all(parameter.default is not None for parameter in metric.parameters)
    ]
    return (*names, *WITH_ARGUMENTS)


def table(rows) -> pd.DataFrame:
    """Return records, in the order in which they are held in memory, of persons that may have several."""
    frame = pd.DataFrame(rows, columns=["person", "age", "town", "illness", "income"])
    frame = frame.astype({"age": "Int64", "income": "Float64"})
    return frame.sort_values(list(frame.columns), na_position="first", ignore_index=True)


def doing(kept, groups):
    """Return an anonymizer that publishes mean ages, and sets of towns, of a few groups of records."""

    def do(given, *_):
        kept_ones = np.resize(np.array(kept, dtype=bool), given.records)
        kept_ones[0] = True
        group = np.resize(np.array(groups), given.records)
        age, town = given.column("age"), given.column("town")
        values = [float(np.nanmean([0.0, *age.numbers[age.codes[group == one]]])) for one in range(3)]
        ages = Recoded(codes=group, values=tuple(round(value) for value in values))
        towns = Recoded(
            codes=np.where(group == 0, len(town.texts), town.codes),
            values=(*(Original(code) for code in range(len(town.texts))), "*"),
        )
        return Anonymized(kept=kept_ones, columns={"age": ages, "town": towns})

    return Doing(do)


@contextmanager
def released(source, method, task):
    """Yield the records, and the published copy of them, opened beside them as an audit opens it."""
    with ENGINE.snapshot(source, ReadOptions(), EngineSettings(threads=1)) as snapshot:
        before = SnapshotRecords(snapshot, "*")
        run = run_on(before, chosen(method), task)
        needs = Needs(entity=task.entity, suppression_mark="*", changes=run.changes)
        with run.after, ENGINE.open(run.after, ReadOptions(), needs, EngineSettings(threads=1)) as opened:
            yield before, opened


def hold_against_the_audit(rows, kept, groups, entity):
    """Compare every figure of every metric, one by one."""
    source = table(rows)
    task = AnonymizationTask(
        combinations=(QIDS,), entity=entity, sensitive=SENSITIVE, seed=3, target="illness"
    )
    method, host = doing(kept, groups), load_host()
    names = weighable()
    with released(source, method, task) as (before, opened):
        done = rehearse_on(before, chosen(method), task, metrics=host)
        found = done.measure(*names)
        asked = [WeighingFigure.read(name, host).questions(task, QIDS) for name in names]
        answers = iter(measure(opened, [question for questions in asked for question in questions]))
        for name, ours, questions in zip(names, found, asked, strict=True):
            theirs = [next(answers) for _ in questions]
            if not questions:  # it is measured beside a role that no column has
                assert ours.value is None
                continue
            if any(one.value is None for one in theirs):
                assert ours.value is None, (name, ours, theirs)
                assert ours.reason in {one.reason for one in theirs}
                continue
            worst = theirs[0].value
            for question, one in zip(questions, theirs, strict=True):
                worst = question.worse(one.value, worst)
            assert ours.value == worst, (name, ours, theirs)
            assert ours.unit == theirs[0].unit
    return dict(zip(names, found, strict=True))


ROWS = [
    ("a", 30, "Ulm", "x", 10.5),
    ("a", 31, "Ulm", "y", None),
    ("b", 31, None, "x", 12.25),
    ("b", None, "Bonn", None, 12.25),
    ("c", 47, "Bonn", "x", 7.0),
    ("d", 52, "Ulm", "x", 10.5),
]


@pytest.mark.samples(1)
@pytest.mark.parametrize("entity", [None, "person"])
def test_one_table_has_the_audits_figures(entity):
    """With NULLs, a suppressed record, marks and centers; most metrics have a figure."""
    figures = hold_against_the_audit(ROWS, [True, True, True, True, False, True], [0, 0, 1, 1, 2, 2], entity)
    known = {name for name, one in figures.items() if one.value is not None}
    assert {"k_anonymity", "information_loss", "ncp", "persons_homogeneous", "t_closeness"} <= known
    assert {"distinct_l_diversity", "prosecutor_share_above[threshold=0.075]"} <= known


PERSONS, TOWNS, ILLNESSES = ("a", "b", "c", "d"), ("Ulm", "Bonn", None), ("x", "y", None)
ROW = st.tuples(
    st.sampled_from(PERSONS),
    st.one_of(st.none(), st.integers(20, 40)),
    st.sampled_from(TOWNS),
    st.sampled_from(ILLNESSES),
    st.one_of(st.none(), st.sampled_from([0.1, 0.2, 0.7, 1e6, -3.5])),
)


@pytest.mark.slow
@pytest.mark.parametrize("entity", [None, "person"])
@settings(max_examples=examples(20, fewest=4), deadline=None, derandomize=True, database=None)
@given(
    rows=st.lists(ROW, min_size=2, max_size=12),
    kept=st.lists(st.booleans(), min_size=1, max_size=5),
    groups=st.lists(st.integers(0, 2), min_size=1, max_size=4),
)
def test_every_figure_is_the_audits_to_the_last_digit(entity, rows, kept, groups):
    """On random tables with NULLs, with several records a person and without: the same number, or neither."""
    hold_against_the_audit([("a", 30, "Ulm", "x", 1.5), *rows], kept, groups, entity)


def held_limit(metric, bound, value, qids=QIDS, **more):
    """Return a limit of a policy."""
    return PolicyLimit(
        metric=load_host().metric(metric),
        arguments={},
        limit=Limit(bound=bound, value=value),
        qids=qids,
        **more,
    )


def test_limits_are_held_against_the_worst_set_that_an_attacker_may_know():
    """Of any one column, age has a class of one; what needs an audit is neither met nor missed."""
    source = pd.DataFrame({"age": [1, 2, 2, 2], "town": ["A", "A", "B", "B"], "job": ["x", "x", "x", "y"]})
    limits = (
        held_limit("k_anonymity", Bound.AT_LEAST, 2, knows_any=1),
        held_limit("k_anonymity", Bound.AT_LEAST, 1),
        held_limit("distinct_l_diversity", Bound.AT_LEAST, 2, ("town",), sensitive="job"),
        held_limit("k_map", Bound.AT_LEAST, 2),
    )
    task = AnonymizationTask(combinations=(QIDS,), entity=None, sensitive=("job",), seed=0, targets=limits)
    everyone = Doing(lambda records, *_: Anonymized(kept=np.ones(records.records, dtype=bool)))
    done = rehearse_on(records_of(source), chosen(everyone), task)
    held = done.limits()
    assert [one.measurement.value for one in held] == [1, 1, 1, None]
    assert [one.is_met for one in held] == [False, True, False, None]
    assert held[0].measurement.qids == ("age",)


def test_a_figure_that_there_is_not_is_said():
    """A wrong name or argument is the caller's mistake; a missing role is a reason."""
    done = rehearse(records_of(table(ROWS)), "mondrian", k_anonymity_task(2, QIDS))
    with pytest.raises(UserError, match="no_such_metric"):
        done.measure("no_such_metric")
    with pytest.raises(UserError, match="prosecutor_share_above: parameter 'threshold'"):
        done.measure("prosecutor_share_above[threshold=2]")
    [found] = done.measure("persons_homogeneous")
    assert found.value is None
    assert "names no column of the role" in found.reason


def test_the_published_table_comes_as_a_frame():
    """Numbers as numbers, texts as texts, NULL as None, kept records only."""
    source = pd.DataFrame({"age": [30, 41, None], "town": ["A", None, "B"], "x": [0.5, 1.5, 2.5]})
    kept = np.array([True, True, False])
    ages = Recoded(codes=np.array([0, 1, 0]), values=(35, Original(2)))
    do = Doing(lambda *_: Anonymized(kept=kept, columns={"age": ages}))
    held = records_of(source.sort_values("age", ignore_index=True))
    task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
    frame = rehearse_on(held, chosen(do), task).to_frame()
    assert list(frame.columns) == ["age", "town", "x"]
    assert len(frame) == 2
    assert sorted(frame["x"]) == sorted(held.column("x").numbers[held.column("x").codes[kept]])
