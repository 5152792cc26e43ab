"""SUDA scores against hand-made tables and the formulas term by term."""

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measured_people import figure_of
from qidguard.sdk import Grouping, NotMeasurable
from qidguard_standard.metrics.suda import SUDA_METRICS, suda_scores
from seen_classes import Coded

METRICS = {metric.name: metric for metric in SUDA_METRICS}
FOUR = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 1, 1)]
"""One record is unique on column 2 alone, two on two columns, two are twins."""


def measure(name, view, max_size=1000, dis_fraction=0.0):
    """Measure one of the three."""
    given_arguments = {"max_size": max_size, "dis_fraction": dis_fraction}
    return figure_of(METRICS[name], view, Grouping(qids=view.qids), **given_arguments)


def test_scores_by_hand():
    """Of three columns, one column alone counts 2! = 2 and two columns count 1! = 1."""
    view = Coded(FOUR)
    scores = suda_scores(view, view.qids, 3)
    # 000 by column 2; 001 by columns 1 and 2 (0·01); 011 by columns 0 and 1 (01·)
    assert scores.score.tolist() == [2, 1, 1, 0]
    assert scores.contribution.tolist() == [[0, 0, 100], [0, 100, 100], [100, 100, 0], [0, 0, 0]]
    assert scores.column_contribution == (25, 50, 75)


def test_policy_fraction_is_taken_before_the_usual_one():
    """The fraction comes from the arguments, else the policy, else it is 0.01."""
    rows = [*FOUR]
    assert measure("suda_dis_max", Coded(rows)) == measure("suda_dis_max", Coded(rows), dis_fraction=0.01)
    asked = measure("suda_dis_max", Coded(rows, sampling_fraction=0.3))
    assert asked == measure("suda_dis_max", Coded(rows), dis_fraction=0.3)


def test_whole_population_leaves_no_doubt():
    """With a sampling fraction of 1 every sample unique is certain: DIS is 1."""
    assert measure("suda_dis_max", Coded(FOUR, sampling_fraction=1.0)) == 1


@given(rows=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=8))
def test_scores_equal_definition(rows):
    """Every score is the sum of (M−k)! over the sets on which the record is alone and on no part of them."""
    view = Coded(rows)
    scores = suda_scores(view, view.qids, 3)

    def is_alone(row, columns):
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


def test_exponent_needs_fewer_than_28_columns():
    """With 28 QIDs the exponent is 0 and scores would mean nothing, so there is no number."""
    view = Coded([(0,) * 28, (1,) * 28])
    with pytest.raises(NotMeasurable, match="at most 27 QIDs"):
        measure("suda_dis_max", view, max_size=1)


@pytest.mark.slow
@pytest.mark.realdata
def test_adult_holds_46648_minimal_sample_uniques(data):
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
    view = Coded([tuple(row) for row in coded.tolist()])
    scores = suda_scores(view, view.qids, 8)
    assert np.sort(scores.score[scores.score > 0]).tolist() == np.sort(score[score > 0]).tolist()
    assert int((scores.score > 0).sum()) == 14_021
    assert measure("share_with_minimal_sample_unique", view) == 14_021 / 30_162
