"""A column: its public facts, its values, and other values in their place."""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from qidguard.core.content import MISSING_WORDS, ColumnShape, Look
from qidguard.core.hierarchy import SUPPRESSED
from qidguard.core.kind import ColumnKind
from qidguard.core.order import ValueOrder, order_by_type, order_of_texts, strays_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ValueType(StrEnum):
    """What the values of a column are, once read."""

    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    TEXT = "text"
    EMPTY = "empty"


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """What may be said about a column in public.

    Args:
        name: The column's own name.
        value_type: What its values are.
        records: Number of records of the table, ≥ 0.
        distinct: Number of distinct values, NULL not counted, ≥ 0.
        missing: Number of records with NULL, 0..records.
        not_a_number: Number of records with a floating-point NaN (a value of its own, apart from NULL).
        undeclared_missing: Number of records with a text such as ``?`` or ``NA``, which often stands for a
            missing value but was not declared, so it counts as a value.
        suppressed: Number of records with the declared suppression mark, 0..records.
        identifiers: The kinds of direct identifiers that enough of its values have the form of.
        looks: The tests of content that some of its values pass; a test that none passes is not listed.
        shape: The shape of its values; None where nobody looked at them or it has none.
        is_consecutive: Whether the values are whole numbers without a gap, as numbers of a list are.
        determines: The quasi-identifiers of which each of its values stands for one value, in every record;
            only what chance cannot explain is listed.
        twins: The columns whose values stand one to one for its own, in a sample of the records.
        keeps: The columns that stay the same in all records of nearly each of its values, as what is constant
            of a person does under a key of persons; only what chance cannot explain is listed.
        shares_values: The columns of text most of whose distinct values are among its own, or the other way.
        label: What a codebook calls the column, or nothing.
        has_value_labels: Whether a codebook says of single values what they stand for.
    """

    name: str
    value_type: ValueType
    records: int
    distinct: int
    missing: int
    not_a_number: int = 0
    undeclared_missing: int = 0
    suppressed: int = 0
    identifiers: tuple[Look, ...] = ()
    looks: tuple[Look, ...] = ()
    shape: ColumnShape | None = None
    is_consecutive: bool = False
    determines: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    shares_values: tuple[str, ...] = ()
    label: str = ""
    has_value_labels: bool = False

    @property
    def groups(self) -> int:
        """Number of classes the column makes alone: its distinct values, and NULL if it occurs."""
        return self.distinct + (1 if self.missing else 0)

    @property
    def risk(self) -> float:
        """Mean over records of 1/class size on this column alone: classes / records, a share 0..1.

        Records whose value is suppressed are left out, unless all are.
        """
        is_split = 0 < self.suppressed < self.records
        records = self.records - self.suppressed * is_split
        return min(1.0, (self.groups - is_split) / records) if records else 0.0

    @property
    def variety(self) -> float:
        """Share of the records with a value that would remain if equal values were one, 0..1."""
        present = self.records - self.missing
        return min(1.0, self.distinct / present) if present else 0.0

    @property
    def is_repeating_key(self) -> bool:
        """Whether it may be a key of persons who have several records: 50 at most, in the mean."""
        present = self.records - self.missing
        return 1 < self.distinct < present <= _MOST_RECORDS_A_PERSON * self.distinct

    def look(self, test: str) -> Look | None:
        """Return what a test of content found, by the test's name; None where no value passed it.

        Example:
            >>> found = (Look(kind="IBANs", share=1.0, test="iban"),)
            >>> facts = ColumnFacts(
            ...     name="x", value_type=ValueType.TEXT, records=8, distinct=5, missing=0, looks=found
            ... )
            >>> facts.look("iban").kind, facts.look("card")
            ('IBANs', None)
        """
        return next((look for look in self.looks if look.test == test), None)


_MOST_RECORDS_A_PERSON = 50


@dataclass(frozen=True, kw_only=True)
class ValueDraw:
    """Some distinct values of a column, as tests of content see them; none may reach a report.

    Texts that stand for a missing value, such as ``?``, are not among them.

    Args:
        texts: The values as text: those drawn by their hash, then more of the most frequent ones; none twice.
        records: How many records hold each of them, ≥ 1.
        drawn: How many of the first were drawn by their hash, 0..number of texts: a fair draw of all
            distinct values, or all of them.
    """

    texts: tuple[str, ...] = field(repr=False)
    records: tuple[int, ...] = field(repr=False)
    drawn: int


@dataclass(frozen=True)
class Original:
    """The source's own value of a code, in the source's own type.

    Args:
        code: The code in ``ColumnValues``, ≥ 0.
    """

    code: int


PublishedValue = Original | str | int | float | bool | date | None
"""A value that may be published; a moment is a ``datetime``, which is a ``date``."""

_MOST_EXACT = 1e15
"""Floating-point numbers below it print as whole numbers without losing a digit."""


def published_text(value: PublishedValue) -> str:
    """Return a published value, none of the source's own, as the text that stands for it.

    Example:
        >>> published_text(2.0), published_text(True), published_text(date(2026, 1, 31))
        ('2', 'true', '2026-01-31')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if abs(value) < _MOST_EXACT and value.is_integer() else repr(float(value))
    if isinstance(value, datetime):
        # as a source is read: a moment of a zone is the same instant in UTC
        moment = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return moment.isoformat(" ")
    return str(value)


_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - a table's moments carry no zone
_SECONDS = 86400


def published_number(number: float, value_type: ValueType) -> int | float | date | datetime:
    """Return what a column publishes for a number, such as the mean of some of its values.

    Args:
        number: A finite number as ``ColumnValues.numbers`` has them.
        value_type: What the column's values are.

    Returns:
        A whole number for integers and a date for dates, rounded half to even; a moment to the second; the
        number itself for other columns.

    Units:
        ``number`` is in the column's own unit, days since 1970 for dates and moments.

    Raises:
        OverflowError: When a date lies outside the years 1 to 9999, or the number is infinite.
        ValueError: When it is NaN and would be rounded.

    Example:
        >>> published_number(30.5, ValueType.INTEGER), published_number(20483.7, ValueType.DATE).isoformat()
        (30, '2026-01-31')
    """
    if value_type is ValueType.INTEGER:
        return round(number)
    if value_type is ValueType.DATE:
        return (_EPOCH + timedelta(days=round(number))).date()
    if value_type is ValueType.TIMESTAMP:
        return _EPOCH + timedelta(seconds=round(number * _SECONDS))
    return number


@dataclass(frozen=True, kw_only=True)
class ColumnValues:
    """One column of a table, dictionary-coded. It holds the table's values: none may reach a report.

    Args:
        name: The column's name.
        value_type: What its values are, once read; a column of texts that are all numbers is of numbers.
        codes: Shape (records,), the code of each record's value; NULL is 0. Values that a grouping takes as
            one have one code. Codes follow the order of numbers and dates where the column holds them, a
            declared one where there is one, and else that of the characters, which means nothing.
        texts: The value of each code as text, ``texts[0]`` is None; each occurs.
        numbers: Shape (codes,), the value of each code as a number (a Boolean 0 or 1, a date or moment in
            days since 1970), NaN for NULL and for the suppression mark; None for a column of text.
        kind: What its values are to a statistician, as the policy states or recognizers are sure of; None
            where nobody knows.
        declared: Its values in the order that somebody declares of them; empty where nobody does.
    """

    name: str
    value_type: ValueType
    codes: "NDArray[np.int32]" = field(repr=False)
    texts: tuple[str | None, ...] = field(repr=False)
    numbers: "NDArray[np.float64] | None" = field(default=None, repr=False)
    kind: ColumnKind | None = None
    declared: tuple[str, ...] = field(default=(), repr=False)

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.codes)

    @property
    def distinct(self) -> int:
        """Number of distinct values, NULL not counted."""
        return len(self.texts) - 1

    def at(self, places: "NDArray[np.int64]") -> "ColumnValues":
        """Return the column of some records, with the codes that occur there.

        Example:
            >>> import numpy as np
            >>> codes, texts = np.array([1, 2, 2], dtype=np.int32), (None, "f", "m")
            >>> column = ColumnValues(name="sex", value_type=ValueType.TEXT, codes=codes, texts=texts)
            >>> some = column.at(np.array([2, 1]))
            >>> some.codes.tolist(), some.texts
            ([1, 1], (None, 'm'))
        """
        import numpy as np

        some, place = np.unique(np.append(self.codes[places], 0), return_inverse=True)
        return replace(
            self,
            codes=place.reshape(-1)[:-1].astype(np.int32),
            texts=tuple(self.texts[code] for code in some.tolist()),
            numbers=None if self.numbers is None else self.numbers[some],
        )

    def codes_in(self, other: "ColumnValues") -> "NDArray[np.int64]":
        """Return shape (codes,), the code of the same value in another column, −1 where it has none.

        Example:
            >>> import numpy as np
            >>> codes = np.array([1, 2], dtype=np.int32)
            >>> one = ColumnValues(name="x", value_type=ValueType.TEXT, codes=codes, texts=(None, "f", "m"))
            >>> one.codes_in(replace(one, texts=(None, "m", "u"))).tolist()
            [0, -1, 1]
        """
        import numpy as np

        code_of = {text: code for code, text in enumerate(other.texts)}
        same = np.array([code_of.get(text, -1) for text in self.texts], dtype=np.int64)
        if self.has_scale and other.has_scale and self.numbers is not None and other.numbers is not None:
            order = np.argsort(other.numbers[1:], kind="stable") + 1
            ordered = other.numbers[order]
            if len(ordered):
                places = np.minimum(np.searchsorted(ordered, self.numbers), len(ordered) - 1)
                is_equal = (same < 0) & (ordered[places] == self.numbers)
                same[is_equal] = order[places[is_equal]]
        return same

    def missing_codes(self, suppression_mark: str | None = None) -> list[int]:
        """Return the codes of texts that stand for no value: ``?`` and the like, ``*`` and the mark.

        Example:
            >>> import numpy as np
            >>> codes, texts = np.array([1, 2], dtype=np.int32), (None, "N/A", "low")
            >>> ColumnValues(name="risk", value_type=ValueType.TEXT, codes=codes, texts=texts).missing_codes()
            [1]
        """
        marks = {SUPPRESSED, suppression_mark}
        return [
            code
            for code, text in enumerate(self.texts)
            if text is not None and (text in marks or text.strip().casefold() in MISSING_WORDS)
        ]

    @cached_property
    def days(self) -> "NDArray[np.float64] | None":
        """Shape (codes,), days since 1970, NaN for none; None for what holds no dates, written or typed."""
        import numpy as np

        from qidguard.core.dates.reading import read_dates

        if self.value_type in {ValueType.DATE, ValueType.TIMESTAMP}:
            return self.numbers
        if self.value_type not in {ValueType.TEXT, ValueType.INTEGER} or self.distinct < 2:  # noqa: PLR2004 - one value has no order
            return None
        texts = [str(text) for text in self.texts[1:]]
        reading = read_dates(texts)
        if reading.is_years or reading.read < _READ_AS_DATES * len(texts):
            return None
        return np.concatenate([[np.nan], reading.days])

    def order(self, suppression_mark: str | None = None) -> ValueOrder:
        """Return the order of its values, or why they have none; the mark and NULL need no place in it.

        Args:
            suppression_mark: The text that stands for a suppressed value; None where there is none.

        Example:
            >>> import numpy as np
            >>> codes, texts = np.array([1, 2], dtype=np.int32), (None, "low", "high")
            >>> column = ColumnValues(name="risk", value_type=ValueType.TEXT, codes=codes, texts=texts)
            >>> column.order().by, replace(column, declared=("low", "high")).order().by.value
            (None, 'declaration')
        """
        by = order_by_type(self.value_type)
        if by is not None:
            return ValueOrder(by=by)
        texts = [text for text in self.texts if text is not None and text != suppression_mark]
        return order_of_texts(self.name, len(texts), strays_of(texts, self.declared), self.declared)

    @property
    def has_scale(self) -> bool:
        """Whether its values are written as numbers, dates or moments, whatever they stand for."""
        return self.numbers is not None and self.value_type in _ORDERED

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic makes sense: numbers, dates and moments; no Booleans, no text, no codes.

        Numbers that stand for something else are categories: a mean or an interval of codes, postcodes or
        keys says nothing. What a column holds of which nobody knows the kind is taken as it is written.
        """
        return self.has_scale and self.kind not in _CATEGORIES


_READ_AS_DATES = 0.95
"""The share of the texts that must be dates."""

_ORDERED = {ValueType.INTEGER, ValueType.NUMBER, ValueType.DATE, ValueType.TIMESTAMP}
_CATEGORIES = {ColumnKind.NOMINAL, ColumnKind.CODE, ColumnKind.PLACE, ColumnKind.TEXT, ColumnKind.KEY}


@dataclass(frozen=True, kw_only=True)
class Recoded:
    """What an anonymizer publishes in place of one column.

    Args:
        codes: Shape (records,), for each record of the source, suppressed ones too, the position of its
            published value in ``values``.
        values: The published values. A column of ``Original`` values keeps its type, one of numbers or dates
            holds numbers or dates; once one of them is text, all are published as text. None is a cell
            without a value.
    """

    codes: "NDArray[np.integer]" = field(repr=False)
    values: tuple[PublishedValue, ...] = field(repr=False)

    def __post_init__(self) -> None:
        import numpy as np

        codes: object = self.codes  # a plugin may be written without a type checker
        if not isinstance(codes, np.ndarray) or codes.ndim != 1 or codes.dtype.kind not in "iu":
            raise ValueError("what is published in place of a column is coded by one whole number a record")
        if len(self.codes) and not (self.codes.min() >= 0 and self.codes.max() < len(self.values)):
            raise ValueError("a published code lies outside the published values")
        for value in self.values:
            if value is not None and not isinstance(value, (Original, str, int, float, date)):
                raise ValueError(f"a published value is text, a number or a date, no {type(value).__name__}")
