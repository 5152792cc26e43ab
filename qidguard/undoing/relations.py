"""What one column tells by arithmetic: the same values, a line through them, parts of texts and dates."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from qidguard.undoing.scale import Scale, plain
from qidguard.undoing.target import Target
from qidguard.undoing.told import Told, told_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

TRIED = 200
"""Records on which a relation is looked for."""

HOLDS = 0.9
"""The share of them for which it must hold to be looked at in all records."""

LONGEST_PART = 8
"""Characters of the parts of a text that are tried."""

Reading = Callable[[str], str | None]

_APART = re.compile(r"[^0-9A-Za-z]+")
_TOLERANCE = 1e-9


def told_by_relation(target: Target, qid: Scale, column: Scale, tried: "NDArray[np.int64]") -> Told | None:
    """Return what a column tells of a quasi-identifier by arithmetic; None is nothing.

    Args:
        target: The quasi-identifier over the published records.
        qid: Its original column.
        column: The published column.
        tried: Some open records.
    """
    asked, given = target.values[tried], column.codes[tried]
    open_ones = np.flatnonzero(target.is_open)
    codes = column.codes[open_ones]
    best: Told | None = None
    for guesses in chain(_lines(qid, column, asked, given), _parts(qid, column, asked, given)):
        told = told_of(target, open_ones, guesses[codes], "relation")
        if told and (best is None or told.right > best.right):
            best = told
        if best and best.precision == 1.0:
            break
    return best


def code_of_numbers(qid: Scale, numbers: "NDArray[np.float64]") -> "NDArray[np.int64]":
    """Return the QID's code of each number, −1 where it has no such value; whole QIDs are met by rounding."""
    ordered, order = qid.ordered
    if not len(ordered):
        return np.full(len(numbers), -1, dtype=np.int64)
    right = np.clip(np.searchsorted(ordered, numbers), 1, max(1, len(ordered) - 1))
    right = np.minimum(right, len(ordered) - 1)
    left = np.maximum(right - 1, 0)
    with np.errstate(invalid="ignore"):
        near = np.where(np.abs(ordered[left] - numbers) <= np.abs(ordered[right] - numbers), left, right)
        limit = tolerance(ordered)
        return np.where(np.abs(ordered[near] - numbers) <= limit, order[near], -1)


def tolerance(values: "NDArray[np.float64]") -> float:
    """Return how far a reckoned value may lie from the QID's: half of one where all are whole."""
    if bool(np.all(values == np.rint(values))):
        return 0.5
    return float(np.abs(values).max()) * _TOLERANCE


def _lines(
    qid: Scale, column: Scale, asked: "NDArray[np.int64]", given: "NDArray[np.int32]"
) -> Iterator["NDArray[np.int64]"]:
    """Yield the guess of each of the column's codes by a line aX + b, X itself among them."""
    if qid.numbers is None or column.numbers is None:
        return
    x, y = column.numbers[given], qid.numbers[asked]
    is_number = ~(np.isnan(x) | np.isnan(y))
    x, y, asked = x[is_number], y[is_number], asked[is_number]
    for slope, shift in _fits(x, y):
        if (code_of_numbers(qid, slope * x + shift) == asked).sum() >= HOLDS * len(given):
            yield code_of_numbers(qid, slope * column.numbers + shift)


def _fits(x: "NDArray[np.float64]", y: "NDArray[np.float64]") -> Iterator[tuple[float, float]]:
    yield 1.0, 0.0
    if len(x) < 3 or x.min() == x.max():  # noqa: PLR2004 - a line through two points always holds
        return
    yield 1.0, float(np.median(y - x))
    order = np.argsort(x, kind="stable")
    half = len(x) // 2
    low, high = order[:half], order[-half:]
    run = x[high] - x[low]
    rises = (y[high] - y[low])[run > 0] / run[run > 0]
    if len(rises):
        slope = float(np.median(rises))
        rest = y - slope * x
        shift = float(np.median(rest))
        # the middle slope of noisy points lies near the line; least squares over those near it gives the line
        near = np.abs(rest - shift) <= np.quantile(np.abs(rest - shift), HOLDS)
        if x[near].min() < x[near].max():
            slope, shift = (float(number) for number in np.polyfit(x[near], y[near], 1))
        yield slope, shift


def _parts(
    qid: Scale, column: Scale, asked: "NDArray[np.int64]", given: "NDArray[np.int32]"
) -> Iterator["NDArray[np.int64]"]:
    """Yield the guess of each of the column's codes by a part of its text or date."""
    own = qid.plain_texts
    wanted = [own[code] for code in asked.tolist()]
    codes = given.tolist()
    texts = column.column.texts
    for reading in _readings(texts):
        if _holds(reading, texts, codes, wanted):
            place = {text: code for code, text in enumerate(own) if text is not None}
            parts = [None if text is None else reading(text) for text in texts]
            yield np.array([-1 if part is None else place.get(plain(part), -1) for part in parts])
    days = column.days
    if days is None:
        return
    for labels in _LABELS:
        read = [plain(label) for label in labels(days[given])]
        if _agree(read, wanted):
            place = {text: code for code, text in enumerate(own) if text is not None}
            guesses = np.array([place.get(plain(label), -1) for label in labels(days)])
            yield np.where(np.isfinite(days), guesses, -1)


def _holds(reading: Reading, texts: Sequence[str | None], codes: list[int], wanted: list[str | None]) -> bool:
    few = max(1, len(codes) // 10)
    for many in (few, len(codes)):
        read = []
        for code in codes[:many]:
            text = texts[code]
            part = None if text is None else reading(text)
            read.append(None if part is None else plain(part))
        if not _agree(read, wanted[:many]):
            return False
    return True


def _agree(read: Sequence[str | None], wanted: Sequence[str | None]) -> bool:
    same = sum(a == b and a is not None for a, b in zip(read, wanted, strict=True))
    return same >= HOLDS * len(wanted)


def _readings(texts: Sequence[str | None]) -> Iterable[Reading]:
    yield lambda text: text
    longest = min(LONGEST_PART, max((len(text) for text in texts[1:TRIED] if text), default=0))
    for length in range(1, longest + 1):
        yield lambda text, length=length: text[:length]  # type: ignore[misc]
        yield lambda text, length=length: text[-length:]  # type: ignore[misc]
    if any(text is not None and _APART.search(text) for text in texts[1:TRIED]):
        for at in (0, 1, 2, -1, -2):
            yield lambda text, at=at: _word(text, at)  # type: ignore[misc]


def _word(text: str, at: int) -> str | None:
    words = [word for word in _APART.split(text) if word]
    return words[at] if -len(words) <= at < len(words) else None


def _day(days: "NDArray[np.float64]") -> "NDArray[np.datetime64]":
    return np.floor(np.nan_to_num(days, nan=0.0, posinf=0.0, neginf=0.0)).astype("datetime64[D]")


def _year(days: "NDArray[np.float64]") -> list[int]:
    return [int(year) + 1970 for year in _day(days).astype("datetime64[Y]").astype(np.int64)]


def _month(days: "NDArray[np.float64]") -> list[int]:
    return [int(month) % 12 + 1 for month in _day(days).astype("datetime64[M]").astype(np.int64)]


def _of_month(days: "NDArray[np.float64]") -> list[int]:
    whole = _day(days)
    return [int(day) + 1 for day in (whole - whole.astype("datetime64[M]")).astype(np.int64)]


def _weekday(days: "NDArray[np.float64]") -> list[int]:
    return [(int(day) + 3) % 7 for day in _day(days).astype(np.int64)]


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

_LABELS: tuple[Callable[["NDArray[np.float64]"], list[str]], ...] = (
    lambda days: [str(year) for year in _year(days)],
    lambda days: [str(month) for month in _month(days)],
    lambda days: [str(day) for day in _of_month(days)],
    lambda days: [str(day) for day in _day(days)],
    lambda days: [str(day)[:7] for day in _day(days)],
    lambda days: [str(day)[5:] for day in _day(days)],
    lambda days: [f"{10 * (year // 10)}s" for year in _year(days)],
    lambda days: [str((month - 1) // 3 + 1) for month in _month(days)],
    lambda days: [f"{y}-Q{(m - 1) // 3 + 1}" for y, m in zip(_year(days), _month(days), strict=True)],
    lambda days: [str(number) for number in _weekday(days)],
    lambda days: [str(number + 1) for number in _weekday(days)],
    lambda days: [_WEEKDAYS[number] for number in _weekday(days)],
    lambda days: [_WEEKDAYS[number][:3] for number in _weekday(days)],
    lambda days: [_MONTHS[number - 1] for number in _month(days)],
    lambda days: [_MONTHS[number - 1][:3] for number in _month(days)],
)
"""How the units of the calendar are usually written."""
