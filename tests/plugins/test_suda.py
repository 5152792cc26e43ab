"""SUDA scores against hand-made tables and the formulas term by term."""

from collections import Counter
from itertools import combinations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.engines.base import EngineSettings, Needs, ReadOptions
from qidguard.engines.duckdb import ENGINE
from qidguard.sdk import Codes, Estimate, Grouping, NotMeasurable
from qidguard_standard.metrics.suda import SUDA_METRICS
from qidguard_standard.metrics.suda_scores import suda_scores

METRICS = {metric.name: metric for metric in SUDA_METRICS}
FOUR = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 1, 1)]
"""One record is unique on column 2 alone, two on two columns, two are twins."""


class View:
    """A table of codes."""

    is_interrupted = False

    def __init__(
        self,
        rows: list[tuple[int, ...]],
        entities: list[int] | None = None,
        sampling_fraction: float | None = None,
    ) -> None:
        keyed = [(*row, 0 if entities is None else entities[i]) for i, row in enumerate(rows)]
        distinct = sorted(counts := Counter(keyed))
        self.sampling_fraction, self.has_entities = sampling_fraction, entities is not None
        width = len(rows[0]) if rows else 1
        self.table = Codes(
            codes=np.array([row[:-1] for row in distinct], dtype=np.int32).reshape(len(distinct), width),
            records=np.array([counts[row] for row in distinct], dtype=np.int64),
            entity=None if entities is None else np.array([row[-1] for row in distinct]),
            suppressed=(-1,) * width,
        )

    def codes(self, qids: tuple[str, ...]) -> Codes:
        """Return the codes it was made with."""
        assert len(qids) == len(self.table.suppressed)
        return self.table


def names(view: View) -> tuple[str, ...]:
    """Name the columns."""
    return tuple(f"q{c}" for c in range(len(view.table.suppressed)))


def measure(name: str, view: Any, max_size: int = 1000, dis_fraction: float = 0.0) -> float:
    """Measure one of the three."""
    arguments = {"max_size": max_size, "dis_fraction": dis_fraction}
    found = METRICS[name].method.measure(view, Grouping(qids=names(view)), arguments)
    return found.value if isinstance(found, Estimate) else found


def test_scores_by_hand():
    """Of three columns, one column alone counts 2! = 2 and two columns count 1! = 1."""
    view: Any = View(FOUR)
    scores = suda_scores(view, names(view), 3)
    # 000 by column 2; 001 by columns 1 and 2 (0·01); 011 by columns 0 and 1 (01·)
    assert scores.score.tolist() == [2, 1, 1, 0]
    assert scores.contribution.tolist() == [[0, 0, 100], [0, 100, 100], [100, 100, 0], [0, 0, 0]]
    assert scores.column_contribution == (25, 50, 75)


def test_dis_by_hand():
    """With two twins, f = 0.5 and Q = 1 + 5/20, DIS = 1/(1 + 2/(S^Q·ΣS^−Q))."""
    view: Any = View(FOUR)
    q = 1.25
    adjustment = 2**-q + 1 + 1
    expected = [1 / (1 + 2 / (s**q * adjustment)) if s else 0 for s in (2, 1, 1, 0)]
    assert suda_scores(view, names(view), 3, 0.5).dis.tolist() == pytest.approx(expected)
    assert measure("suda_dis_max", view, dis_fraction=0.5) == pytest.approx(expected[0])
    assert measure("suda_dis_average", view, dis_fraction=0.5) == pytest.approx(sum(expected) / 5)


def test_policy_fraction_is_taken_before_the_usual_one():
    """The fraction comes from the arguments, else the policy, else it is 0.01."""
    rows = [*FOUR]
    assert measure("suda_dis_max", View(rows)) == measure("suda_dis_max", View(rows), dis_fraction=0.01)
    asked = measure("suda_dis_max", View(rows, sampling_fraction=0.3))
    assert asked == measure("suda_dis_max", View(rows), dis_fraction=0.3)


def test_whole_population_leaves_no_doubt():
    """With a sampling fraction of 1 every sample unique is certain: DIS is 1."""
    assert measure("suda_dis_max", View(FOUR, sampling_fraction=1.0)) == 1


def test_share_counts_records():
    """Three of five records hold a minimal sample unique; by one column alone it is one."""
    assert measure("share_with_minimal_sample_unique", View(FOUR)) == 3 / 5
    assert measure("share_with_minimal_sample_unique", View(FOUR), max_size=1) == 1 / 5


def test_share_counts_entities():
    """A person with two equal and one other visit is one person: two of two entities are unique."""
    view = View([(0, 1), (0, 1), (0, 2), (1, 1)], [7, 7, 7, 8])
    assert measure("share_with_minimal_sample_unique", view) == 1


def test_entity_counts_with_their_highest_score():
    """Two persons share a class and one of them stands alone in another visit: the mean over two."""
    view: Any = View([(0, 0), (0, 0), (1, 1)], [7, 8, 8])
    scores = suda_scores(view, names(view), 2, 0.5)
    q = 1.3
    assert scores.score.tolist() == [0, 0, 2]
    assert scores.dis[2] == pytest.approx(1 / (1 + 2 / (2**q * 2**-q)))
    assert measure("suda_dis_average", view, dis_fraction=0.5) == pytest.approx(scores.dis[2] / 2)


@given(rows=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=8))
def test_scores_equal_definition(rows):
    """Every score is the sum of (M−k)! over the sets on which the record is alone and on no part of them."""
    view: Any = View(rows)
    scores = suda_scores(view, names(view), 3)

    def is_alone(row: tuple[int, ...], columns: tuple[int, ...]) -> bool:
        return sum(all(row[c] == other[c] for c in columns) for other in rows) == 1

    for row, score in zip(sorted(set(rows)), scores.score, strict=True):
        expected = sum(
            factorial(3 - size)
            for size in (1, 2, 3)
            for columns in combinations(range(3), size)
            if is_alone(row, columns)
            and not any(is_alone(row, part) for part in combinations(columns, size - 1))
        )
        assert expected == score
    assert ((scores.dis > 0) == (scores.score > 0)).all()
    assert (scores.dis <= 1).all()


@pytest.mark.parametrize("name", METRICS)
def test_empty_table_is_not_measurable(name):
    """Without a record there is none to search or score."""
    with pytest.raises(NotMeasurable, match="no records"):
        measure(name, View([]))


@pytest.mark.parametrize("name", METRICS)
def test_single_class_has_no_sample_unique(name):
    """One class of several records gives 0."""
    assert measure(name, View([(1, 1), (1, 1), (1, 1)])) == 0


def test_exponent_needs_fewer_than_28_columns():
    """With 28 QIDs the exponent is 0 and scores would mean nothing, so there is no number."""
    view = View([(0,) * 28, (1,) * 28])
    with pytest.raises(NotMeasurable, match="at most 27 QIDs"):
        measure("suda_dis_max", view, max_size=1)


@pytest.mark.slow
@pytest.mark.realdata
def test_adult_holds_46648_minimal_sample_uniques(data: Path):
    """On ARX's Adult the columns' sets, counted with pandas over all 255 subsets, give the same figures."""
    frame = pd.read_csv(data / "adult" / "adult_arx.csv", sep=";").drop(columns="salary-class")
    alone = {(): np.zeros(len(frame), dtype=bool)}
    score = np.zeros(len(frame))
    for size in range(1, 9):
        for columns in combinations(frame.columns, size):
            alone[columns] = ~frame.duplicated(list(columns), keep=False).to_numpy()
            on_part = np.any([alone[part] for part in combinations(columns, size - 1)], axis=0)
            score += (alone[columns] & ~on_part) * factorial(8 - size)
    coded = np.column_stack([pd.factorize(frame[c])[0] for c in frame])
    view: Any = View([tuple(row) for row in coded.tolist()])
    scores = suda_scores(view, names(view), 8)
    assert np.sort(scores.score[scores.score > 0]).tolist() == np.sort(score[score > 0]).tolist()
    assert int((scores.score > 0).sum()) == 14_021
    assert measure("share_with_minimal_sample_unique", view) == 14_021 / 30_162


def test_engine_codes_give_the_scores_by_hand():
    """Through DuckDB: the five records with text and NULL in place of codes score the same."""
    frame = pd.DataFrame(
        {"sex": ["m", "m", "m", "f", "f"], "age": [None, None, 30, 30, 30], "zip": ["a", "b", "b", "b", "b"]}
    )
    with ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings()) as table:
        scores = suda_scores(table, ("sex", "age", "zip"), 3)
    assert sorted(scores.score.tolist()) == [0, 1, 1, 2]
    assert scores.column_contribution == (25, 50, 75)


def test_engine_counts_entities():
    """Through DuckDB: one patient of two is alone in a class, so the share is one half."""
    frame = pd.DataFrame({"age": [30, 30, 40, 40], "patient": ["x", "y", "y", "y"]})
    with ENGINE.open(frame, ReadOptions(), Needs(entity="patient"), EngineSettings()) as table:
        arguments = {"max_size": 9}
        metric = METRICS["share_with_minimal_sample_unique"]
        assert metric.method.measure(table, Grouping(qids=("age",)), arguments) == 1 / 2
