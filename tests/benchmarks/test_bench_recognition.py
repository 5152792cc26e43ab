"""How well each strategy recognizes known quasi-identifiers: mean F1 over twenty seeds.

The truth is what a population register shares with the table. The other roles are given, and column names are
masked, so that no name helps. Beside the plain table stand harder ones, which are reported and not asserted.
Two columns that no count can tell from quasi-identifiers bound what is attainable.
"""

import statistics
import time
from dataclasses import dataclass
from functools import cache

import pytest

import qidguard
from examples import IS_WHOLE
from qidguard.host import load_host

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1800)]

SEEDS = range(1000, 1020)
"""Seeds that nobody looked at while the objective was chosen: it was on the first twenty."""
BESIDE = SEEDS[: 4 if IS_WHOLE else 1]
STRATEGIES = ("greedy", "beam", "tabu", "simulated_annealing", "evolutionary")
SETTINGS: dict[str, dict[str, object]] = {
    "plain": {},
    "1,000 records": {"records": 1_000},
    "noise and missing 10%": {"noise": 0.1, "missing": 0.1},
    "8 measurements, 8 flags": {"measurements": 8, "flags": 8},
    "2 lookalikes": {"lookalikes": 2},
}


@dataclass(frozen=True, kw_only=True)
class Recognized:
    """What one strategy recognized in one setting, over all seeds."""

    f1: list[float]
    attainable: list[float]
    seconds: float


@cache
def evolved() -> Recognized:
    """Return what the evolutionary search recognizes on plain tables, which two tests need."""
    return recognized("evolutionary", {})


def recognized(
    strategy: str,
    setting: dict[str, object],
    *,
    objective: str = "recognition",
    are_roles_given: bool = True,
    seeds: range = SEEDS,
) -> Recognized:
    """Return the F1 of each seed, found with ``qidguard.discover``."""
    from qidguard_qidlearning.generators import labeled_table

    host = load_host()
    f1, attainable = [], []
    started = time.perf_counter()
    for seed in seeds:
        made = labeled_table(seed=seed, is_masked=True, **setting)
        roles = {"sensitive": made.sensitive, "target": made.target, "treatment": made.treatment}
        found = qidguard.discover(
            made.frame,
            strategy=strategy,
            seed=seed,
            objective=objective,
            truth=made.quasi_identifiers,
            host=host,
            **(roles if are_roles_given else {}),
        )
        f1.append(found.best.scores["f1_score"])
        attainable.append(made.attainable_f1)
    return Recognized(f1=f1, attainable=attainable, seconds=(time.perf_counter() - started) / len(seeds))


@pytest.mark.untimed
def test_the_best_strategy_recognizes_with_a_mean_f1_of_at_least_90_percent(figures):
    """On the labeled table, over twenty seeds; other strategies and tables are printed, of fewer seeds."""
    best = 0.0
    for setting, arguments in SETTINGS.items():
        for strategy in STRATEGIES if setting == "plain" else ("greedy", "evolutionary"):
            is_asked = setting == "plain" and strategy in {"greedy", "evolutionary"}
            if not is_asked:
                found = recognized(strategy, arguments, seeds=BESIDE)
            elif strategy == "evolutionary":
                found = evolved()
            else:
                found = recognized(strategy, arguments)
            mean = statistics.fmean(found.f1)
            best = max(best, mean) if is_asked else best
            figures(
                setting=setting,
                strategy=strategy,
                mean_f1=mean,
                lowest_f1=min(found.f1),
                attainable_f1=statistics.fmean(found.attainable),
                seconds=found.seconds,
            )
    assert best >= 0.9


@pytest.mark.untimed
def test_what_recognition_rests_on(figures):
    """The paper's linear objective on the same tables, and the default one where the other roles are unknown.

    The default objective must recognize better than the paper's: joint distinction saturates, and prefers one
    measurement to any QID. Sensitive attribute, target and treatment then look like QIDs.
    """
    paper = statistics.fmean(recognized("evolutionary", {}, objective="linear").f1)
    ours = statistics.fmean(evolved().f1)
    alone = statistics.fmean(recognized("evolutionary", {}, are_roles_given=False).f1)
    figures(linear_f1=paper, recognition_f1=ours, recognition_f1_without_roles=alone)
    assert ours > paper
    assert alone >= 2 * 6 / (2 * 6 + 3) - 0.05  # six found and three that no count can tell from them
