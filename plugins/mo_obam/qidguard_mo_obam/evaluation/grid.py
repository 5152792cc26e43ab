"""A grid over n_C, λ and k: the paper's Fig. 2, and the front among its settings."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from qidguard.sdk import Progress, UserError
from qidguard_learning import LearningDesign, compare_models
from qidguard_mo_obam.evaluation.case import MethodTrial, StudyCase
from qidguard_mo_obam.evaluation.evaluation import MO_OBAM, check_numbers, mo_obam_settings
from qidguard_mo_obam.evaluation.study import Setting, Study, WeighedSetting, with_f1

NUMBERS = tuple(range(4, 31))
"""The n_C of Fig. 2."""
WEIGHTS = (1.0, 0.1, 0.01, 0.001, 0.0001)
"""The λ of Fig. 2."""
WORK = "weighing settings"
"""What the progress calls it."""


def weigh_grid_in(  # noqa: PLR0913 - each argument is one decision about the grid
    case: StudyCase,
    *,
    k: Sequence[int] = (5,),
    n_c: Sequence[int | None] = NUMBERS,
    weights: Sequence[float] = WEIGHTS,
    models: Sequence[str] = (),
    design: LearningDesign | None = None,
    left_out: Sequence[str] = (),
    method: str = MO_OBAM,
    budget_seconds: float | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Study:
    """Return what every setting of a grid comes to, the front among them, and its knee.

    The front of loss and entropy at one n_C and k is sought once, and each λ takes of it what minimizes
    objective (18), as a run with that λ does.

    Args:
        case: The table; with models all of its columns held.
        k: Persons in the smallest class, each ≥ 2.
        n_c: Numbers of clusters, each ≥ 1; None leaves the number to MO-OBAM.
        weights: λ, each ≥ 0.
        models: Models whose mean F1 is the fourth objective; none leaves three.
        design: How they are tried; None takes 10 splits of at most 3,000 records.
        left_out: Columns that no model may learn from.
        method: The anonymizer, which takes k, n_c and lambda.
        budget_seconds: After how many seconds a trial is interrupted; None sets no limit.
        progress: Hears of finished settings.
        is_stopped: Asked before each setting whether to stop; Ctrl-C does the same once something is done.

    Raises:
        UserError: When a number is out of its range, or models have no target.
        PluginError: When the anonymizer fails.
    """
    check_numbers(k, 2, n_c, weights)
    if models and case.target is None:
        raise UserError("F1 needs a target to predict; name its column, or ask for no models")
    plan = [
        Setting(k=smallest, n_c=number, weight=weight)
        for smallest in dict.fromkeys(k)
        for number in dict.fromkeys(n_c)
        for weight in dict.fromkeys(weights)
    ]
    weighed: list[WeighedSetting] = []
    fronts = _Fronts(case, method, budget_seconds)
    try:
        for done, setting in enumerate(plan):
            if progress is not None:
                progress.step(WORK, done, len(plan))
            if is_stopped():
                break
            weighed.append(fronts.weigh(setting))
    except KeyboardInterrupt:
        if not weighed:
            raise
    if progress is not None:
        progress.step(WORK, len(plan), len(plan))
    asked = (design or LearningDesign()) if models else None
    if asked is not None and len(weighed) == len(plan):
        weighed = list(with_f1(weighed, f1_of(case, weighed, models, asked, left_out, progress)))
    return Study(
        title="grid",
        qids=case.qids,
        sensitive=case.sensitive,
        target=case.target if models else None,
        weighed=tuple(weighed),
        asked=len(plan),
        models=tuple(models),
        design=asked,
    )


def weigh(case: StudyCase, setting: Setting, method: str, budget_seconds: float | None) -> WeighedSetting:
    """Return what one setting comes to."""
    told = mo_obam_settings(setting.n_c, setting.weight)
    trial = case.tried(method, setting.k, told, budget_seconds=budget_seconds)
    return WeighedSetting(setting=setting, trial=trial)


class _Fronts:
    """Weighs settings; those that differ in λ alone are taken from one front, where they come in a row."""

    def __init__(self, case: StudyCase, method: str, budget_seconds: float | None) -> None:
        self._case, self._method, self._budget = case, method, budget_seconds
        self._of: tuple[int, int | None] | None = None
        self._front: tuple[MethodTrial, ...] = ()

    def weigh(self, setting: Setting) -> WeighedSetting:
        """Return what one setting comes to."""
        if not setting.weight:
            return weigh(self._case, setting, self._method, self._budget)
        if (setting.k, setting.n_c) != self._of:
            told = mo_obam_settings(setting.n_c, setting.weight)
            self._front = self._case.front(self._method, setting.k, told, budget_seconds=self._budget)
            self._of = setting.k, setting.n_c
        return WeighedSetting(setting=setting, trial=least_of(self._front, setting))


def least_of(front: Sequence[MethodTrial], setting: Setting) -> MethodTrial:
    """Return what objective (18) takes at a setting's λ; of equal ones that of the least loss."""
    told = f"k={setting.k}, {mo_obam_settings(setting.n_c, setting.weight)}"
    found = sorted(
        ((one.figures.information_loss, one) for one in front if one.figures is not None),
        key=lambda pair: pair[0],
    )
    if not found:
        return replace(front[0], settings=told)
    least = found[0][0]
    best = min(
        (one for _, one in found),
        key=lambda one: one.figures.objective(least, setting.weight) if one.figures is not None else 0.0,
    )
    return replace(best, settings=told)


def f1_of(
    case: StudyCase,
    weighed: Sequence[WeighedSetting],
    models: Sequence[str],
    design: LearningDesign,
    left_out: Sequence[str],
    progress: Progress | None = None,
) -> dict[str, float]:
    """Return the mean F1 of models over the trials, by the trial's label; all on the same splits."""
    made = {one.trial.label: one.trial.done.changes for one in weighed if one.trial.done is not None}
    if not made or case.target is None:
        return {}
    held = case.records
    columns = tuple(one for one in held.names if one not in {case.target, held.entity, *left_out})
    scores = compare_models(
        made, case.target, columns, models=tuple(models), design=design, seed=case.seed, progress=progress
    )
    return {label: sum(one.mean_f1(model) for model in models) / len(models) for label, one in scores.items()}
