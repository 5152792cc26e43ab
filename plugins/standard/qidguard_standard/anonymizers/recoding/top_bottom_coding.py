"""Top and bottom coding: extreme values are published as one."""

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, ClassVar

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
from qidguard_standard.anonymizers.clustering.wanted import wanted
from qidguard_standard.anonymizers.recoding.column_list import check_columns, numbers_by_column

if TYPE_CHECKING:
    from numpy.typing import NDArray


_STEPS_IN_RANGE = 20
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, kw_only=True)
class CodingLimit:
    """A limit of one column; the limit itself is coded with what lies beyond it.

    Args:
        value: The limit, in the column's unit; dates in days since 1970.
        is_top: Whether values above it are meant, else those below.
        is_moved: Whether it lies further inside than was asked, for too few persons lay beyond.
        whole: Whether the column holds whole numbers.
        is_date: Whether it holds dates.
    """

    value: float
    is_top: bool
    is_moved: bool
    whole: bool
    is_date: bool

    @property
    def shown(self) -> int | float | date:
        """The limit as a value of the column."""
        if self.is_date:
            return _EPOCH + timedelta(days=int(self.value))
        return int(self.value) if self.whole else self.value

    @property
    def label(self) -> str:
        """``>= v`` or ``<= v``."""
        shown = self.shown
        text = f"{shown:.15g}" if isinstance(shown, float) else str(shown)
        return f"{'>=' if self.is_top else '<='} {text}"

    def beyond(self, numbers: "NDArray[np.float64]") -> "NDArray[np.bool_]":
        """Return which numbers are coded; NaN is not."""
        return numbers >= self.value if self.is_top else numbers <= self.value


def coding_limit(
    values: ColumnValues, text: str, k: int, entity: "NDArray[np.int32] | None", *, is_top: bool
) -> CodingLimit:
    """Return the limit that a text asks for, moved inwards until k persons lie beyond it, or nobody."""
    name, kind = values.name, values.value_type
    if values.numbers is None or kind not in {ValueType.INTEGER, ValueType.NUMBER, ValueType.DATE}:
        raise NotMeasurable(
            f"{name!r} holds no numbers or dates, so it has no top and no bottom; leave it out"
        )
    whole = kind is not ValueType.NUMBER
    # on a mirrored column the bottom is a top
    sign = 1.0 if is_top else -1.0
    numbers = sign * values.numbers[values.codes]
    known = numbers[np.isfinite(numbers)]
    if not len(known):
        raise NotMeasurable(f"{name!r} holds no number, so it has no top and no bottom; leave it out")
    step = _step(float(np.ptp(known)), whole=whole)
    if text.endswith("%"):
        share = _parsed(values, text[:-1], name) / 100
        if not 0 <= share <= 1:
            raise UserError(f"the quantile of {name!r} must lie in 0..100 %, not {text!r}")
        asked = float(np.quantile(known, share if is_top else 1 - share, method="lower"))
        asked = math.floor(asked / step) * step
    else:
        asked = sign * _parsed(values, text, name, is_date=kind is ValueType.DATE)
        asked = float(math.ceil(asked)) if whole else asked
    limit = _with_company(numbers, known, asked, k, entity)
    if limit is None:
        raise NotMeasurable(f"k = {k} persons lie beyond no limit of {name!r}; lower k or leave it out")
    if limit < asked:
        limit = math.floor(limit / step) * step
    return CodingLimit(
        value=sign * limit,
        is_top=is_top,
        is_moved=limit < asked,
        whole=whole,
        is_date=kind is ValueType.DATE,
    )


def _with_company(
    numbers: "NDArray[np.float64]",
    known: "NDArray[np.float64]",
    asked: float,
    k: int,
    entity: "NDArray[np.int32] | None",
) -> float | None:
    """Return the highest limit, from ``asked`` down, that k persons or nobody lie beyond."""
    there = np.isfinite(numbers)
    if not (known >= asked).any():
        return asked
    if entity is None:
        first = known
    else:
        # the highest number of each person: beyond a limit are those whose highest is
        highest = np.full(int(entity.max()) + 1, -np.inf)
        np.maximum.at(highest, entity[there], numbers[there])
        first = highest[np.isfinite(highest)]
    if len(first) < k:
        return None
    return min(asked, float(np.partition(first, len(first) - k)[len(first) - k]))


def _step(span: float, *, whole: bool) -> float:
    """Return 1, 2 or 5 times a power of ten, at most a twentieth of the range."""
    if span <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / _STEPS_IN_RANGE))
    factor = max(f for f in (1, 2, 5) if f == 1 or f * power <= span / _STEPS_IN_RANGE)
    return max(1.0, factor * power) if whole else factor * power


def _parsed(values: ColumnValues, text: str, name: str, *, is_date: bool = False) -> float:
    try:
        if is_date:
            return float((datetime.fromisoformat(text).replace(tzinfo=UTC).date() - _EPOCH).days)
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        kind = "a date as 2021-03-01" if values.value_type is ValueType.DATE else "a number"
        raise UserError(f"the limit of {name!r} must be {kind} or a quantile as 99%, not {text!r}")
    return number


TITLE = "top and bottom coding"


class TopBottomCoding:
    """Top and bottom coding of numeric and date quasi-identifiers (Hundepool et al. 2012, section 3.2.3).

    ``top: age=90`` publishes ages of 90 and above as ``>= 90``, or as 90. That is the rule of the HIPAA safe
    harbor for ages over 89 (45 CFR 164.514(b)(2)(i)(C)). A limit beyond which fewer than k persons lie would
    single them out, so it is moved inwards until there are k; and so is a limit from a quantile, to a round
    number, lest it be somebody's own value. Nothing is claimed: classes over several columns may be small.

    Literature: Hundepool, Domingo-Ferrer, Franconi, Giessing, Nordholt, Spicer & de Wolf 2012, Statistical
    disclosure control.
    """

    name: ClassVar[str] = "top_bottom_coding"
    title: ClassVar[str] = "top and bottom coding"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="top",
            type=str,
            default="",
            meaning="the limit of each column in its own unit, as age=90, income=99%, or a JSON object; "
            "a percentage is a quantile, the limit itself is coded too",
        ),
        Parameter(name="bottom", type=str, default="", meaning="the same for values below a limit"),
        Parameter(
            name="k",
            type=int,
            default=0,
            minimum=0,
            meaning="fewest persons beyond a limit, which is moved inwards until there are as many; 1 leaves "
            "it, 0 takes the policy's k_anonymity limit",
        ),
        Parameter(
            name="publish",
            type=str,
            default="label",
            choices=("label", "limit"),
            meaning="whether the label '>= 90' is published, or the limit 90 itself, which keeps a number",
        ),
    )

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:
        """Return the columns with their ends coded.

        Example:
            >>> TopBottomCoding().parameters[3].choices
            ('label', 'limit')
        """
        asked = {
            is_top: numbers_by_column(name, arguments[name])
            for name, is_top in (("top", True), ("bottom", False))
        }
        if not any(asked.values()):
            raise UserError("neither 'top' nor 'bottom' names a column; write column=number")
        for parameter, columns in (("top", asked[True]), ("bottom", asked[False])):
            check_columns(parameter, columns, task.quasi_identifiers)
        k = wanted(arguments, task).k
        entity = None if task.entity is None else records.codes((task.entity,))[:, 0]
        published, notes = {}, []
        names = list(dict.fromkeys((*asked[True], *asked[False])))
        for done, name in enumerate(names):
            task.progress.step(TITLE, done, len(names))
            values = records.column(name)
            if values.value_type is ValueType.EMPTY:
                continue  # there is nothing to code, whatever the column was meant to hold
            limits = [
                coding_limit(values, asked[is_top][name], k, entity, is_top=is_top)
                for is_top in (True, False)
                if name in asked[is_top]
            ]
            if len(limits) > 1 and limits[0].value <= limits[1].value:
                raise NotMeasurable(f"top and bottom of {name!r} overlap; set them further apart or lower k")
            notes += [_note(name, limit, k) for limit in limits if limit.is_moved]
            recoded = _coded(values, limits, is_label=arguments["publish"] == "label")
            if recoded is not None:
                published[name] = recoded
        task.progress.step(TITLE, len(names), len(names))
        kept = np.ones(records.records, dtype=np.bool_)
        return Anonymized(kept=kept, columns=published, notes=tuple(notes))


def _coded(values: ColumnValues, limits: list[CodingLimit], *, is_label: bool) -> Recoded | None:
    """Return the column with what lies beyond its limits coded; None where nothing does."""
    shown: list[Original | str | int | float | date] = [Original(code) for code in range(len(values.texts))]
    place = np.arange(len(values.texts))
    for limit in limits:
        beyond = np.zeros(0, dtype=np.bool_) if values.numbers is None else limit.beyond(values.numbers)
        if beyond.any():
            place[beyond] = len(shown)
            shown.append(limit.label if is_label else limit.shown)
    if len(shown) == len(values.texts):
        return None
    return Recoded(codes=place[values.codes], values=tuple(shown))


def _note(name: str, limit: CodingLimit, k: int) -> str:
    which = "top" if limit.is_top else "bottom"
    return f"the {which} of {name!r} was moved inwards, so that {k} persons lie beyond it"
