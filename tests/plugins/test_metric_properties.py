"""What every metric keeps on any table: its range, no heed of the order, and what fewer QIDs do to it."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

from measured_people import measured, on_random_people
from people import People
from qidguard.core.outside import Alone
from qidguard.core.parameter import bind
from qidguard.sdk import Cells, Codes, Direction, GroupBy, Grouping, JointClasses, NotMeasurable, Role
from qidguard_qidlearning.metrics import METRICS as QIDLEARNING_METRICS
from qidguard_standard.metrics import METRICS
from qidguard_standard.over_time import OVER_TIME_METRICS

EVERY = [
    metric
    for metric in (*METRICS, *OVER_TIME_METRICS, *QIDLEARNING_METRICS)
    # a change within a search has no figure of its own; weights and treatments have tables of their own
    if not metric.change_of and metric.attribute not in {Role.WEIGHT, Role.TREATMENT}
]
NEED_NUMBERS = {"mean_squared_error", "range_utility"}
"""Their own tests measure them on random numbers; people here have letters only."""

ARGUMENTS = {
    "journalist_share_above": {"threshold": 0.33},
    "persons_below_k": {"k": 3},
    "persons_isolated_over_releases": {"k": 3},
    "prosecutor_share_above": {"threshold": 0.33},
    "share_below_k": {"k": 3},
    "share_isolated_over_releases": {"k": 3},
}
"""Arguments under which small tables have figures on both sides."""


MIXED = (
    "alpha_k_anonymity average_class_size beta_likeness delta_disclosure delta_presence_max"
    " delta_presence_min entropy_l_diversity recursive_l_diversity t_closeness t_closeness_kl"
    " delta_presence generalization_ratio gini_index group_entropy information_gain t_closeness_per_class"
)
ON_RECORDS_ALONE = {*MIXED.split()}
"""Fewer QIDs may make them less safe where a person has several records: joined classes are no mixture."""


OF_COLUMNS = (
    "columns_appeared columns_disappeared columns_retyped distribution_drift attribute_length_penalty"
    " causal_importance column_count own_information"
)
"""An empty table has columns, too."""


MODELS = {f"population_uniqueness_{model}" for model in ("dankar", "pitman", "snb", "zayatz")}
SCORES = {"suda_dis_average", "suda_dis_max", "unique_in_population"}
NOT_MONOTONE = {"discernibility", "t_closeness_ordered"} | MODELS | SCORES
"""Fewer QIDs may raise or lower them."""
RISE_OR_FALL = {
    "gini_index": Direction.HIGHER_IS_SAFER,
    "group_entropy": Direction.HIGHER_IS_SAFER,
    "information_gain": Direction.LOWER_IS_SAFER,
}
"""No side of them is safe, yet fewer columns never tell more: an impurity is concave."""


def by_name(metric):
    """Name a case after its metric."""
    return metric.name


def test_monotony_is_claimed_where_it_holds():
    """Under every option and over persons, too; searches prove their optimum by three that claim it."""
    claimed = {metric.name for metric in EVERY if metric.is_monotone}
    assert not claimed & ({"k_anonymity_per_class"} | NOT_MONOTONE | ON_RECORDS_ALONE)
    assert claimed >= {"distinction", "mean_class_size", "separation"}


NOBODY = np.zeros(0, dtype=np.int64)
WAS = dict.fromkeys(["is_now", "is_before", "is_absent"], NOBODY.astype(np.bool_))
JOINT = JointClasses(joint=NOBODY, **WAS)
NO_RECORDS = {
    "cells": Cells(class_id=NOBODY, value=NOBODY, n=NOBODY, size=NOBODY, table_n=NOBODY, has_missing=False),
    "alone": Alone(alone=0, persons=0),
    "codes": Codes(codes=np.zeros((0, 1), dtype=np.int32), records=NOBODY, entity=None, suppressed=(-1,)),
    "class_sizes": NOBODY,
}
EMPTY = SimpleNamespace(
    history=SimpleNamespace(joint_classes=lambda *_, **__: JOINT, size_changes=lambda *_, **__: ()),
    sampling_fraction=0.1,
    has_entities=False,
    **{asked: lambda _, given=given: given for asked, given in NO_RECORDS.items()},
)
"""A table without a record, which no engine opens: what an anonymizer may leave."""
OF_WEIGHTS = [metric for metric in METRICS if metric.attribute is Role.WEIGHT]
ON_EMPTY = [(metric, {}) for metric in (*OF_WEIGHTS, *EVERY) if metric.name not in OF_COLUMNS.split()]
OF_A_MEAN = [(metric, {"statistic": "mean"}) for metric in EVERY if metric.name == "k_anonymity_per_class"]


@pytest.mark.parametrize(("metric", "options"), [*ON_EMPTY, *OF_A_MEAN])
def test_an_empty_table_has_no_figure(metric, options):
    """Over no records nothing is measured, and the reason says so."""
    arguments = bind(metric.parameters, ARGUMENTS.get(metric.name, options))
    if isinstance(metric.method, GroupBy):
        figures = dict.fromkeys(statistic.name for statistic in metric.method.needs(arguments))
        measure, given = metric.method.compute, (figures, arguments)
    else:
        measure, given = metric.method.measure, (EMPTY, Grouping(qids=("a",), sensitive="s"), arguments)
    with pytest.raises(NotMeasurable, match="no records"):
        measure(*given)


@pytest.mark.samples(6)
@pytest.mark.parametrize("metric", [m for m in EVERY if m.name not in NEED_NUMBERS], ids=by_name)
def test_any_table(metric):
    """Every figure lies in the range, a shuffle changes nothing, and fewer QIDs are as safe or safer."""
    figures = []

    def figure(table, qids, beside):
        try:
            return measured(metric, table, qids, **beside, **ARGUMENTS.get(metric.name, {}))
        except NotMeasurable:
            return None

    def check(table, beside):
        fine = figure(table, "ab", beside)
        records = list(table.records)
        random.Random(7).shuffle(records)  # noqa: S311 - a shuffle of test records guards no secret
        shuffled = figure(People(table.columns, tuple(records), table.entity), "ab", beside)
        if fine is None:
            assert shuffled is None
            return
        assert fine == pytest.approx(shuffled, rel=1e-12, abs=1e-12)
        assert metric.minimum <= fine <= metric.maximum
        figures.append(fine)
        side = RISE_OR_FALL.get(metric.name, metric.direction)
        is_mixed = table.entity and metric.name in ON_RECORDS_ALONE
        if metric.name in NOT_MONOTONE or is_mixed or side is Direction.NEITHER:
            return
        for qids in "ab":
            coarse = figure(table, qids, beside)
            if not math.isclose(fine, coarse, rel_tol=1e-12, abs_tol=1e-12):
                assert (coarse > fine) == (side is Direction.HIGHER_IS_SAFER)

    on_random_people(check, metric=metric)
    assert figures
