"""n_C, λ and k searched for by NSGA-II of Optuna (Deb, Pratap, Agarwal & Meyarivan 2002)."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any

from qidguard.sdk import Progress, UserError
from qidguard_learning import LearningDesign
from qidguard_mo_obam.evaluation.case import StudyCase
from qidguard_mo_obam.evaluation.evaluation import MO_OBAM, check_numbers
from qidguard_mo_obam.evaluation.grid import f1_of, weigh
from qidguard_mo_obam.evaluation.study import Setting, Study, WeighedSetting, with_f1

if TYPE_CHECKING:
    import optuna

TRIALS = 100
"""Settings that are tried where nobody says."""
POPULATION = 20
"""Settings of one generation."""
WORK = "tuning"
"""What the progress calls it."""


def tune_in(  # noqa: PLR0913 - each argument is one decision about the search
    case: StudyCase,
    *,
    k: tuple[int, int] = (5, 20),
    n_c: tuple[int, int] = (4, 30),
    weights: tuple[float, float] = (1e-4, 1.0),
    trials: int = TRIALS,
    models: Sequence[str] = (),
    design: LearningDesign | None = None,
    left_out: Sequence[str] = (),
    method: str = MO_OBAM,
    budget_seconds: float | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Study:
    """Return the settings that a search over n_C, λ and k tried, the front among them, and its knee.

    Args:
        case: The table with its seed; with models all of its columns held.
        k: The least and the largest k, persons, ≥ 2.
        n_c: The least and the largest number of clusters, ≥ 1.
        weights: The least and the largest λ, searched by its logarithm; twice the same λ, 0 too, stays.
        trials: How many settings are asked for, ≥ 1. One that is asked for again costs nothing.
        models: Models whose mean F1 is the fourth objective; none leaves three.
        design: How they are tried; None takes 10 splits of at most 3,000 records.
        left_out: Columns that no model may learn from.
        method: The anonymizer, which takes k, n_c and lambda.
        budget_seconds: After how many seconds a trial is interrupted; None sets no limit.
        progress: Hears of finished trials.
        is_stopped: Asked before each trial whether to stop; Ctrl-C does the same once something is done.

    Raises:
        UserError: When a range is none, models have no target, or Optuna is not installed.
        PluginError: When the anonymizer fails.
    """
    _check(case, k, n_c, weights, trials, models)
    asked = (design or LearningDesign()) if models else None
    known: dict[Setting, WeighedSetting] = {}
    done = 0

    def say() -> None:
        if progress is not None:
            progress.step(WORK, done, trials)

    def costs(setting: Setting) -> tuple[float, ...]:
        if setting not in known:
            found = weigh(case, setting, method, budget_seconds)
            if asked is not None and found.costs is not None:
                [found] = with_f1([found], f1_of(case, [found], models, asked, left_out))
            known[setting] = found
        # what cannot be done is worse than whatever can
        return known[setting].costs or (inf,) * (4 if asked is not None else 3)

    try:
        study = _study(case.seed, objectives=4 if asked is not None else 3)
        while done < trials and not is_stopped():
            say()
            trial = study.ask()
            setting = Setting(
                k=trial.suggest_int("k", *k),
                n_c=trial.suggest_int("n_c", *n_c),
                weight=_weight(trial, weights),
            )
            study.tell(trial, costs(setting))
            done += 1
    except KeyboardInterrupt:
        if not known:
            raise
    is_whole = done == trials
    done = trials
    say()
    return Study(
        title="tune",
        qids=case.qids,
        sensitive=case.sensitive,
        target=case.target if models else None,
        weighed=tuple(known.values()),
        asked=len(known) if is_whole else trials,
        models=tuple(models),
        design=asked,
    )


def _weight(trial: "optuna.Trial", weights: tuple[float, float]) -> float:
    low, high = weights
    if low == high:
        return low
    # four digits, so that settings that differ in nothing else are one
    return float(f"{trial.suggest_float('lambda', low, high, log=True):.4g}")


def _study(seed: int, *, objectives: int) -> "optuna.Study":
    if find_spec("optuna") is None:
        raise UserError("tuning needs Optuna; install qidguard-mo-obam[tune], or weigh a grid")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler: Any = optuna.samplers.NSGAIISampler(seed=seed, population_size=POPULATION)
    return optuna.create_study(directions=["minimize"] * objectives, sampler=sampler)


def _check(
    case: StudyCase,
    k: tuple[int, int],
    n_c: tuple[int, int],
    weights: tuple[float, float],
    trials: int,
    models: Sequence[str],
) -> None:
    check_numbers(k, 2, n_c, weights)
    for name, (low, high) in (("k", k), ("n_C", n_c), ("λ", weights)):
        if low > high:
            raise UserError(
                f"the range of {name} goes from the least to the largest, not from {low} to {high}"
            )
    if weights[0] < weights[1] and not weights[0] > 0:
        raise UserError(f"λ is searched by its logarithm, so its range lies above 0, not from {weights[0]}")
    if trials < 1:
        raise UserError(f"tuning takes at least 1 trial, not {trials}")
    if models and case.target is None:
        raise UserError("F1 needs a target to predict; name its column, or ask for no models")
