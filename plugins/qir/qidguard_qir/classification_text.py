"""A classification as lines of text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.sdk import Cell, ResultTable, result_lines, shown_name
from qidguard_qir.preprocessing import Effect, PreprocessingStep, in_records, in_words

if TYPE_CHECKING:
    from qidguard_qir.classification import Classification, ClassifiedAttribute

NAMES = {
    "ID": "direct identifier?",
    "SA": "sensitive (SA)",
    "QID": "quasi-identifier (QID)",
    "NS": "non-sensitive (NS)",
}
_STEPS = {
    PreprocessingStep.MISSING: "words for missing values taken as NULL",
    PreprocessingStep.SPELLING: "values that differ only in writing taken as one",
    PreprocessingStep.ROUNDING: "numbers rounded",
}
WARNING = "Risk alone is weak evidence: it knows no meaning of a column. A person decides."


def headline(found: "Classification") -> str:
    """Return how many columns of each class there are, and the thresholds."""
    counts = ", ".join(
        f"{many} {words}"
        for key, words in NAMES.items()
        if (many := sum(_is(one, key) for one in found.attributes))
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


def lines(found: "Classification") -> Iterator[str]:
    """Yield the classes, the risks behind them, and what preprocessing would change."""
    yield from headline(found).splitlines()
    yield ""
    headings = ("column", "class", "risk %", f"{found.g}-distinct %", "classes", "margin", "why")
    ordered = sorted(found.attributes, key=lambda one: -one.risk.risk)
    table = ResultTable(
        name="classes",
        title="The columns by risk",
        columns=headings,
        rows=tuple(_row(found, one) for one in ordered),
    )
    yield from ("  " + line for line in result_lines(table))
    questions = [one for one in ordered if one.question]
    if questions:
        yield ""
        yield from (f"  ? {shown_name(one.column)}: {one.question}" for one in questions)
    yield from _preprocessing(found)
    yield ""
    yield f"  {WARNING}"


def _is(one: "ClassifiedAttribute", key: str) -> bool:
    return one.attribute_class.value == key


def _row(found: "Classification", one: "ClassifiedAttribute") -> tuple[Cell, ...]:
    return (
        shown_name(one.column),
        one.attribute_class.value,
        one.risk.risk_percent,
        100 * one.risk.g_distinct(found.g),
        one.risk.classes,
        one.margin,
        one.why,
    )


def _preprocessing(found: "Classification") -> Iterator[str]:
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


def effect_words(found: "Classification", column: str, effect: Effect) -> str:
    """Return what a step would do to a column, as a phrase."""
    step = _STEPS[effect.step]
    if effect.step is PreprocessingStep.ROUNDING:
        step = in_words(effect.preprocessing).rpartition("; ")[2]
    if effect.risk_percent is None:
        return f"{step}: not looked at, it has very many values"
    before, after = found[column].attribute_class, found.after(effect.risk_percent)
    becomes = f"stays {after}" if after is before else f"becomes {after}"
    return f"{step}: {effect.classes:,} classes, risk {effect.risk_percent:.4g} %, {becomes}"
