"""Searches in real tables against every subset counted by hand."""

from itertools import combinations

import pandas as pd
import pytest

import qidguard

pytestmark = pytest.mark.realdata

CAR = ("buying", "maint", "doors", "persons", "lug_boot", "safety", "eval")
LISTING = {
    "distinction": 5,
    "separation": 0.5,
    "mean_class_size": -0.4,
    "delta_distinction": 0.2,
    "delta_separation": 0.2,
    "attribute_length_penalty": -1,
}


def fitness(frame: pd.DataFrame, qids: tuple[str, ...]) -> float:
    """Return 5·D + 0.5·S − 0.4·K − A of a set, counted from its classes (Simões et al. 2025)."""
    n, p = len(frame), len(qids) / len(frame.columns)
    sizes = frame.groupby(list(qids)).size()
    together = (sizes * (sizes - 1)).sum() / (n * (n - 1))
    return 5 * len(sizes) / n + 0.5 * (1 - together) - 0.4 * n / len(sizes) - ((1 - p) ** 2 + p**2)


def test_the_best_sets_of_car_are_those_that_counting_gives(data):
    """The ten best of all 127 sets, in order of fitness, and their fitness to twelve digits."""
    frame = pd.read_csv(data / "car" / "car.data", names=CAR)
    every = {q: fitness(frame, q) for size in range(1, 8) for q in combinations(CAR, size)}
    found = qidguard.discover(frame, objective=LISTING)
    expected = sorted(every.values(), reverse=True)[:10]
    assert [one.fitness for one in found.sets] == pytest.approx(expected, abs=1e-12)
    assert [every[one.qids] for one in found.sets] == pytest.approx(expected, abs=1e-12)
    assert (found.search.is_optimum, found.search.evaluations) == (True, 127)


@pytest.mark.slow
def test_an_evolutionary_search_of_car_finds_the_optimum(data):
    """Without trying all sets it ends at the same one."""
    frame = pd.read_csv(data / "car" / "car.data", names=CAR)
    best = qidguard.discover(frame, objective=LISTING).best
    assert qidguard.discover(frame, objective=LISTING, strategy="evolutionary", seed=2).best == best
