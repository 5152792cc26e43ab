"""Tests of content: what a recognizer asks of values without getting them."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from qidguard.core.annotation import field_misfits
from qidguard.core.column import ValueType


@dataclass(frozen=True, kw_only=True)
class ContentTest:
    """A test that the host makes of single values of a column; a recognizer learns shares only.

    Give ``words`` alone, or a ``pattern``, or ``holds``, or a pattern with ``holds``: then ``holds`` is asked
    of what the pattern matches, which is the quickest way to check digits. A value is given as text, white
    space around it stripped; a whole number is ``110`` and never ``110.0``, a date ``2024-03-01``, a moment
    ``2024-03-01 09:30:00``, a Boolean ``true`` or ``false``. NULL is never asked of.

    Args:
        name: A plain identifier that no other test has, such as ``iban``.
        title: What such values are, in the plural, in words of a privacy officer: ``IBANs``.
        pattern: A regular expression that the whole value must match, whatever its case.
        words: A vocabulary in case-folded texts; a value is in it when it is one of them, case-folded. The
            cheapest form: one look-up a value.
        holds: Whether a single value passes. It returns a Boolean and keeps nothing of the value.
        value_types: The types of columns that it is asked of. A column of texts that are all numbers is one
            of numbers, and leading zeros stand in its values.
        chance: The share of random values of the same shape and length that pass, 0..1: 0.1 for one check
            digit of ten.

    Raises:
        ValueError: When the forms do not go together, the pattern is none, or chance lies outside 0..1.
        TypeError: When a field has another type.

    Example:
        >>> def luhn(text: str) -> bool:
        ...     digits = [int(digit) for digit in reversed(text)]
        ...     doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
        ...     return (sum(digits[::2]) + sum(doubled)) % 10 == 0
        >>> card = ContentTest(
        ...     name="payment_card",
        ...     title="payment cards",
        ...     pattern="[3-6][0-9]{12,18}",
        ...     holds=luhn,
        ...     value_types=(ValueType.TEXT, ValueType.INTEGER),
        ...     chance=0.1,
        ... )
        >>> [card.passes(text) for text in ("4111111111111111", "4111111111111112", "ann")]
        [True, False, False]
        >>> sex = ContentTest(name="sex", title="words for a sex", words=frozenset({"f", "m", "x"}))
        >>> sex.passes("M")
        True
    """

    name: str
    title: str
    pattern: str | None = None
    words: frozenset[str] | None = None
    holds: Callable[[str], bool] | None = None
    value_types: tuple[ValueType, ...] = (ValueType.TEXT,)
    chance: float = 0.0

    def __post_init__(self) -> None:
        for name, words in field_misfits(self).items():
            raise TypeError(f"content test {self.name!r}: {name} must be {words}")
        if not (self.name.isidentifier() and self.name.isascii()):
            raise ValueError(f"a content test's name must be a plain identifier, not {self.name!r}")
        if not self.title.strip():
            raise ValueError(f"content test {self.name!r} must have a title")
        if not self.value_types:
            raise ValueError(f"content test {self.name!r} must be asked of some type of values")
        if not 0 <= self.chance <= 1:
            raise ValueError(f"content test {self.name!r}: chance must lie in 0..1, not {self.chance}")
        if (self.words is None) == (self.pattern is None and self.holds is None):
            raise ValueError(
                f"content test {self.name!r} must have either words, or a pattern or holds or both of them"
            )
        if self.words is not None and any(word != word.casefold() for word in self.words):
            raise ValueError(f"content test {self.name!r}: words must be case-folded, so write {{…}} small")
        if self.pattern is not None:
            try:
                re.compile(self.pattern, re.IGNORECASE)
            except re.error as error:
                raise ValueError(f"content test {self.name!r}: its pattern is none: {error}") from None

    def passes(self, text: str) -> bool:
        """Return whether one value passes, which the host finds out more quickly for many.

        Example:
            >>> even = ContentTest(name="even", title="even numbers", pattern="[0-9]*[02468]")
            >>> even.passes(" 12 "), even.passes("13")
            (True, False)
        """
        text = text.strip()
        if self.words is not None:
            return text.casefold() in self.words
        if self.pattern is not None and re.fullmatch(self.pattern, text, re.IGNORECASE) is None:
            return False
        return self.holds is None or self.holds(text)
