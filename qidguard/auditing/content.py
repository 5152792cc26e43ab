"""Make the tests of recognizers on the values of a table; only shares and coarse shapes come out."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property
from io import TextIOBase
from statistics import median_low
from typing import TYPE_CHECKING, Any

from qidguard.auditing.relations import relations
from qidguard.core.column import ColumnFacts, ValueDraw, ValueType
from qidguard.core.content import ColumnShape, Look
from qidguard.core.content_tests import ContentTest
from qidguard.core.errors import PluginError
from qidguard.core.guard import PluginCode, show
from qidguard.core.value_parts import SMALL_CLASS
from qidguard.core.verdict import Block

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.host import Host


PROBED = 50
"""Values of each kind, drawn by their hash and most frequent, that every test is made of."""

LEAST_PASSING = 0.5
"""A test is made of more values only where at least this share of the probed ones passes."""


@dataclass(frozen=True, kw_only=True)
class Tested:
    """What is known of the columns once their values were tested.

    Args:
        columns: The facts, with looks and shapes.
        draws: Column → the values that were looked at; none may reach a report.
        blocks: The faults of tests; a recognizer with a fault has no looks at all.
    """

    columns: tuple[ColumnFacts, ...]
    draws: dict[str, ValueDraw]
    blocks: tuple[Block, ...] = ()

    @cached_property
    def rare(self) -> frozenset[str]:
        """The values of small classes, case-folded, that are no name of a column and no title of a test."""
        known = {facts.name.casefold() for facts in self.columns}
        known |= {look.kind.casefold() for facts in self.columns for look in facts.looks}
        texts = (
            text.strip().casefold()
            for draw in self.draws.values()
            for text, records in zip(draw.texts, draw.records, strict=True)
            if records < SMALL_CLASS
        )
        return frozenset(texts) - known


def tested_columns(table: "Table", host: "Host") -> Tested:
    """Make the tests of every recognizer on every column.

    Of a table whose engine hands out no values the facts come back as they are.
    """
    if not callable(getattr(table, "value_draw", None)):
        return Tested(columns=tuple(table.columns), draws={})
    owners, blocks = _gathered(host)
    draws = {facts.name: table.value_draw(facts.name) for facts in table.columns}  # type: ignore[attr-defined]
    looks: dict[str, dict[str, list[Look]]] = {}
    columns = {facts.name: _Column.of(facts, draws[facts.name]) for facts in table.columns}
    for owner, tests in owners.items():
        try:
            looks[owner] = {name: _looks(owner, tests, column) for name, column in columns.items()}
        except PluginError as error:
            blocks.append(Block(rule="plugins", sentence=f"{error}.", is_internal=True))
    beside = relations(table, draws)
    found = tuple(
        replace(
            beside(facts),
            looks=tuple(look for of_owner in looks.values() for look in of_owner[facts.name]),
            shape=shape_of(draws[facts.name], facts.value_type),
        )
        for facts in table.columns
    )
    return Tested(columns=found, draws=draws, blocks=tuple(blocks))


def _gathered(host: "Host") -> tuple[dict[str, tuple["_Test", ...]], list[Block]]:
    """Return whose → tests, before any value is seen; a name that two recognizers use is a fault."""
    owners: dict[str, tuple[_Test, ...]] = {}
    blocks = []
    names: dict[str, str] = {}
    for recognizer in host.recognizers.values():
        owner = f"{host.owner('recognizers', recognizer.name)}: recognizer {recognizer.name!r}"
        try:
            given = _tests_of(recognizer, owner, names)
        except PluginError as error:
            blocks.append(Block(rule="plugins", sentence=f"{error}.", is_internal=True))
            continue
        names |= dict.fromkeys((test.name for test in given), owner)
        if given:
            owners[owner] = tuple(map(_Test, given))
    return owners, blocks


def _tests_of(recognizer: Any, owner: str, names: dict[str, str]) -> tuple[ContentTest, ...]:
    with PluginCode(owner, "", passes=()):
        given: object = anonymous(lambda: getattr(recognizer, "tests", ()))
    if not isinstance(given, tuple) or not all(isinstance(one, ContentTest) for one in given):
        raise PluginError(f"{owner} has tests that are no tuple of ContentTest; mend the plugin")
    own = [test.name for test in given]
    for name in own:
        if name in names or own.count(name) > 1:
            whose = names.get(name, owner)
            raise PluginError(f"{owner} has the content test {name!r}, which {whose} has too; rename one")
    return given


class _Test:
    """A test, ready to be made of many values."""

    def __init__(self, test: ContentTest) -> None:
        self.test = test
        matches = None if test.pattern is None else re.compile(test.pattern, re.IGNORECASE).fullmatch
        self._matches: Callable[[str], Any] | None = matches
        self._holds = test.holds

    def is_asked_of(self, column: "_Column") -> bool:
        return bool(column.types.intersection(self.test.value_types))

    def passing(self, column: "_Column", positions: Iterable[int]) -> list[int]:
        """Return at which positions values pass; TypeError where an answer is no Boolean."""
        if self.test.words is not None:
            words = self.test.words
            return [at for at in positions if column.folded[at] in words]
        texts, matches, holds = column.texts, self._matches, self._holds
        found = [at for at in positions if matches is None or matches(texts[at]) is not None]
        if holds is None:
            return found
        passing = []
        for at in found:
            answer: object = holds(texts[at])
            if answer is True:
                passing.append(at)
            elif answer is not False:
                raise TypeError
        return passing


@dataclass(frozen=True, kw_only=True)
class _Column:
    """The values of one column as tests take them."""

    types: frozenset[ValueType]
    texts: list[str]
    folded: list[str]
    records: tuple[int, ...]
    drawn: int
    probe: list[int]
    others: list[int]

    @classmethod
    def of(cls, facts: ColumnFacts, draw: ValueDraw) -> "_Column":
        texts = [text.strip() for text in draw.texts]
        types = {facts.value_type}
        if facts.value_type is ValueType.NUMBER and is_whole(texts):
            # a source without missing whole numbers holds them as fractions, such as 110.0
            texts = [text.partition(".")[0] for text in texts]
            types.add(ValueType.INTEGER)
        frequent = sorted(range(len(texts)), key=lambda at: -draw.records[at])[:PROBED]
        probe = list(dict.fromkeys((*range(min(PROBED, draw.drawn)), *frequent)))
        others = sorted(set(range(len(texts))) - set(probe))
        return cls(
            types=frozenset(types),
            texts=texts,
            folded=[text.casefold() for text in texts],
            records=draw.records,
            drawn=draw.drawn,
            probe=probe,
            others=others,
        )


def _looks(owner: str, tests: Sequence[_Test], column: _Column) -> list[Look]:
    """Return what the tests of one recognizer find in one column; PluginError where one fails."""
    asked = [test for test in tests if test.is_asked_of(column)] if column.texts else []
    found: list[Look] = []
    now = ""

    def make_all() -> None:
        nonlocal now
        for test in asked:
            now, looked_at = test.test.name, column.probe
            passing = test.passing(column, looked_at)
            if column.others and len(passing) >= LEAST_PASSING * len(looked_at):
                passing += test.passing(column, column.others)
                looked_at = [*looked_at, *column.others]
            if passing:
                found.append(_look(test.test, column, passing, looked_at))

    with PluginCode(owner, "", passes=()):
        anonymous(make_all, what=lambda: now)
    return found


def _look(test: ContentTest, column: _Column, passing: Sequence[int], looked_at: Sequence[int]) -> Look:
    # the most frequent values are no fair draw of distinct ones, so they count for records only
    fair = sum(at < column.drawn for at in looked_at)
    held = sum(at < column.drawn for at in passing)
    total = sum(column.records[at] for at in looked_at)
    return Look(
        kind=test.title,
        test=test.name,
        share=held / fair if fair else 0.0,
        share_of_records=sum(column.records[at] for at in passing) / total,
        looked_at=len(looked_at),
        chance=test.chance,
    )


def anonymous(call: Callable[..., Any], *arguments: Any, what: Callable[[], str] = str) -> Any:
    """Return what code that may know values returns; what it prints is not seen.

    What it raises is said by Python's own kinds of errors only: a message, and even the name of a class of
    errors, may carry a value.
    """
    try:
        with redirect_stdout(_Nowhere()), redirect_stderr(_Nowhere()):
            return call(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, its words stay behind
        show(what(), error)
        kind = next((of.__name__ for of in type(error).__mro__ if of.__module__ == "builtins"), "an error")
        test = f"content test {what()!r} " if what() else ""
        raise PluginError.of_somebody(f"{test}failed with {kind}; mend the plugin") from None


class _Nowhere(TextIOBase):
    """Where code that sees values may print."""

    def write(self, text: str, /) -> int:
        return len(text)


FEWEST_NUMBERS = 20
"""Of fewer distinct numbers no bounds are given."""

_SAME = 0.95
_TAIL = 0.05
_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}


def shape_of(draw: ValueDraw, value_type: ValueType) -> ColumnShape | None:
    """Return the shape of what was drawn fairly; None where nothing was.

    Example:
        >>> draw = ValueDraw(texts=("ab1", "c d"), records=(1, 1), drawn=2)
        >>> found = shape_of(draw, ValueType.TEXT)
        >>> found.typical, found.is_same_length, found.digits, found.words
        (2, True, 0.15, 1.5)
    """
    texts = [text.strip() for text in draw.texts[: draw.drawn]]
    if not texts:
        return None
    whole = value_type in _NUMBERS and is_whole(texts)
    if whole:
        texts = [text.partition(".")[0] for text in texts]
    lengths = sorted(map(len, texts))
    typical = median_low(lengths)
    every = "".join(texts)
    characters = max(1, len(every))
    low, high = _bounds(texts) if value_type in _NUMBERS else (None, None)
    return ColumnShape(
        looked_at=len(texts),
        shortest=_band(lengths[0]),
        typical=_band(typical),
        longest=_band(lengths[-1]),
        is_same_length=lengths.count(typical) >= _SAME * len(lengths),
        digits=_step(sum(map(str.isdigit, every)) / characters, 20),
        letters=_step(sum(map(str.isalpha, every)) / characters, 20),
        blanks=_step(sum(map(str.isspace, every)) / characters, 20),
        words=_step(sum(len(text.split()) for text in texts) / len(texts), 2),
        is_whole=whole,
        low=low,
        high=high,
    )


def is_whole(texts: Iterable[str]) -> bool:
    """Whether every text is a whole number, 110.0 too.

    Example:
        >>> is_whole(["-3", "110.0"]), is_whole(["1.5"]), is_whole([])
        (True, False, False)
    """
    seen = False
    for text in texts:
        seen = True
        number, _, rest = text.partition(".")
        if rest.strip("0") or not (number.isascii() and number.lstrip("+-").isdigit()):
            return False
    return seen


def _band(length: int) -> int:
    return 0 if length <= 0 else 1 << (length.bit_length() - 1)


def _step(figure: float, steps: int) -> float:
    return round(round(figure * steps) / steps, 2)


def _bounds(texts: Iterable[str]) -> tuple[float | None, float | None]:
    """Return marks of a scale between which nine in ten of the numbers lie."""
    numbers = sorted(filter(math.isfinite, map(_number, texts)))
    if len(numbers) < FEWEST_NUMBERS:
        return None, None
    tail = int(_TAIL * len(numbers))
    return _mark_below(numbers[tail]), -_mark_below(-numbers[-1 - tail])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _mark_below(number: float) -> float:
    """Return the largest of 0 and ±1, ±2, ±5 times a power of ten that is not above a number."""
    if number == 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(abs(number)))
    marks = (1.0, 2.0, 5.0, 10.0)
    if number > 0:
        return max((m * power for m in marks if m * power <= number), default=power)
    return -min((m * power for m in marks if m * power >= -number), default=10 * power)
