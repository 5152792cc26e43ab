"""Which models change significantly when they learn from published records: the paper's Table VII."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.sdk import Plot, ResultTable, shown_name
from qidguard_learning import LearningDesign, ModelUtility
from qidguard_mo_obam.evaluation.case import MethodTrial, frame_of

if TYPE_CHECKING:
    import pandas as pd

_SHORT = {
    "decision_tree": "DT",
    "logistic_regression": "LR",
    "naive_bayes": "NB",
    "neural_network": "NN",
    "random_forest": "RF",
    "support_vector_machine": "SVM",
}
"""The models as the paper's tables call them."""
NOTE = (
    "* p < .05 of Mann and Whitney's U test against the baseline, as the paper marks it; ** after Holm, too."
)
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
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        count = len({test.table for test in self.tests})
        yield f"MODELS  {count} published table{'s' * (count > 1)}, predicting {shown_name(self.target)}"
        yield f"  tried        {self.design}"
        for one in self.trials:
            if one.reason:
                yield f"  no table     {one.label}: {one.reason}"
        raw = [test for test in self.tests if test.is_raw_significant]
        corrected = [test for test in self.tests if test.is_significant]
        yield f"  p < .05      {len(raw)} of {len(self.tests)} tests{_listed(raw)}"
        yield f"  after Holm   {len(corrected)} of {len(self.tests)} tests{_listed(corrected)}"
        yield f"  {NOTE}"

    def tables(self) -> tuple[ResultTable, ...]:
        """Return mean F1 as the paper's Table VII prints it, and every test.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import tested
            >>> [table.name for table in tested().tables()]
            ['mean_f1', 'tests']
        """
        return self._means(), self._every_test()

    def _means(self) -> ResultTable:
        """Return mean F1 with a row for the baseline and for each table, a column for each model."""
        models = tuple(dict.fromkeys(test.model for test in self.tests))
        tables = tuple(dict.fromkeys(test.table for test in self.tests))
        by = {(test.table, test.model): test for test in self.tests}
        baseline = ["baseline", *(f"{by[tables[0], model].original_f1:.4f}" for model in models)]
        rows = [[table, *(_marked(by[table, model]) for model in models)] for table in tables]
        return ResultTable(
            name="mean_f1",
            title="Mean F1 (Table VII)",
            columns=("table", *(_SHORT[model] for model in models)),
            rows=tuple(map(tuple, [baseline, *rows])),
            note=NOTE,
        )

    def _every_test(self) -> ResultTable:
        """Return every test as a row."""
        return ResultTable(
            name="tests",
            title="Mann and Whitney's U test of each model on each table",
            columns=(
                *("table", "model", "original_f1", "published_f1", "effect_size"),
                *("p_value", "p_after_holm", "is_raw_significant", "is_significant"),
            ),
            rows=tuple(
                (
                    *(test.table, test.model, test.original_f1, test.published_f1, test.effect_size),
                    *(test.p_value, test.corrected, test.is_raw_significant, test.is_significant),
                )
                for test in self.tests
            ),
            note=f"{self.design}. {NOTE}",
            is_detail=True,
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return every test as a row.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import tested
            >>> tested().to_frame()[["table", "model"]].values.tolist()
            [['mdav[k=3]', 'decision_tree'], ['mdav[k=3]', 'naive_bayes']]
        """
        return frame_of(self.tables()[1])

    def plots(self) -> dict[str, Plot]:
        """Return the scores of each model with what is significant, by name.

        Example:
            >>> from qidguard_mo_obam.evaluation.example import tested
            >>> list(tested().plots())
            ['f1_by_model']
        """
        from qidguard_mo_obam.evaluation.plots import f1_by_model

        return {"f1_by_model": f1_by_model(self)}


def _listed(tests: Sequence[ModelTest]) -> str:
    if not tests:
        return ""
    by_model: dict[str, list[str]] = {}
    for test in tests:
        by_model.setdefault(test.model, []).append("lower" if test.effect_size < 0 else "higher")
    said = []
    for model, ways in by_model.items():
        counts = ", ".join(f"{ways.count(way)} {way}" for way in ("lower", "higher") if way in ways)
        said.append(f"{model_words(model)} {counts}")
    return f": {'; '.join(said)}"


def model_words(model: str) -> str:
    """Return a model's name as prose has it."""
    return model.replace("_", " ").replace("bayes", "Bayes")


def _marked(test: ModelTest) -> str:
    return f"{test.published_f1:.4f}{'**' if test.is_significant else '*' if test.is_raw_significant else ''}"


def tests_of(scores: Mapping[str, ModelUtility], models: Sequence[str]) -> tuple[ModelTest, ...]:
    """Return a test for each table and model, as the paper's Table VII asks.

    Of many tests some fall below .05 by chance, so each p-value stands beside its correction by Holm 1979,
    which keeps the chance of any false finding below .05.
    """
    places = [(label, model) for label in scores for model in models]
    p_values = [scores[label].p_value(model) for label, model in places]
    return tuple(
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
