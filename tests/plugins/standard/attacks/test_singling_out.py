"""Singling out: random tables, and the chance that a condition holds for one."""

import numpy as np
import pytest
from scipy import stats

from qidguard_standard.attacks.singling_out import chance_of_one


def test_a_table_of_independent_columns_singles_out_as_often_as_chance_says(found):
    """144 combinations, 500 persons: (1 − p)^499 in the table, 500·p·(1 − p)^499 among others."""
    draw = np.random.default_rng(5).integers(0, 12, (1000, 2))
    first, second = (
        {"a": part[:, 0].tolist(), "b": part[:, 1].tolist()} for part in (draw[:500], draw[500:])
    )
    result = found("singling_out", first, withheld=second)
    nobody_else = (1 - 1 / 144) ** 499
    assert result.published.share == pytest.approx(nobody_else, abs=0.02)
    assert result.control.share == pytest.approx(500 / 144 * nobody_else, abs=0.04)


def test_coarse_cells_add_nothing(found):
    """Where cells hold for many of both groups, being in the table adds nothing that could be told."""
    draw = np.random.default_rng(6).integers(0, 100, 1000)
    first, second = draw[:500].tolist(), draw[500:].tolist()
    low = [value // 25 * 25 for value in first]
    after = {"a": [f"[{one}, {one + 24}]" for one in low]}
    result = found("singling_out", {"a": first}, after, qids="a", withheld={"a": second})
    assert (result.published.successes, result.control.successes, result.excess) == (0, 0, 0)
    assert result.excess_low < 0 < result.excess_high


def test_the_chance_of_one_is_that_of_drawing_people():
    """As many withheld: exactly one; more: drawn without replacement; fewer: with it."""
    meeting = np.array([0, 1, 2, 4])
    assert chance_of_one(meeting, 4, 4).tolist() == [0, 1, 0, 0]
    expected = [0, 1 / 2, 2 * 1 / 3, 0]  # of 4, 2 are drawn: 1·3/6, 2·2/6, and two of four always
    assert chance_of_one(meeting, 4, 2) == pytest.approx(expected)
    assert chance_of_one(meeting, 4, 8) == pytest.approx(stats.binom.pmf(1, 8, meeting / 4))
