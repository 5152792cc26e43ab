"""Grids and tuning of a table, as Python calls: the paper's Fig. 2, and the front among many settings."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any

from qidguard.sdk import EngineSettings, Progress, ReadOptions, UserError
from qidguard_learning import LearningDesign
from qidguard_mo_obam.evaluation.case import MethodTrial, StudyCase, in_turn
from qidguard_mo_obam.evaluation.plan import MO_OBAM, Setting, check_numbers, settings_of
from qidguard_mo_obam.evaluation.study import Study, WeighedSetting

if TYPE_CHECKING:
    import optuna

NUMBERS = tuple(range(4, 31))
"""The n_C of Fig. 2."""
WEIGHTS = (1.0, 0.1, 0.01, 0.001, 0.0001)
"""The λ of Fig. 2."""
SPLITS = 10
"""Splits behind an F1 of the front: enough to tell settings apart, and quick."""
TRIALS = 100
"""Settings that a search tries where nobody says."""
POPULATION = 20
"""Settings of one generation."""


def weigh_grid(  # noqa: PLR0913 - each argument is one decision about the grid
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str],
    target: str | None = None,
    *,
    k: Sequence[int] = (5,),
    n_c: Sequence[int | None] = NUMBERS,
    weights: Sequence[float] = WEIGHTS,
    models: Sequence[str] = (),
    splits: int = SPLITS,
    positive: str | None = None,
    left_out: Sequence[str] = (),
    entity: str | None = None,
    seed: int = 0,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Study:
    """Return what MO-OBAM comes to over a grid of n_C, λ and k: Fig. 2, and the front with its knee.

    A setting is on the front where no other is at most as costly in all of IL, persons at risk at τ = .05,
    homogeneous persons and, with models, 1 − mean F1, and cheaper in one. The knee is the setting of the
    front that lies farthest from the plane through the best of each objective (Das 1999), as for a remedy.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        qids: The quasi-identifiers, at least one.
        sensitive: The sensitive attributes, at least one.
        target: What models predict, a column of 2 to 20 values; needed with ``models``.
        k: Persons in the smallest class, each ≥ 2.
        n_c: Numbers of clusters, each ≥ 1; None leaves the number to MO-OBAM.
        weights: λ, each ≥ 0.
        models: Names out of ``qidguard_learning.MODELS``; none leaves F1 out.
        splits: Random splits behind each F1, ≥ 1.
        positive: The value of the target whose F1 is scored; None scores macro F1.
        left_out: Columns that no model may learn from.
        entity: The column whose values are the persons; None where each record is one.
        seed: Seeds MO-OBAM, splits and models, ≥ 0.
        read: How the source is read.
        settings: Memory limit and threads.
        progress: Hears of finished settings.
        is_stopped: Asked before each setting whether to stop.

    Returns:
        Each setting with its figures; one that cannot be done has the reason.

    Units:
        Persons, bits, F1 0..1, and quotients without a unit.

    Raises:
        DataError: When the source cannot be read without guessing, has no records, or no such column.
        NotMeasurable: When models cannot be tried on the target.
        UserError: When another argument is wrong.

    NULL is a value of its own. A table of one distinct combination has one cluster in every setting.

    Example:
        >>> from qidguard_mo_obam.evaluation.example import studied
        >>> study = studied()  # two settings; neither beats the other
        >>> [one.setting.n_c for one in study.front], study.knee.setting.n_c
        ([8, 4], 8)
    """
    case = StudyCase.of(
        source,
        qids,
        sensitive,
        target=target,
        entity=entity,
        seed=seed,
        whole=bool(models),
        read=read,
        settings=settings,
    )
    design = LearningDesign(repeats=splits, positive=positive)
    check_numbers(k, n_c, weights)
    _check_target(case, models)

    # the front at one n_C and k is sought once, and each λ takes of it what a run with that λ does
    @lru_cache(maxsize=1)
    def front(smallest: int, number: int | None) -> tuple[MethodTrial, ...]:
        some = Setting(k=smallest, n_c=number, weight=next(filter(None, weights)))
        return case.front(MO_OBAM, smallest, some.told)

    def weighed_at(setting: Setting) -> WeighedSetting:
        if not setting.weight:
            return WeighedSetting(setting=setting, trial=case.tried(MO_OBAM, setting.k, setting.told))
        return WeighedSetting(setting=setting, trial=_least_of(front(setting.k, setting.n_c), setting))

    plan = settings_of(k, n_c, weights)
    weighed = in_turn(plan, weighed_at, "weighing settings", progress, is_stopped)
    if len(weighed) == len(plan):
        weighed = _with_f1(case, weighed, models, design, left_out, progress)
    return _study("grid", case, weighed, len(plan), models, design)


def tune(  # noqa: PLR0913 - each argument is one decision about the search
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str],
    target: str | None = None,
    *,
    k: tuple[int, int] = (5, 20),
    n_c: tuple[int, int] = (4, 30),
    weights: tuple[float, float] = (1e-4, 1.0),
    trials: int = TRIALS,
    models: Sequence[str] = (),
    splits: int = SPLITS,
    positive: str | None = None,
    left_out: Sequence[str] = (),
    entity: str | None = None,
    seed: int = 0,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Study:
    """Return what a seeded search over n_C, λ and k finds, by NSGA-II (Deb et al. 2002) of Optuna.

    Objectives, front and knee are those of ``weigh_grid``. A setting that is asked for again is not tried
    again. Needs ``qidguard-mo-obam[tune]``.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        qids: The quasi-identifiers, at least one.
        sensitive: The sensitive attributes, at least one.
        target: What models predict, a column of 2 to 20 values; needed with ``models``.
        k: The least and the largest k, persons, ≥ 2.
        n_c: The least and the largest number of clusters, ≥ 1.
        weights: The least and the largest λ, above 0; twice the same λ, 0 too, stays as it is.
        trials: How many settings are asked for, ≥ 1.
        models: Names out of ``qidguard_learning.MODELS``; none leaves F1 out.
        splits: Random splits behind each F1, ≥ 1.
        positive: The value of the target whose F1 is scored; None scores macro F1.
        left_out: Columns that no model may learn from.
        entity: The column whose values are the persons; None where each record is one.
        seed: Seeds search, MO-OBAM, splits and models, ≥ 0.
        read: How the source is read.
        settings: Memory limit and threads.
        progress: Hears of finished trials.
        is_stopped: Asked before each trial whether to stop; what was tried is kept.

    Returns:
        Each setting once with its figures; one that cannot be done has the reason.

    Units:
        Persons, bits, F1 0..1, and quotients without a unit.

    Raises:
        DataError: When the source cannot be read without guessing, has no records, or no such column.
        NotMeasurable: When models cannot be tried on the target.
        UserError: When another argument is wrong, or Optuna is not installed.

    NULL is a value of its own. A table of one distinct combination has one cluster in every setting.

    Example:
        >>> from qidguard_mo_obam.evaluation.example import studied
        >>> len(studied().front)
        2
    """
    case = StudyCase.of(
        source,
        qids,
        sensitive,
        target=target,
        entity=entity,
        seed=seed,
        whole=bool(models),
        read=read,
        settings=settings,
    )
    design = LearningDesign(repeats=splits, positive=positive)
    _check_ranges(k, n_c, weights, trials)
    _check_target(case, models)
    known: dict[Setting, WeighedSetting] = {}
    objectives = 4 if models else 3
    search = _search(seed, objectives)

    def one_more(_: int) -> None:
        trial = search.ask()
        setting = Setting(
            k=trial.suggest_int("k", *k),
            n_c=trial.suggest_int("n_c", *n_c),
            weight=_weight(trial, weights),
        )
        if setting not in known:
            found = WeighedSetting(setting=setting, trial=case.tried(MO_OBAM, setting.k, setting.told))
            [known[setting]] = _with_f1(case, [found], models, design, left_out)
        # what cannot be done is worse than whatever can
        search.tell(trial, known[setting].costs or (inf,) * objectives)

    done = in_turn(range(trials), one_more, "tuning", progress, is_stopped)
    asked = len(known) if len(done) == trials else trials
    return _study("tune", case, list(known.values()), asked, models, design)


def _least_of(front: Sequence[MethodTrial], setting: Setting) -> MethodTrial:
    """Return what objective (18) takes at a setting's λ; of equal ones that of the least loss."""
    told = f"k={setting.k}, {setting.told}"
    found = [(one.figures, one) for one in front if one.figures is not None]
    if not found:
        return replace(front[0], settings=told)
    least = min(figures.information_loss for figures, _ in found)
    _, best = min(found, key=lambda one: (one[0].objective(least, setting.weight), one[0].information_loss))
    return replace(best, settings=told)


def _with_f1(
    case: StudyCase,
    weighed: list[WeighedSetting],
    models: Sequence[str],
    design: LearningDesign,
    left_out: Sequence[str],
    progress: Progress | None = None,
) -> list[WeighedSetting]:
    """Return settings with the mean F1 of models over what they publish; as they are without models."""
    if not models:
        return weighed
    scores = case.scores((one.trial for one in weighed), models, design, left_out, progress)
    f1 = {label: sum(one.mean_f1(model) for model in models) / len(models) for label, one in scores.items()}
    return [replace(one, f1=f1.get(one.trial.label)) for one in weighed]


def _study(
    title: str,
    case: StudyCase,
    weighed: list[WeighedSetting],
    asked: int,
    models: Sequence[str],
    design: LearningDesign,
) -> Study:
    return Study(
        title=title,
        qids=case.qids,
        sensitive=case.sensitive,
        target=case.target if models else None,
        weighed=tuple(weighed),
        asked=asked,
        models=tuple(models),
        design=design if models else None,
    )


def _weight(trial: "optuna.Trial", weights: tuple[float, float]) -> float:
    low, high = weights
    if low == high:
        return low
    # four digits, so that settings that differ in nothing else are one
    return float(f"{trial.suggest_float('lambda', low, high, log=True):.4g}")


def _search(seed: int, objectives: int) -> "optuna.Study":
    if find_spec("optuna") is None:
        raise UserError("tuning needs Optuna; install qidguard-mo-obam[tune], or weigh a grid")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler: Any = optuna.samplers.NSGAIISampler(seed=seed, population_size=POPULATION)
    return optuna.create_study(directions=["minimize"] * objectives, sampler=sampler)


def _check_ranges(
    k: tuple[int, int], n_c: tuple[int, int], weights: tuple[float, float], trials: int
) -> None:
    check_numbers(k, n_c, weights)
    for name, (low, high) in (("k", k), ("n_C", n_c), ("λ", weights)):
        if low > high:
            raise UserError(
                f"the range of {name} goes from the least to the largest, not from {low} to {high}"
            )
    if weights[0] < weights[1] and not weights[0] > 0:
        raise UserError(f"λ is searched by its logarithm, so its range lies above 0, not from {weights[0]}")
    if trials < 1:
        raise UserError(f"tuning takes at least 1 trial, not {trials}")


def _check_target(case: StudyCase, models: Sequence[str]) -> None:
    if models and case.target is None:
        raise UserError("F1 needs a target to predict; name its column, or ask for no models")
