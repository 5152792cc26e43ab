"""The first activity of Algorithm 1, preprocessing: reported with its effect, and done only where asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from qidguard.sdk import ColumnFacts, DataError, Preprocessing, Spelling, ValueType
from qidguard_qir.risk import AttributeRisk


class PreprocessingStep(StrEnum):
    """What preprocessing may do to a column. Scaling numbers is one to one, so it changes no risk."""

    MISSING = "missing"
    SPELLING = "spelling"
    ROUNDING = "rounding"


_WRITING = (Spelling.UNICODE, Spelling.BLANKS, Spelling.CASE, Spelling.NUMBERS)
_DECIMALS = {ValueType.NUMBER: 0, ValueType.INTEGER: -1}


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a step would do to the risk of a column.

    Args:
        step: The step.
        preprocessing: What to give as ``preprocessing`` of the column so that it is done.
        classes: The classes that the column would have, or None where its values were not kept.
        risk_percent: The risk that it would have, percent; None likewise.
    """

    step: PreprocessingStep
    preprocessing: Preprocessing
    classes: int | None
    risk_percent: float | None


@dataclass(frozen=True, kw_only=True)
class ColumnPreprocessing:
    """What of a column is unclean, what was done about it, and what could be.

    Args:
        column: The column's name.
        missing: Records without a value; NULL counts as a value of its own.
        undeclared_missing: Records with a text such as ``?``, which counts as a value unless it is declared.
        done: What was done, because somebody asked; empty where nothing was.
        risk_percent: The risk before anything is done, percent.
        effects: The steps that would change its classes, each by itself on top of what was done.
    """

    column: str
    missing: int
    undeclared_missing: int
    done: Preprocessing
    risk_percent: float
    effects: tuple[Effect, ...]

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.missing or self.undeclared_missing or self.effects) and self.done.is_empty


def report_preprocessing(
    table: Any, facts: ColumnFacts, before: AttributeRisk, now: AttributeRisk, done: Preprocessing
) -> ColumnPreprocessing:
    """Return what preprocessing did and would do to a column of an opened table.

    Args:
        table: The table.
        facts: The column's facts.
        before: Its risk as it is read.
        now: Its risk after what was done.
        done: What was done.

    Returns:
        The steps that would change its classes, with the risk after each. No value of the table.
    """
    return ColumnPreprocessing(
        column=facts.name,
        missing=facts.missing,
        undeclared_missing=facts.undeclared_missing,
        done=done,
        risk_percent=before.risk_percent,
        effects=tuple(_effects(table, facts, now, done)),
    )


def _effects(table: Any, facts: ColumnFacts, now: AttributeRisk, done: Preprocessing) -> Iterator[Effect]:
    for step, more in _possible(facts, done):
        try:
            [found] = table.column_class_sizes([facts.name], more)
        except DataError:  # of a column with very many values none was kept
            yield Effect(step=step, preprocessing=more, classes=None, risk_percent=None)
            continue
        after = AttributeRisk(class_sizes=found)
        if after.classes != now.classes:
            yield Effect(
                step=step, preprocessing=more, classes=after.classes, risk_percent=after.risk_percent
            )


def _possible(facts: ColumnFacts, done: Preprocessing) -> Iterator[tuple[PreprocessingStep, Preprocessing]]:
    if facts.undeclared_missing and Spelling.MISSING not in done.spellings:
        yield PreprocessingStep.MISSING, _with(done, (Spelling.MISSING,))
    if facts.value_type is ValueType.TEXT and not set(_WRITING) <= set(done.spellings):
        yield PreprocessingStep.SPELLING, _with(done, _WRITING)
    if facts.value_type in _DECIMALS and done.decimals is None:
        decimals = _DECIMALS[facts.value_type]
        yield PreprocessingStep.ROUNDING, Preprocessing(spellings=done.spellings, decimals=decimals)


def _with(done: Preprocessing, more: Sequence[Spelling]) -> Preprocessing:
    spellings = (*done.spellings, *(one for one in more if one not in done.spellings))
    return Preprocessing(spellings=spellings, decimals=done.decimals)


def in_words(preprocessing: Preprocessing) -> str:
    """Return what preprocessing does, as a phrase.

    Example:
        >>> in_words(Preprocessing(spellings=(Spelling.CASE, Spelling.BLANKS), decimals=-1))
        'case, blanks taken as one; numbers rounded to tens'
    """
    parts = []
    spellings = [str(one) for one in preprocessing.spellings if one is not Spelling.MISSING]
    if spellings:
        parts.append(f"{', '.join(spellings)} taken as one")
    if Spelling.MISSING in preprocessing.spellings:
        parts.append("words for missing taken as NULL")
    if preprocessing.decimals is not None:
        places = {0: "whole numbers", -1: "tens", -2: "hundreds", -3: "thousands"}
        decimals = preprocessing.decimals
        parts.append(f"numbers rounded to {places.get(decimals, f'{decimals} decimals')}")
    return "; ".join(parts) or "nothing"


def in_records(count: int) -> str:
    """Return in how many records something is.

    Example:
        >>> in_records(1), in_records(2000)
        ('in 1 record', 'in 2,000 records')
    """
    return f"in {count:,} record{'' if count == 1 else 's'}"
