"""The paper's evaluation of a table, as Python calls."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

from qidguard.sdk import EngineSettings, NotMeasurable, Progress, ReadOptions, UserError
from qidguard_learning import MODELS, LearningDesign
from qidguard_mo_obam.evaluation.case import MethodTrial, StudyCase, in_turn
from qidguard_mo_obam.evaluation.evaluation import StudyEvaluation
from qidguard_mo_obam.evaluation.models import ModelComparison, tests_of
from qidguard_mo_obam.evaluation.plan import METHODS, MO_OBAM, SMALLEST_CLASSES, WEIGHTS, plan_of
from qidguard_mo_obam.evaluation.printed import PrintedTable, printed_table


def evaluate(  # noqa: PLR0913 - each argument is one decision about the evaluation
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str],
    *,
    k: Sequence[int] = SMALLEST_CLASSES,
    l: int = 2,  # noqa: E741 - the field's own name of it
    n_c: Sequence[int | None] = (None,),
    weights: Sequence[float] = WEIGHTS,
    methods: Sequence[str] = METHODS,
    printed: str | None = None,
    entity: str | None = None,
    seed: int = 0,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> StudyEvaluation:
    """Return methods beside one another on one table (Wei et al. 2025, Tables IV and V).

    The figures are those of ``measure_published``: IL = (10)/(11), the persons in clusters with 1/size > τ,
    and the persons in clusters in which any sensitive attribute has a single value.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        qids: The quasi-identifiers, at least one.
        sensitive: The sensitive attributes, at least one.
        k: Persons in the smallest class, each ≥ 2.
        l: Distinct sensitive values in a class for ``zheng_l_diversity``, ≥ 2.
        n_c: Numbers of clusters for MO-OBAM, each ≥ 1; None leaves the number to it.
        weights: λ for MO-OBAM, each ≥ 0.
        methods: Installed anonymizers by name; the paper's are the default.
        printed: ``german`` or ``adult`` shows the paper's rows beside, where this is its table.
        entity: The column whose values are the persons; None where each record is one.
        seed: Seeds the methods, ≥ 0.
        read: How the source is read.
        settings: Memory limit and threads.
        progress: Hears of finished trials.
        is_stopped: Asked before each trial whether to stop.

    Returns:
        The baseline and a row for each method, k, n_C and λ; one that cannot be done has the reason.

    Units:
        Persons, bits, seconds, and quotients without a unit.

    Raises:
        DataError: When the source cannot be read without guessing, has no records, or no such column.
        UserError: When another argument is wrong, or ``printed`` names another table's rows.
        PluginError: When a method fails.

    NULL is a value of its own. A single class has the loss 1 where the mean and the mode are published.

    Example:
        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [30, 31, 40, 42], "illness": ["flu", "asthma", "flu", "flu"]})
        >>> found = evaluate(table, ["age"], ["illness"], k=[2], methods=["mdav"])
        >>> found.trials[1].figures.clusters, found.trials[1].figures.homogeneous
        (2, 2)
    """
    plan = plan_of(k=k, l=l, n_c=n_c, weights=weights, methods=methods)
    case = StudyCase.of(source, qids, sensitive, entity=entity, seed=seed, read=read, settings=settings)
    rows, baseline = None if printed is None else printed_table(printed), case.baseline()
    if rows is not None:
        _check_baseline(baseline, rows)
    tried = in_turn(plan, lambda one: case.tried(*one), "trying methods", progress, is_stopped)
    return StudyEvaluation(
        qids=case.qids,
        sensitive=case.sensitive,
        trials=(baseline, *tried),
        asked=len(plan) + 1,
        printed=rows,
    )


def _check_baseline(baseline: MethodTrial, printed: PrintedTable) -> None:
    found = baseline.figures
    if found is not None and (found.clusters, found.at_risk) != (printed.clusters, printed.at_risk):
        raise UserError(
            f"this is not the table of {printed.title}: it has {found.clusters:,} combinations of the"
            f" quasi-identifiers and {found.at_risk} persons at risk, the paper's {printed.clusters:,} and"
            f" {printed.at_risk}; leave the printed rows out, or read the table as the paper did"
        )


def changed_models(  # noqa: PLR0913 - each argument is one decision about the comparison
    source: Any,
    qids: Sequence[str],
    sensitive: Sequence[str],
    target: str | None,
    *,
    k: Sequence[int] = SMALLEST_CLASSES,
    l: int = 2,  # noqa: E741 - the field's own name of it
    n_c: Sequence[int | None] = (30,),
    weights: Sequence[float] = WEIGHTS,
    methods: Sequence[str] = (MO_OBAM,),
    models: Sequence[str] = MODELS,
    splits: int = 100,
    sample: int = 3000,
    positive: str | None = None,
    tested_on: str = "published",
    left_out: Sequence[str] = (),
    entity: str | None = None,
    seed: int = 0,
    read: ReadOptions | None = None,
    settings: EngineSettings | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> ModelComparison:
    """Return which models change significantly when they learn from published records (Table VII).

    On the same random splits each model learns from the original and from each published table. Mann and
    Whitney's two-sided U test holds the F1 scores of the splits against each other; each p-value stands
    beside its correction for the number of tests (Holm 1979). Splits share records: p-values are a guide.

    Args:
        source: The table, as ``qidguard.audit`` takes it. It is never changed.
        qids: The quasi-identifiers, at least one.
        sensitive: The sensitive attributes, at least one.
        target: What is predicted, a column of 2 to 20 values.
        k: Persons in the smallest class, each ≥ 2.
        l: Distinct sensitive values in a class for ``zheng_l_diversity``, ≥ 2.
        n_c: Numbers of clusters for MO-OBAM, each ≥ 1; None leaves the number to it.
        weights: λ for MO-OBAM, each ≥ 0.
        methods: Installed anonymizers by name.
        models: Names out of ``qidguard_learning.MODELS``.
        splits: Number of random splits, ≥ 2.
        sample: Largest number of records in a split; 0 takes all. The support vector machine's time grows
            with its square.
        positive: The value of the target whose F1 is scored; None scores macro F1.
        tested_on: ``published`` predicts records as the same table has them, as the paper does, ``original``
            as they were.
        left_out: Columns that no model may learn from, such as direct identifiers.
        entity: The column whose values are the persons; None where each record is one.
        seed: Seeds methods, splits and models, ≥ 0.
        read: How the source is read.
        settings: Memory limit and threads.
        progress: Hears of each model on each split.
        is_stopped: Asked about ten times a second whether to stop.

    Returns:
        Mean F1 and a test for each table and model.

    Units:
        F1, p-values and effect sizes without a unit.

    Raises:
        DataError: When the source cannot be read without guessing, has no records, or no such column.
        NotMeasurable: When no method can make a table, or the target has a single class.
        UserError: When there is no target, or another argument is wrong.
        KeyboardInterrupt: When it was stopped.

    NULL in the target leaves a record out; elsewhere it is a value. A target of a single class is an error.

    Example:
        >>> from qidguard_mo_obam.evaluation.example import tested
        >>> [(test.model, test.table) for test in tested().tests]
        [('decision_tree', 'mdav[k=3]'), ('naive_bayes', 'mdav[k=3]')]
    """
    if tested_on not in {"original", "published"}:
        raise UserError(f"models are tested on original or published records, not on {tested_on!r}")
    plan = plan_of(k=k, l=l, n_c=n_c, weights=weights, methods=methods)
    if target is None:
        raise UserError("models need a target to predict; name its column")
    case = StudyCase.of(
        source,
        qids,
        sensitive,
        target=target,
        entity=entity,
        seed=seed,
        whole=True,
        read=read,
        settings=settings,
    )
    design = LearningDesign(
        repeats=splits,
        sample=sample,
        positive=positive,
        tested_on=cast("Literal['original', 'published']", tested_on),
    )
    if not plan:
        raise UserError("models are compared over at least one method; name one")
    trials = tuple(case.tried(*one) for one in plan)
    scores = case.scores(trials, models, design, left_out, progress, is_stopped)
    if not scores:
        raise NotMeasurable(f"no method can publish this table: {trials[0].label}: {trials[0].reason}")
    return ModelComparison(
        target=target, trials=trials, tests=tests_of(scores, models), scores=scores, design=design
    )
