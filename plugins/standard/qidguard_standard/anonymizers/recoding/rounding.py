"""Rounding: numbers are published as multiples of a base."""

from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from typing import ClassVar

import numpy as np

from qidguard.sdk import (
    AnonymizationTask,
    Anonymized,
    Arguments,
    ColumnValues,
    NotMeasurable,
    Original,
    Parameter,
    Recoded,
    Records,
    UserError,
    ValueType,
)
from qidguard_standard.anonymizers.recoding.column_list import check_columns, numbers_by_column

TITLE = "rounding"


class Rounding:
    """Rounding of numeric quasi-identifiers to multiples of a base (Hundepool et al. 2012, section 3.3).

    Deterministic: the nearest multiple, halves upwards. Random: the multiple below or the one above, so that
    the expected value is the original one: x = (m + f)·b becomes (m + 1)·b with probability f (unbiased
    random rounding). The draws follow the order of the records. Each column is rounded by itself, so sums
    over records need not agree with rounded sums. NULL and what is no finite number stay, and
    so does a column without a value. It guarantees
    nothing of any class, so nothing is claimed.

    Literature: Hundepool, Domingo-Ferrer, Franconi, Giessing, Nordholt, Spicer & de Wolf 2012, Statistical
    disclosure control; Fellegi 1975, Controlled random rounding.
    """

    name: ClassVar[str] = "rounding"
    title: ClassVar[str] = "rounding of numbers"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="base",
            type=str,
            meaning="the base of each column in its own unit, as age=5, income=1000 or a JSON object",
        ),
        Parameter(
            name="is_random",
            type=bool,
            default=False,
            meaning="whether numbers are rounded at random without bias, in place of to the nearest multiple",
        ),
    )

    def draws_values(self, arguments: Arguments) -> bool:
        """Whether what it publishes is drawn by the seed.

        Example:
            >>> Rounding().draws_values({"is_random": True})
            True
        """
        return bool(arguments["is_random"])

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return the columns rounded.

        Example:
            >>> Rounding().parameters[0].name
            'base'
        """
        bases = numbers_by_column("base", arguments["base"])
        if not bases:
            raise UserError("parameter 'base' names no column; write column=number")
        check_columns("base", bases, task.quasi_identifiers)
        published, notes = {}, []
        for done, (name, text) in enumerate(bases.items()):
            task.progress.step(TITLE, done, len(bases))
            values = records.column(name)
            if values.value_type is ValueType.EMPTY:
                continue  # there is nothing to round, whatever the column was meant to hold
            base = _base(values, text)
            draw = np.random.default_rng([task.seed, records.names.index(name)])
            published[name] = _rounded(values, base, draw if arguments["is_random"] else None)
            how = "at random without bias" if arguments["is_random"] else "to the nearest multiple"
            notes.append(f"{name!r} is rounded to base {base} {how}")
        task.progress.step(TITLE, len(bases), len(bases))
        kept = np.ones(records.records, dtype=np.bool_)
        return Anonymized(kept=kept, columns=published, notes=tuple(notes))


def _base(values: ColumnValues, text: str) -> Decimal:
    if values.value_type not in {ValueType.INTEGER, ValueType.NUMBER}:
        raise NotMeasurable(f"{values.name!r} holds no numbers, so it cannot be rounded; leave it out")
    try:
        base = Decimal(text)
    except InvalidOperation:
        base = Decimal("NaN")
    if not (base.is_finite() and base > 0):
        raise UserError(f"the base of {values.name!r} must be a number above 0, not {text!r}")
    if values.value_type is ValueType.INTEGER and base != base.to_integral_value():
        raise UserError(
            f"the base of {values.name!r}, which holds whole numbers, must be whole, not {text!r}"
        )
    return base


def _rounded(values: ColumnValues, base: Decimal, draw: np.random.Generator | None) -> Recoded:
    """Return the column with its numbers rounded; each code has a multiple below and one above."""
    codes = len(values.texts)
    shown: list[Original | int | float] = [Original(code % codes) for code in range(2 * codes)]
    fraction = np.zeros(codes)
    for code, text in enumerate(values.texts):
        number = _number(text)
        if number is None:
            continue
        multiple = (number / base).to_integral_value(rounding=ROUND_FLOOR)
        fraction[code] = float(number / base - multiple)
        for above in (0, 1):
            value = (multiple + above) * base
            is_whole = values.value_type is ValueType.INTEGER
            shown[code + above * codes] = int(value) if is_whole else float(value)
    if draw is None:
        goes_up = fraction[values.codes] >= 0.5  # noqa: PLR2004 - halves go upwards
    else:
        goes_up = draw.random(values.records) < fraction[values.codes]
    return Recoded(codes=values.codes + goes_up * np.int64(codes), values=tuple(shown))


def _number(text: str | None) -> Decimal | None:
    """Return the number that a text is; None for a missing, infinite or other value."""
    try:
        number = Decimal("NaN" if text is None else text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
