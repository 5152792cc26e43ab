"""Which models change significantly when they learn from published records: the paper's Table VII."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.sdk import NotMeasurable, Plot, Progress, ResultTable, UserError
from qidguard_learning import MODELS, LearningDesign, ModelUtility, compare_models
from qidguard_mo_obam.evaluation.case import MethodTrial, StudyCase

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
"""The paper's level of significance."""


@dataclass(frozen=True, kw_only=True)
class ModelTest:
    """One model on one published table, held against the same model on the original.

    Args:
        table: The method with its settings.
        model: The model.
        original_f1: Mean F1 of what learned from the original, 0..1.
        published_f1: Mean F1 of what learned from the published table, 0..1.
        effect_size: Rank-biserial correlation, −1..1, below 0 where the published scores are lower.
        p_value: Two-sided p-value of Mann and Whitney's U test, 0..1.
        corrected: The same after Holm's correction for all tests of the comparison, 0..1.
    """

    table: str
    model: str
    original_f1: float
    published_f1: float
    effect_size: float
    p_value: float
    corrected: float

    @property
    def is_raw_significant(self) -> bool:
        """Whether p < .05, as the paper marks it."""
        return self.p_value < LEVEL

    @property
    def is_significant(self) -> bool:
        """Whether it stays so after the correction."""
        return self.corrected < LEVEL


@dataclass(frozen=True, kw_only=True)
class ModelComparison:
    """Models by the original and by published tables; it holds names and figures, no value of the table.

    Args:
        target: What they predict.
        trials: The published tables, and methods that could not make one, with the reason.
        tests: A test for each table and model.
        scores: Label of a table → its scores split by split.
        design: How they were tried.
    """

    target: str
    trials: tuple[MethodTrial, ...] = field(repr=False)
    tests: tuple[ModelTest, ...] = field(repr=False)
    scores: Mapping[str, ModelUtility] = field(repr=False)
    design: LearningDesign

    @property
    def headline(self) -> str:
        """How models were tried, and which change significantly."""
        from qidguard_mo_obam.evaluation.models_text import headline

        return "\n".join(headline(self))

    def tables(self) -> tuple[ResultTable, ...]:
        """Return mean F1 as the paper's Table VII prints it, and every test.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import tested
            >>> [table.name for table in tested().tables()]
            ['mean_f1', 'tests']
        """
        from qidguard_mo_obam.evaluation.models_text import mean_table, tests_table

        return mean_table(self), tests_table(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return every test as a row.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import tested
            >>> tested().to_frame()[["table", "model"]].values.tolist()
            [['mdav[k=3]', 'decision_tree'], ['mdav[k=3]', 'naive_bayes']]
        """
        import pandas as pd

        table = self.tables()[1]
        return pd.DataFrame(list(table.rows), columns=list(table.columns))

    def plots(self) -> dict[str, Plot]:
        """Return the scores of each model with what is significant, by name.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import tested
            >>> list(tested().plots())
            ['f1_by_model']
        """
        from qidguard_mo_obam.evaluation.models_plot import f1_by_model

        return {"f1_by_model": f1_by_model(self)}


def compare_models_in(
    case: StudyCase,
    methods: Sequence[tuple[str, int, str]],
    *,
    models: Sequence[str] = MODELS,
    design: LearningDesign | None = None,
    left_out: Sequence[str] = (),
    budget_seconds: float | None = None,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> ModelComparison:
    """Return which models change significantly, as the paper's Table VII asks.

    Each method is applied in memory. On the same random splits each model learns from the original and from
    each published table; Mann and Whitney's U test holds the F1 scores against each other. Of many tests some
    fall below .05 by chance, so each p-value stands beside its correction by Holm 1979, which keeps the
    chance of any false finding below .05.

    Args:
        case: The table with its target, all of its columns held.
        methods: Anonymizer, k, and its further settings, for each published table.
        models: Names out of ``qidguard_learning.MODELS``.
        design: Splits, sample and score; None takes 100 splits of at most 3,000 records, predicted as the
            table has them, which is how the paper scores.
        left_out: Columns that no model may learn from.
        budget_seconds: After how many seconds a method is interrupted; None sets no limit.
        progress: Hears of each model on each split.
        is_stopped: Asked about ten times a second whether to stop.

    Raises:
        NotMeasurable: When no method can make a table, or no model can be tried on one.
        UserError: When there is no target, or a method, a model or a parameter is wrong.
    """
    if case.target is None:
        raise UserError("models need a target to predict; name its column")
    if not methods:
        raise UserError("models are compared over at least one method; name one")
    asked = LearningDesign(repeats=100, tested_on="published") if design is None else design
    trials = [
        case.tried(method, k, settings, budget_seconds=budget_seconds)
        for method, k, settings in dict.fromkeys(methods)
    ]
    made = {one.label: one.done.changes for one in trials if one.done is not None}
    if not made:
        raise NotMeasurable(f"no method can publish this table: {trials[0].label}: {trials[0].reason}")
    held = case.records
    columns = tuple(one for one in held.names if one not in {case.target, held.entity, *left_out})
    scores = compare_models(
        made,
        case.target,
        columns,
        models=tuple(models),
        design=asked,
        seed=case.seed,
        progress=progress,
        is_interrupted=is_stopped,
    )
    places = [(label, model) for label in scores for model in models]
    p_values = [scores[label].p_value(model) for label, model in places]
    tests = [
        ModelTest(
            table=label,
            model=model,
            original_f1=scores[label].original_mean_f1(model),
            published_f1=scores[label].mean_f1(model),
            effect_size=scores[label].effect_size(model),
            p_value=p,
            corrected=corrected,
        )
        for (label, model), p, corrected in zip(places, p_values, holm(p_values), strict=True)
    ]
    return ModelComparison(
        target=case.target, trials=tuple(trials), tests=tuple(tests), scores=scores, design=asked
    )


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values corrected for their number (Holm 1979): the i-th smallest of m times m − i + 1.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        (0.03, 0.06, 0.06)
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = largest
    return tuple(corrected)
