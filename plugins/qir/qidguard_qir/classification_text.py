"""A classification as lines of text, and as tables that commands show and save."""

from collections.abc import Iterator

from qidguard.sdk import Cell, ResultTable, result_lines, shown_name
from qidguard_qir.classification import AttributeClass, Classification, ClassifiedAttribute
from qidguard_qir.preprocessing import (
    ColumnPreprocessing,
    Effect,
    PreprocessingStep,
    in_records,
    in_words,
)

_CLASSES = {
    AttributeClass.DIRECT_IDENTIFIER: ("direct identifier?", "nearly unique"),
    AttributeClass.SENSITIVE: ("sensitive (SA)", "above α"),
    AttributeClass.QUASI_IDENTIFIER: ("quasi-identifier (QID)", "from β to α"),
    AttributeClass.NON_SENSITIVE: ("non-sensitive (NS)", "below β"),
}
"""Class → what it is called, and why a column has it."""
_STEPS = {
    PreprocessingStep.MISSING: "words for missing values taken as NULL",
    PreprocessingStep.SPELLING: "values that differ only in writing taken as one",
    PreprocessingStep.ROUNDING: "numbers rounded",
}
WARNING = "Risk alone is weak evidence: it knows no meaning of a column. A person decides."


def headline(found: Classification) -> str:
    """Return how many columns of each class there are, and the thresholds."""
    counts = ", ".join(
        f"{many} {words}" for key, (words, _) in _CLASSES.items() if (many := len(found.columns(key)))
    )
    unit = "entities" if found.entity else "records"
    limits = found.thresholds
    said = [
        f"CLASSIFIED  {len(found.attributes)} columns of {found.persons:,} {unit}: {counts}",
        f"  thresholds  α = {limits.alpha:.4g} %, β = {limits.beta:.4g} %, {limits.reason}",
    ]
    if limits.is_proposed:
        said.append(
            f"  sureness    {limits.sureness:.2f} of 1: how far these gaps stand out from the next widest"
        )
    return "\n".join(said)


def lines(found: Classification) -> Iterator[str]:
    """Yield the classes, the risks behind them, and what preprocessing would change."""
    yield from headline(found).splitlines()
    yield ""
    table = ResultTable(
        name="classes",
        title="The columns by risk",
        columns=_headings(found, "why"),
        rows=tuple((shown_name(one.column), *_figures(found, one), one.why) for one in found.by_risk),
    )
    yield from ("  " + line for line in result_lines(table))
    questions = [one for one in found.by_risk if one.question]
    if questions:
        yield ""
        yield from (f"  ? {shown_name(one.column)}: {one.question}" for one in questions)
    yield from _preprocessing(found)
    yield ""
    yield f"  {WARNING}"


def _headings(found: Classification, *last: str) -> tuple[str, ...]:
    return ("column", "class", "risk %", f"{found.g}-distinct %", "classes", "margin", *last)


def _figures(found: Classification, one: ClassifiedAttribute) -> tuple[Cell, ...]:
    """Return what stands under the headings between the column and the last ones."""
    risk = one.risk
    shares = risk.risk_percent, 100 * risk.g_distinct(found.g)
    return (one.attribute_class.value, *shares, risk.classes, one.margin)


def _preprocessing(found: Classification) -> Iterator[str]:
    told = [one for one in found.preprocessing if not one.is_clean]
    if not told:
        return
    yield ""
    yield "  Preprocessing: nothing is done that nobody asked for"
    for one in told:
        parts = []
        if one.missing:
            parts.append(f"NULL {in_records(one.missing)}, a value of its own")
        if one.undeclared_missing:
            parts.append(f"a word such as ? {in_records(one.undeclared_missing)}, counted as a value")
        if not one.done.is_empty:
            parts.append(
                f"done: {in_words(one.done)}, risk {one.risk_percent:.4g} % before, "
                f"{found[one.column].risk.risk_percent:.4g} % now"
            )
        parts += [effect_words(found, one.column, effect) for effect in one.effects]
        yield f"    {shown_name(one.column)}: {'; '.join(parts)}"


def effect_words(found: Classification, column: str, effect: Effect) -> str:
    """Return what a step would do to a column, as a phrase."""
    step = _STEPS[effect.step]
    if effect.step is PreprocessingStep.ROUNDING:
        step = in_words(effect.preprocessing).rpartition("; ")[2]
    if effect.risk_percent is None:
        return f"{step}: not looked at, it has very many values"
    before, after = found[column].attribute_class, found.after(effect.risk_percent)
    becomes = f"stays {after}" if after is before else f"becomes {after}"
    return f"{step}: {effect.classes:,} classes, risk {effect.risk_percent:.4g} %, {becomes}"


def tables(found: Classification) -> tuple[ResultTable, ...]:
    """Return the columns with their risks, the highest first, and what preprocessing did and would do."""
    risks = ResultTable(
        name="risks",
        title="Columns by their re-identification risk",
        columns=_headings(found, "why", "question"),
        rows=tuple(
            (one.column, *_figures(found, one), _CLASSES[one.attribute_class][1], one.question)
            for one in found.by_risk
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
    found: Classification, one: ColumnPreprocessing
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
