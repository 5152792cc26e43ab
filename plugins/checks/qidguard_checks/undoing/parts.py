"""What stands inside values: parts of dates, and fields, words, numbers and characters of texts."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from qidguard.sdk import ValueType
from qidguard_checks.undoing.reading import Part, Read, RecordReading, Scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pick = Callable[[str], str | None]
Picked = Iterator[tuple[str, Pick, Sequence[str | None]]]


def parts_of(scale: Scale) -> Iterator[RecordReading]:
    """Yield what can be read in a column beside its values, as these show."""
    if scale.column.days is not None:
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
        yield RecordReading(part, *_coded(scale, read))


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
    days = scale.column.days
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


def _picks(texts: Sequence[str]) -> Picked:
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


def _windows(texts: Sequence[str]) -> Picked:
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


def _numbers_in(texts: Sequence[str]) -> Picked:
    yield from _places("number", _NUMBER, texts)


def _places(words: str, form: "re.Pattern[str]", texts: Sequence[str]) -> Picked:
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
