"""Grids and tuning of a table, as Python calls."""

from collections.abc import Callable, Sequence
from typing import Any

from qidguard.sdk import EngineSettings, Progress, ReadOptions
from qidguard_learning import LearningDesign
from qidguard_mo_obam.evaluation.case import StudyCase
from qidguard_mo_obam.evaluation.grid import NUMBERS, WEIGHTS, weigh_grid_in
from qidguard_mo_obam.evaluation.study import Study
from qidguard_mo_obam.evaluation.tuning import TRIALS, tune_in

SPLITS = 10
"""Splits behind an F1 of the front: enough to tell settings apart, and quick."""


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
    return weigh_grid_in(
        case,
        k=k,
        n_c=n_c,
        weights=weights,
        models=models,
        design=LearningDesign(repeats=splits, positive=positive),
        left_out=left_out,
        progress=progress,
        is_stopped=is_stopped,
    )


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
    return tune_in(
        case,
        k=k,
        n_c=n_c,
        weights=weights,
        trials=trials,
        models=models,
        design=LearningDesign(repeats=splits, positive=positive),
        left_out=left_out,
        progress=progress,
        is_stopped=is_stopped,
    )
