"""The paper's evaluation of a table, as Python calls: what each command does."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from qidguard.sdk import NotMeasurable, Progress, UserError
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.evaluation import SMALLEST_CLASSES, TRYING, TableEvaluation, evaluate_in
from qidguard_hybrid_dp.evaluation.methods import HybridSetting, Methods, hybrid, plan_of, warm_up
from qidguard_hybrid_dp.evaluation.models import LEARNERS, ModelStudy, model_rows
from qidguard_hybrid_dp.evaluation.risk_report import RiskStudy
from qidguard_hybrid_dp.evaluation.risk_study import FULL, risk_rows, sought_in
from qidguard_hybrid_dp.evaluation.sweep import EPSILONS, Sweep, sweep_row
from qidguard_hybrid_dp.evaluation.trial import until_stopped
from qidguard_learning import LearningDesign, compare_models

_Stopped = Callable[[], bool]
TARGETS = 1500
"""Persons who are looked for where nobody says."""


def evaluate(
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str],
    *,
    k: Sequence[int] = SMALLEST_CLASSES,
    methods: Methods | None = None,
    printed: bool = False,
    progress: Progress | None = None,
    is_stopped: _Stopped = lambda: False,
    **given: Any,
) -> TableEvaluation:
    """Return what methods keep, lose and cost on one table (Table III, Fig. 11 to 15 and 18).

    Originality, DM of (4) and losses of numbers in each part, statistics kept, minorities that remain
    readable, and time, of the scheme beside plain k-anonymity. All in memory; noise is drawn by the seed.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        qids: The quasi-identifiers; those of numbers need bounds.
        sensitive: The sensitive attributes.
        k: Persons in the smallest class, each ≥ 2.
        methods: What is tried; None takes both clusters at both scales, and strict intervals.
        printed: Whether the paper's figures of Adult stand beside, where this is its table.
        progress: Hears of finished trials.
        is_stopped: Asked before each trial whether to stop.
        given: What ``PrivacyCase.of`` takes beside: ``bounds``, ``hierarchies``, ``friendly``, ``sample`` and
            ``seed``.

    Returns:
        A trial for each method and k; one that cannot be done has the reason.

    Units:
        Shares 0..1, levels over levels, seconds; statistics in the column's unit.

    Raises:
        DataError: When the source cannot be read without guessing, has no records, or no such column.
        UserError: When another argument is wrong, or ``printed`` is asked of another table.

    Example:
        >>> from qidguard_hybrid_dp.evaluation.example import people
        >>> found = evaluate(people(), ["age", "race"], ["illness"], k=[3], bounds={"age": (20, 60)})
        >>> [one.trial.label for one in found.measured][:2]
        ['plain k-anonymity', 'hybrid, violating, range']
    """
    case = PrivacyCase.of(source, qids, sensitive, **given)
    plan = plan_of(case, k, methods or Methods())
    warm_up()
    return evaluate_in(case, plan, printed=printed, progress=progress, is_stopped=is_stopped)


def risk(
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str],
    *,
    k: Sequence[int] = SMALLEST_CLASSES,
    methods: Methods | None = None,
    targets: int = TARGETS,
    progress: Progress | None = None,
    is_stopped: _Stopped = lambda: False,
    **given: Any,
) -> RiskStudy:
    """Return what methods give away to an attacker who knows the mechanism (Tables IV and V, by our ruling).

    Mean posterior of the own record and of the true sensitive value, ν drawn at random and in full, beside
    the same for as many persons who are left out of the release, and paired with plain k-anonymity.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed. Each record is a person.
        qids: The quasi-identifiers; those of numbers need bounds.
        sensitive: The sensitive attributes; attackers want to know the first.
        k: Persons in the smallest class, each ≥ 2.
        methods: What is tried; None takes both clusters at range scale, and strict intervals.
        targets: Persons of the release who are looked for, and persons who are left out of it, ≥ 2.
        progress: Hears of trials and attacks.
        is_stopped: Asked before each whether to stop.
        given: What ``PrivacyCase.of`` takes beside.

    Returns:
        A row for each method, k and ν.

    Units:
        Probabilities 0..1.

    Raises:
        DataError: When the source cannot be read without guessing, has no records, or no such column.
        UserError: When another argument is wrong, or the table has too few records for the persons left out.

    Example:
        >>> from qidguard_hybrid_dp.evaluation.example import people
        >>> chosen = Methods(clusters=("both",), scales=("range",), has_strict=False)
        >>> given = {"methods": chosen, "targets": 20, "bounds": {"age": (20, 60)}}
        >>> found = risk(people(), ["age", "race"], ["illness"], k=[3], **given)
        >>> [(row.label, row.knowledge) for row in found.rows][2:]
        [('hybrid, both, range', 'random'), ('hybrid, both, range', 'full')]
    """
    case = PrivacyCase.of(source, qids, sensitive, outsiders=targets, **given)
    chosen = methods or Methods(scales=("range",))
    plan = plan_of(case, k, chosen)
    tried = until_stopped(TRYING, plan, progress, is_stopped)
    rows = risk_rows(case, tried, targets, progress=progress, is_stopped=is_stopped)
    # the stand-in for SVD3DR has no mechanism that is told
    left_out = sum(not one.has_mechanism or one.done is None for one in tried)
    return RiskStudy(
        records=case.records.records,
        targets=min(targets, case.records.records),
        outsiders=case.everybody.records - case.records.records,
        qids=case.qids,
        sensitive=case.sensitive[0],
        rows=rows,
        failed=tuple(one for one in tried if one.done is None),
        asked=2 * (len(plan) - left_out),
    )


def models(  # noqa: PLR0913 - each argument is one decision about the comparison
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str],
    target: str | None,
    *,
    k: Sequence[int] = SMALLEST_CLASSES,
    methods: Methods | None = None,
    learners: Sequence[str] = LEARNERS,
    design: LearningDesign | None = None,
    progress: Progress | None = None,
    is_stopped: _Stopped = lambda: False,
    **given: Any,
) -> ModelStudy:
    """Return how accurate models are that learned from what methods publish (Table VII, Fig. 13).

    Each model learns from the quasi-identifiers of original and of published records on the same splits, and
    predicts original records that it has not seen.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        qids: The quasi-identifiers; those of numbers need bounds.
        sensitive: The sensitive attributes.
        target: What is predicted, of 2 to 20 values; the paper predicts the sensitive attribute.
        k: Persons in the smallest class, each ≥ 2.
        methods: What is tried; None takes both clusters at both scales, and strict intervals.
        learners: Names out of ``qidguard_learning.MODELS``.
        design: Splits and sample; None takes 10 splits of all records.
        progress: Hears of trials, and of each model on each split.
        is_stopped: Asked about ten times a second whether to stop.
        given: What ``PrivacyCase.of`` takes beside.

    Returns:
        Accuracies and their difference in percentage points.

    Units:
        Accuracy 0..1, percentage points.

    Raises:
        DataError: When the source cannot be read without guessing, has no records, or no such column.
        NotMeasurable: When no method can publish a table, or the target has a single class.
        UserError: When there is no target, or another argument is wrong.
        KeyboardInterrupt: When it was stopped while models learned.

    Example:
        >>> from qidguard_hybrid_dp.evaluation.example import people
        >>> chosen = Methods(clusters=("both",), scales=("unit",), has_strict=False)
        >>> given = {"methods": chosen, "learners": ("logistic_regression",), "bounds": {"age": (20, 60)}}
        >>> found = models(people(), ["age", "race"], ["illness"], "illness", k=[3], **given)
        >>> [row.label for row in found.rows]
        ['plain k-anonymity', 'hybrid, both, unit']
    """
    case = PrivacyCase.of(source, qids, sensitive, target=target, **given)
    tried = until_stopped(TRYING, plan_of(case, k, methods or Methods()), progress, is_stopped)
    if target is None:
        raise UserError("models need a target to predict; name its column")
    made = {(one.k, one.label): one.changes for one in tried if one.done is not None}
    if not made:
        raise NotMeasurable("no method can publish this table, so no model can learn from one")
    asked = LearningDesign(sample=0) if design is None else design
    found = compare_models(
        {f"k={at}, {label}": changes for (at, label), changes in made.items()},
        target,
        case.qids,
        models=tuple(learners),
        design=asked,
        seed=case.seed,
        progress=progress,
        is_interrupted=is_stopped,
    )
    return ModelStudy(
        target=target,
        rows=model_rows(list(made), found, tuple(learners)),
        design=asked,
        failed=tuple(one for one in tried if one.done is None),
    )


def sweep(  # noqa: PLR0913 - each argument is one decision about the sweep
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str],
    *,
    k: int = 5,
    epsilons: Sequence[Fraction] = EPSILONS,
    scales: Sequence[str] = ("range", "unit"),
    cluster: str = "both",
    targets: int = TARGETS,
    progress: Progress | None = None,
    is_stopped: _Stopped = lambda: False,
    **given: Any,
) -> Sweep:
    """Return what each ε costs and gives away, the same ε in both parts (Fig. 16, 17).

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed. Each record is a person.
        qids: The quasi-identifiers; those of numbers need bounds, and there is at least one.
        sensitive: The sensitive attributes; attackers want to know the first.
        k: Persons in the smallest class, ≥ 2.
        epsilons: ε of each numeric quasi-identifier, each > 0.
        scales: ``range``, ``unit`` or both.
        cluster: ``both`` or ``violating``.
        targets: Persons of the release who are looked for, ≥ 2.
        progress: Hears of each setting.
        is_stopped: Asked before each whether to stop.
        given: What ``PrivacyCase.of`` takes beside.

    Returns:
        A row for each scale and ε.

    Units:
        Shares and probabilities 0..1.

    Raises:
        DataError: When the source cannot be read without guessing, has no records, or no such column.
        NotMeasurable: When the scheme cannot be run, an ε cannot be drawn, or no quasi-identifier is numeric.
        UserError: When another argument is wrong.

    Example:
        >>> from qidguard_hybrid_dp.evaluation.example import people
        >>> given = {"targets": 20, "bounds": {"age": (20, 60)}, "scales": ["range"]}
        >>> found = sweep(people(), ["age", "race"], ["illness"], k=3, epsilons=[Fraction(1)], **given)
        >>> len(found.rows)
        1
    """
    case = PrivacyCase.of(source, qids, sensitive, outsiders=1, **given)
    base = hybrid(case, k, HybridSetting(cluster=cluster))
    if base.done is None:
        raise NotMeasurable(base.reason)
    if not case.numeric:
        raise NotMeasurable("ε belongs to numeric quasi-identifiers; name one and declare its bounds")
    sought = sought_in(case, targets, knowledge=FULL).inside
    plan = [
        partial(sweep_row, case, base, sought, scale, epsilon) for scale in scales for epsilon in epsilons
    ]
    rows = tuple(until_stopped("sweeping", plan, progress, is_stopped))
    return Sweep(label=base.label, k=k, qids=case.numeric, rows=rows, asked=len(plan))
