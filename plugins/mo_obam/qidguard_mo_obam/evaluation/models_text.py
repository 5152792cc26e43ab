"""A comparison of models as lines and tables."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qidguard.sdk import ResultTable, shown_name

if TYPE_CHECKING:
    from qidguard_mo_obam.evaluation.models import ModelComparison, ModelTest

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


def headline(found: "ModelComparison") -> Iterator[str]:
    """Yield how models were tried, and which change significantly."""
    tables = len({test.table for test in found.tests})
    yield f"MODELS  {tables} published table{'s' * (tables > 1)}, predicting {shown_name(found.target)}"
    yield f"  tried        {found.design}"
    for one in found.trials:
        if one.reason:
            yield f"  no table     {one.label}: {one.reason}"
    raw = [test for test in found.tests if test.is_raw_significant]
    corrected = [test for test in found.tests if test.is_significant]
    yield f"  p < .05      {len(raw)} of {len(found.tests)} tests{_listed(raw)}"
    yield f"  after Holm   {len(corrected)} of {len(found.tests)} tests{_listed(corrected)}"
    yield f"  {NOTE}"


def _listed(tests: Sequence["ModelTest"]) -> str:
    if not tests:
        return ""
    by_model: dict[str, list[str]] = {}
    for test in tests:
        by_model.setdefault(test.model, []).append("lower" if test.effect_size < 0 else "higher")
    said = []
    for model, ways in by_model.items():
        counts = ", ".join(f"{ways.count(way)} {way}" for way in ("lower", "higher") if way in ways)
        said.append(f"{_words(model)} {counts}")
    return f": {'; '.join(said)}"


def _words(model: str) -> str:
    return model.replace("_", " ").replace("bayes", "Bayes")


def mean_table(found: "ModelComparison") -> ResultTable:
    """Return mean F1 with a row for the baseline and for each table, a column for each model."""
    models = tuple(dict.fromkeys(test.model for test in found.tests))
    tables = tuple(dict.fromkeys(test.table for test in found.tests))
    by = {(test.table, test.model): test for test in found.tests}
    baseline = ["baseline", *(f"{by[tables[0], model].original_f1:.4f}" for model in models)]
    rows = [[table, *(_marked(by[table, model]) for model in models)] for table in tables]
    return ResultTable(
        name="mean_f1",
        title="Mean F1 (Table VII)",
        columns=("table", *(_SHORT[model] for model in models)),
        rows=tuple(map(tuple, [baseline, *rows])),
        note=NOTE,
    )


def _marked(test: "ModelTest") -> str:
    return f"{test.published_f1:.4f}{'**' if test.is_significant else '*' if test.is_raw_significant else ''}"


def tests_table(found: "ModelComparison") -> ResultTable:
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
            for test in found.tests
        ),
        note=f"{found.design}. {NOTE}",
        is_detail=True,
    )
