"""What is searched: what is read in the published columns, and one quasi-identifier beside it."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.core.column import ValueType
from qidguard.core.versions import ORDER_OF_RECORDS
from qidguard.undoing.arithmetic import Promising, reckoned
from qidguard.undoing.reading import Part, Read, RecordReading, whole
from qidguard.undoing.scale import Scale
from qidguard.undoing.tables import SAMPLED, Tables
from qidguard.undoing.target import Target
from qidguard.undoing.undoing import NotMeasured

if TYPE_CHECKING:
    from numpy.typing import NDArray


OF_PARTS = 2_000
"""Records on which parts of values and numbers that are reckoned are tried."""

MOST_NUMBERS = 20
"""Columns of numbers that are reckoned together; others are said."""


@dataclass(frozen=True)
class Readings:
    """What is read in the published columns outside the QIDs, by the searches of all QIDs.

    Args:
        tables: The tables.
    """

    tables: Tables

    def over(self, part: Part, most: int) -> RecordReading:
        """Return what is read over the first records of the sample."""
        return part.read(lambda name: self.tables.some(name, most))

    @cached_property
    def whole(self) -> list[RecordReading]:
        """The columns as they are, and the order of the records where it is published."""
        readings = [self.over(whole(name), SAMPLED) for name in self.tables.outside]
        if self.tables.changes.is_order_published:
            part = Part(columns=(ORDER_OF_RECORDS,), read_from=lambda place: Read(place.codes))
            readings.append(self.over(part, SAMPLED))
        return readings

    @cached_property
    def numbers(self) -> list[str]:
        """The columns of numbers that are reckoned together, those of most values first."""
        scales = [self.tables.some(name, OF_PARTS) for name in self.tables.outside]
        numbers = [scale for scale in scales if scale.numbers is not None and scale.size > 2]  # noqa: PLR2004 - NULL and a constant
        return [scale.name for scale in sorted(numbers, key=lambda scale: -scale.size)]

    @cached_property
    def inside(self) -> Promising:
        """What stands inside values, each partition of a column once, and numbers that two columns give."""
        found: list[RecordReading] = []
        for name in self.tables.outside:
            seen = {self.over(whole(name), OF_PARTS).partition}
            for reading in parts_of(self.tables.some(name, OF_PARTS)):
                if reading.partition not in seen:
                    seen.add(reading.partition)
                    found.append(reading)
        chosen = sorted(self.numbers[:MOST_NUMBERS], key=self.tables.published.index)
        columns = [self.tables.some(name, OF_PARTS) for name in chosen]
        return Promising([*found, *(self.over(part, OF_PARTS) for part in reckoned(columns))], columns)


@dataclass(frozen=True)
class SearchedQid:
    """One quasi-identifier, over some records or all.

    Args:
        readings: What is read in the published columns.
        qid: The quasi-identifier.
    """

    readings: Readings
    qid: str
    _some: dict[int, Target] = field(default_factory=dict, repr=False)

    @property
    def tables(self) -> Tables:
        """The tables."""
        return self.readings.tables

    @cached_property
    def is_changed(self) -> bool:
        """Whether it was generalized."""
        return self.tables.is_generalized(self.qid)

    def some(self, most: int) -> Target:
        """Return it over the first records of the sample."""
        if most not in self._some:
            self._some[most] = self.tables.target(self.qid, most)
        return self._some[most]

    @cached_property
    def all(self) -> Target:
        """It over all persons."""
        return self.tables.target(self.qid)

    @cached_property
    def inside(self) -> list[RecordReading]:
        """Parts of values and reckoned numbers that may be known or tell."""
        return self.readings.inside.of(self.tables.some(self.qid, OF_PARTS, is_original=True))

    def left_out(self) -> Iterator[NotMeasured]:
        """Yield the columns of numbers that are not reckoned with others."""
        yield from not_tried(
            self, self.readings.numbers, MOST_NUMBERS, "as a number reckoned with another column"
        )

    def originals(self, most: int) -> "Callable[[str], Scale]":
        """Return how original columns over the first records of the sample are read."""
        return lambda qid: self.tables.some(qid, most, is_original=True)


def not_tried(searched: SearchedQid, names: Sequence[str], most: int, how: str) -> Iterator[NotMeasured]:
    """Yield which columns were not tried in pairs, where there are more than so many."""
    if names[most:]:
        left = tuple(name for name in searched.tables.published if name in names[most:])
        reason = f"{how} was not tried: only pairs of {most} columns are"
        yield NotMeasured(qid=searched.qid, reason=reason, columns=left)


Pick = Callable[[str], str | None]


def parts_of(scale: Scale) -> Iterator[RecordReading]:
    """Yield what can be read in a column beside its values, as these show."""
    if scale.days is not None:
        for words, label in _DATE_PARTS.items():
            part = Part(columns=(scale.name,), words=words, read_from=partial(_of_days, label))
            yield part.read(lambda _: scale)
    texts = [text or "" for text in scale.column.texts[1:]]
    kind = scale.column.value_type
    if len(texts) < _FEWEST or kind in {ValueType.DATE, ValueType.TIMESTAMP, ValueType.BOOLEAN}:
        return
    picks = {ValueType.NUMBER: _numbers_in, ValueType.INTEGER: _windows}.get(kind, _picks)
    for words, pick, read in picks(texts):
        part = Part(columns=(scale.name,), words=words, read_from=partial(_of_texts, pick))
        found = _coded(scale, read)
        yield RecordReading(part=part, codes=found.codes, texts=found.texts, numbers=found.numbers)


_FEWEST, _USUAL = 10, 0.03
"""Values that show the form of a column, and the share of them in which a part must stand."""
_MOST_PLACES, _MOST_WORDS, _LONGEST, _WIDEST = 12, 24, 24, 4
"""Places of words and numbers, words that are looked for, characters of a code, and of a window on it."""


def _of_texts(pick: Pick, scale: Scale) -> Read:
    return _coded(scale, [pick(text or "") for text in scale.column.texts[1:]])


def _coded(scale: Scale, read: Sequence[str | None]) -> Read:
    """Return what was read in each value of a column."""
    place_of: dict[str | None, int] = {None: 0}
    place = np.array([0, *(place_of.setdefault(text, len(place_of)) for text in read)])
    return Read(place[scale.codes], tuple(place_of))


def _of_days(label: "Callable[[NDArray[np.float64]], NDArray[Any]]", scale: Scale) -> Read:
    days = scale.days
    assert days is not None  # noqa: S101 - parts are looked for where there are some
    is_day = np.isfinite(days)
    some, codes = np.unique(label(days[is_day]), return_inverse=True)
    place = np.zeros(len(days), dtype=np.int64)
    place[is_day] = codes + 1
    numbers = np.append(np.nan, some.astype(np.float64)) if some.dtype.kind in "iu" else None
    return Read(place[scale.codes], (None, *map(str, some)), numbers)


def _day(days: "NDArray[np.float64]") -> "NDArray[np.datetime64]":
    return np.floor(days).astype("datetime64[D]")


_DATE_PARTS: "dict[str, Callable[[NDArray[np.float64]], NDArray[Any]]]" = {
    "year": lambda days: _day(days).astype("datetime64[Y]").astype(np.int64) + 1970,
    "month": lambda days: _day(days).astype("datetime64[M]").astype(np.int64) % 12 + 1,
    "day of the month": lambda d: (_day(d) - _day(d).astype("datetime64[M]")).astype(np.int64) + 1,
    "day of the week": lambda days: (_day(days).astype(np.int64) + 3) % 7,
    "date": _day,
    "year and month": lambda days: _day(days).astype("datetime64[M]"),
    "month and day": lambda days: np.array([str(day)[5:] for day in _day(days)]),
    "hour": lambda days: np.floor((days - np.floor(days)) * 24 + 1e-6).astype(np.int64),
}


def _picks(texts: Sequence[str]) -> Iterator[tuple[str, Pick, Sequence[str | None]]]:
    """Yield what may be picked out of texts, how, and what that is."""
    fields = [_fields(text) for text in texts]
    for name, count in Counter(name for some in fields for name in some).most_common(_MOST_WORDS):
        if count >= max(_FEWEST, _USUAL * len(texts)):
            yield f"field {name}", partial(_field, name=name), [some.get(name) for some in fields]
    yield from _places("item", _ITEM, texts)
    yield from _places("word", _WORD, texts)
    yield from _numbers_in(texts)
    said = [set(map(str.casefold, _WORD.findall(text))) for text in texts]
    occurs = Counter(word for words in said for word in words)
    if sum(" " in text for text in texts) >= len(texts) / 2 and len(occurs) < len(texts) * _MOST_PLACES:
        often = [w for w, n in occurs.most_common() if _USUAL <= n / len(texts) <= 1 - _USUAL]
        for word in often[:_MOST_WORDS]:
            yield "a word", partial(_has, word=word), [str(word in words) for words in said]
    yield from _windows(texts)


def _windows(texts: Sequence[str]) -> Iterator[tuple[str, Pick, Sequence[str | None]]]:
    """Yield the characters at the start and the end of texts, and anywhere in codes of one length."""
    longest = max(map(len, texts))
    ends = range(1, 2 * _WIDEST)
    windows = [*((0, wide) for wide in ends), *((-wide, wide) for wide in ends)]
    if longest <= _LONGEST and all(len(text) == longest for text in texts):
        windows += [(at, wide) for wide in range(1, _WIDEST + 1) for at in range(1, longest - wide)]
    for at, wide in windows:
        if wide < longest:
            where = f"text at {at + 1} to {at + wide}" if at >= 0 else f"text of the last {wide} characters"
            pick = partial(_cut, at=at, wide=wide)
            yield where, pick, [pick(text) for text in texts]


def _numbers_in(texts: Sequence[str]) -> Iterator[tuple[str, Pick, Sequence[str | None]]]:
    yield from _places("number", _NUMBER, texts)


def _places(
    words: str, form: "re.Pattern[str]", texts: Sequence[str]
) -> Iterator[tuple[str, Pick, Sequence[str | None]]]:
    """Yield what stands first, second and so on in texts, and what stands last."""
    found = [form.findall(text) for text in texts]
    most = max(map(len, found))
    if most < 2 and all(some == [text] for some, text in zip(found, texts, strict=True)):  # noqa: PLR2004 - there are no parts
        return
    for at in (*range(min(_MOST_PLACES, most)), -1, -2):
        read = [some[at] if -len(some) <= at < len(some) else None for some in found]
        if sum(one is not None for one in read) >= max(_FEWEST, _USUAL * len(texts)):
            where = f"{words} {at + 1}" if at >= 0 else f"{words} {-at} from the end"
            yield where, partial(_at, form=form, at=at), read


_ITEM = re.compile(r"[^;,|\t/]+")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+")
_SAID = re.compile(r"(?<![^\W_])([^\W\d_][^\W_]{0,30}) ?[=:] ?([^;,|&\s]+)")


def _fields(text: str) -> dict[str, str]:
    """Return the scalar fields of a JSON text by their paths, or what is written as name=value."""
    if text[:1] in "{[":
        try:
            return dict(_flat(json.loads(text), ""))
        except (ValueError, RecursionError):
            return {}
    return dict(_SAID.findall(text)) if "=" in text or ":" in text else {}


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    items = value.items() if isinstance(value, dict) else enumerate(value[:_MOST_PLACES])
    for name, inner in items:
        own = f"{path}.{name}" if path else str(name)
        if isinstance(inner, (dict, list)):
            yield from _flat(inner, own)
        elif inner is not None:
            yield own, json.dumps(inner) if isinstance(inner, bool) else str(inner)


def _field(text: str, *, name: str) -> str | None:
    return _fields(text).get(name)


def _at(text: str, *, form: "re.Pattern[str]", at: int) -> str | None:
    found: list[str] = form.findall(text)
    return found[at] if -len(found) <= at < len(found) else None


def _has(text: str, *, word: str) -> str:
    return str(word in map(str.casefold, _WORD.findall(text)))


def _cut(text: str, *, at: int, wide: int) -> str | None:
    return None if len(text) < wide else text[at : at + wide] if at >= 0 else text[at:]
