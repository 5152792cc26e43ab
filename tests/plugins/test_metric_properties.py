"""What every metric keeps on any table: its range, no heed of the order, and what fewer QIDs do to it."""

import math
import random

import pytest

from qidguard.sdk import Direction, NotMeasurable, Role
from qidguard_standard.metrics import METRICS
from qidguard_standard.over_time import OVER_TIME_METRICS

EVERY = (*METRICS, *OVER_TIME_METRICS)

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
)
ON_RECORDS_ALONE = {*MIXED.split()}
"""Fewer QIDs may make them less safe where a person has several records: joined classes are no mixture."""


COMPARE_COLUMNS = {"columns_appeared", "columns_disappeared", "columns_retyped", "distribution_drift"}
"""An empty table has columns, too."""


MODELS = {f"population_uniqueness_{model}" for model in ("dankar", "pitman", "snb", "zayatz")}
SCORES = {"suda_dis_average", "suda_dis_max", "unique_in_population"}
NOT_MONOTONE = {"discernibility", "t_closeness_ordered"} | MODELS | SCORES
"""Fewer QIDs may raise or lower them."""


def by_name(metric):
    """Name a case after its metric."""
    return metric.name


@pytest.mark.parametrize("metric", [m for m in EVERY if m.name not in COMPARE_COLUMNS], ids=by_name)
def test_an_empty_table_has_no_figure(metric, has_no_value_when_empty):
    """Over no records nothing is measured, and the reason says so."""
    has_no_value_when_empty(metric, **ARGUMENTS.get(metric.name, {}))


@pytest.mark.samples(1)
@pytest.mark.parametrize("metric", [m for m in EVERY if m.attribute is not Role.WEIGHT], ids=by_name)
def test_any_table(metric, people_like, measured, on_random_people):
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
        shuffled = figure(people_like(table, records), "ab", beside)
        if fine is None:
            assert shuffled is None
            return
        assert fine == pytest.approx(shuffled, rel=1e-12, abs=1e-12)
        assert metric.minimum <= fine <= metric.maximum
        figures.append(fine)
        if metric.name in NOT_MONOTONE or (table.entity and metric.name in ON_RECORDS_ALONE):
            return
        for qids in "ab":
            coarse = figure(table, qids, beside)
            if not math.isclose(fine, coarse, rel_tol=1e-12, abs_tol=1e-12):
                assert (coarse > fine) == (metric.direction is Direction.HIGHER_IS_SAFER)

    on_random_people(check, metric=metric)
    assert figures
