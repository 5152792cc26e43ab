"""A classification as tables that commands show and save."""

from typing import TYPE_CHECKING

from qidguard.sdk import ResultTable
from qidguard_qir.classification import AttributeClass
from qidguard_qir.preprocessing import in_records, in_words

if TYPE_CHECKING:
    from qidguard_qir.classification import Classification
    from qidguard_qir.preprocessing import ColumnPreprocessing


_WHY = {
    AttributeClass.DIRECT_IDENTIFIER: "nearly unique",
    AttributeClass.SENSITIVE: "above α",
    AttributeClass.QUASI_IDENTIFIER: "from β to α",
    AttributeClass.NON_SENSITIVE: "below β",
}


def tables(found: "Classification") -> tuple[ResultTable, ...]:
    """Return the columns with their risks, the highest first, and what preprocessing did and would do."""
    ordered = sorted(found.attributes, key=lambda one: -one.risk.risk)
    risks = ResultTable(
        name="risks",
        title="Columns by their re-identification risk",
        columns=(
            "column",
            "class",
            "risk %",
            f"{found.g}-distinct %",
            "classes",
            "margin",
            "why",
            "question",
        ),
        rows=tuple(
            (
                one.column,
                str(one.attribute_class),
                one.risk.risk_percent,
                100 * one.risk.g_distinct(found.g),
                one.risk.classes,
                one.margin,
                _WHY[one.attribute_class],
                one.question,
            )
            for one in ordered
        ),
    )
    steps = ResultTable(
        name="preprocessing",
        title="Preprocessing: nothing is done that nobody asked for",
        columns=("column", "what", "classes", "risk %", "class"),
        rows=tuple(row for one in found.preprocessing if not one.is_clean for row in _steps(found, one)),
    )
    return (risks, steps) if steps.rows else (risks,)


def _steps(
    found: "Classification", one: "ColumnPreprocessing"
) -> list[tuple[str, str, int | None, float | None, str | None]]:
    """Return what is so, what was done and what would be, a row each."""
    rows: list[tuple[str, str, int | None, float | None, str | None]] = []
    if one.missing:
        rows.append((one.column, f"NULL {in_records(one.missing)} counts as a value", None, None, None))
    if one.undeclared_missing:
        words = f"a word such as ? {in_records(one.undeclared_missing)} counts as a value"
        rows.append((one.column, words, None, None, None))
    if not one.done.is_empty:
        now = found[one.column]
        done = f"done: {in_words(one.done)}"
        rows.append((one.column, done, now.risk.classes, now.risk.risk_percent, str(now.attribute_class)))
    for effect in one.effects:
        after = None if effect.risk_percent is None else str(found.after(effect.risk_percent))
        would = f"would be: {in_words(effect.preprocessing)}"
        rows.append((one.column, would, effect.classes, effect.risk_percent, after))
    return rows
