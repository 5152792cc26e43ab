"""SUDA scores, and where they come from, against hand-made tables, all subsets and the formulas."""

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from measured_people import figure_of
from qidguard.sdk import Grouping, NotMeasurable
from qidguard_standard import suda_contributions
from qidguard_standard.metrics.suda import SUDA_METRICS, suda_scores
from seen_classes import Coded

METRICS = {metric.name: metric for metric in SUDA_METRICS}
FOUR = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 1, 1)]
"""One record is unique on column 2 alone, two on two columns, two are twins."""


def measure(name, view, max_size=1000, **given_arguments):
    """Measure one of the three."""
    return figure_of(METRICS[name], view, Grouping(qids=view.qids), max_size=max_size, **given_arguments)


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


ROWS = st.lists(st.tuples(*[st.sampled_from("xyz")] * 3), min_size=2, max_size=8)


def minimal_uniques(rows):
    """Return (record, columns) of each minimal sample unique, by trying all subsets."""
    found = []
    for columns in (c for size in (1, 2, 3) for c in combinations(range(3), size)):
        keys = [tuple(row[c] for c in columns) for row in rows]
        for record, key in enumerate(keys):
            is_minimal = not any(r == record and set(c) <= set(columns) for r, c in found)
            if keys.count(key) == 1 and is_minimal:
                found.append((record, columns))
    return found


@settings(max_examples=examples(25))
@given(ROWS)
def test_contributions_are_the_sums_over_all_subsets(rows):
    """Each column, value and record has the share of (3−k)! of the minimal sample uniques with it."""
    names = ("a", "b", "c")
    found = suda_contributions(pd.DataFrame(rows, columns=names), names)
    scores = [(r, c, factorial(3 - len(c))) for r, c in minimal_uniques(rows)]
    total = sum(score for *_, score in scores) or 1
    by_column = {n: 100 * sum(s for _, c, s in scores if i in c) / total for i, n in enumerate(names)}
    assert dict(found.by_column.to_numpy().tolist()) == pytest.approx(by_column)
    by_value = {}
    for record, columns, score in scores:
        for column in columns:
            key = (names[column], rows[record][column])
            by_value[key] = by_value.get(key, 0) + 100 * score / total
    assert {(c, v): s for c, v, _, s in found.by_value.to_numpy().tolist()} == pytest.approx(by_value)
    by_record = {}
    for record, _, score in scores:
        by_record[rows[record]] = by_record.get(rows[record], 0) + score
    assert {tuple(r[:3]): r[4] for r in found.by_record.to_numpy().tolist()} == pytest.approx(by_record)


def test_values_and_records_are_not_printed_with_the_rest():
    """What names a small class stays out of the representation, which lands in logs."""
    found = suda_contributions(
        pd.DataFrame({"town": ["Xanadu", "Ys", "Ys"], "sex": list("fmm")}), ["town", "sex"]
    )
    assert "Xanadu" not in repr(found)
    assert found.by_record.town.tolist() == ["Xanadu"]


def test_a_single_class_has_no_contributions():
    """Nothing is unique, so each column has 0 and there are no records."""
    found = suda_contributions(pd.DataFrame({"a": [1, 1], "b": [2, 2]}), ["a", "b"])
    assert found.by_column.contribution.tolist() == [0, 0]
    assert (len(found.by_value), len(found.by_record)) == (0, 0)
