"""Kinds of direct identifiers that the form of texts gives away, whatever is installed. Only shares leave."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from qidguard.core.content import Look

_GAPS, _DOTS = re.compile(r"[ -]"), re.compile(r"[.-]")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_CARD = re.compile(r"(?:4|5[1-5]|2[2-7]|3[4-7]|6)[0-9]{11,18}")
_NIR = re.compile(r"[1-478][0-9]{4}(?:[0-9]{2}|2[AB])[0-9]{8}")
_NINE, _TEN, _ELEVEN = (re.compile(rf"[0-9]{{{digits}}}") for digits in (9, 10, 11))


def iban(text: str) -> bool:
    """Return whether a text is an IBAN: its check digits hold (ISO 13616, ISO 7064 MOD 97-10).

    Example:
        >>> iban("DE89 3704 0044 0532 0130 00"), iban("DE88 3704 0044 0532 0130 00")
        (True, False)
    """
    word = _GAPS.sub("", text).upper()
    if _IBAN.fullmatch(word) is None:
        return False
    return int("".join(str(int(c, 36)) for c in word[4:] + word[:4])) % 97 == 1


def payment_card(text: str) -> bool:
    """Return whether a text is the number of a payment card: 13 to 19 digits that begin as cards do (Luhn).

    Example:
        >>> payment_card("4111 1111 1111 1111"), payment_card("4111 1111 1111 1112")
        (True, False)
    """
    word = _GAPS.sub("", text)
    if _CARD.fullmatch(word) is None:
        return False
    doubled = (int(c) if at % 2 == 0 else sum(divmod(2 * int(c), 10)) for at, c in enumerate(reversed(word)))
    return sum(doubled) % 10 == 0


def nhs_number(text: str) -> bool:
    """Return whether a text is a number of the British NHS: 10 digits, the last one checks modulo 11.

    Example:
        >>> nhs_number("943 476 5919"), nhs_number("943 476 5918")
        (True, False)
    """
    word = _GAPS.sub("", text)
    if _TEN.fullmatch(word) is None or len(set(word)) == 1:
        return False
    weights = (*range(10, 1, -1), 1)
    return bool(sum(int(c) * weight for c, weight in zip(word, weights, strict=True)) % 11 == 0)


def bsn(text: str) -> bool:
    """Return whether a text is a Dutch BSN: 9 digits that pass the eleven test.

    Example:
        >>> bsn("111222333"), bsn("111222334")
        (True, False)
    """
    if _NINE.fullmatch(text) is None or len(set(text)) == 1:
        return False
    weights = (*range(9, 1, -1), -1)
    return bool(sum(int(c) * weight for c, weight in zip(text, weights, strict=True)) % 11 == 0)


def cpf(text: str) -> bool:
    """Return whether a text is a Brazilian CPF: 11 digits, the last two check modulo 11.

    Example:
        >>> cpf("529.982.247-25"), cpf("529.982.247-26")
        (True, False)
    """
    word = _DOTS.sub("", text)
    if _ELEVEN.fullmatch(word) is None or len(set(word)) == 1:
        return False
    for length in (9, 10):
        total = sum(int(c) * (length + 1 - at) for at, c in enumerate(word[:length]))
        if total * 10 % 11 % 10 != int(word[length]):
            return False
    return True


def nir(text: str) -> bool:
    """Return whether a text is a French NIR: 13 characters and the key that checks them modulo 97.

    Example:
        >>> nir("1 84 12 76 451 089 46"), nir("1 84 12 76 451 089 47")
        (True, False)
    """
    word = text.replace(" ", "").upper()
    if _NIR.fullmatch(word) is None:
        return False
    digits = word.replace("2A", "19").replace("2B", "18")
    return 97 - int(digits[:13]) % 97 == int(digits[13:])


def _form(pattern: str) -> Callable[[str], bool]:
    found = re.compile(pattern, re.IGNORECASE)
    return lambda text: found.fullmatch(text) is not None


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """A kind of identifier; from which share, and how many, of the distinct values a column holds it.

    What ``has_digits`` has at least eight of them.
    """

    name: str
    holds: Callable[[str], bool]
    least: float
    fewest: int = 1
    has_digits: bool = True


_RARE = 0.1
"""What nothing else looks like: a tenth of the values is no chance."""
_COMMON = 0.8
"""One number in ten or eleven passes such a check by chance."""
_FEW = 3
"""Of fewer values, all may pass by chance."""

_SHORTEST = 6
"""Characters that a text of any kind has at least: a@b.ch; an IBAN may be written with ligatures of three."""
_EIGHT_DIGITS = re.compile(r"(?:[^0-9]*[0-9]){8}")
"""What most kinds begin with, if it begins anywhere: other texts need not be held against their forms."""

KINDS = (
    _Kind(
        name="e-mail addresses",
        holds=_form(r"[^@\s<>,;]+@[^@\s<>,;]+\.[a-z]{2,}"),
        least=_RARE,
        has_digits=False,
    ),
    _Kind(name="IBANs", holds=iban, least=_RARE, has_digits=False),
    _Kind(
        name="US Social Security numbers",
        holds=_form(r"(?!000|666|9)[0-9]{3}-[0-9]{2}-[0-9]{4}"),
        least=_RARE,
    ),
    _Kind(name="payment cards", holds=payment_card, least=_COMMON, fewest=_FEW),
    _Kind(name="NHS numbers", holds=nhs_number, least=_COMMON, fewest=_FEW),
    _Kind(name="Dutch BSNs", holds=bsn, least=_COMMON, fewest=_FEW),
    _Kind(name="Brazilian CPFs", holds=cpf, least=0.5),
    _Kind(name="French NIRs", holds=nir, least=0.5),
    _Kind(
        name="phone numbers",
        holds=_form(r"(?:\+|00)[1-9][0-9 ()./-]{6,18}[0-9]|\(?0?[0-9]{2,5}\)?[ /-][0-9]{3,4}[ -][0-9]{3,5}"),
        least=0.5,
        has_digits=False,  # +1 (……) 2 has two
    ),
)
"""Every kind that is looked for; of several that fit, the first is named."""


def looks_of(texts: Iterable[str]) -> tuple[Look, ...]:
    """Return what enough of some distinct values look like; nothing of a value is kept.

    Example:
        >>> looks_of(["a@example.org", "b@example.org", "c"])[0].kind
        'e-mail addresses'
    """
    values = [text.strip() for text in texts]
    some = [value for value in values if len(value) >= _SHORTEST]
    digits = [value for value in some if _EIGHT_DIGITS.match(value)]
    found = []
    for kind in KINDS if some else ():
        held = sum(map(kind.holds, digits if kind.has_digits else some))
        share = held / len(values)
        if share >= kind.least and held >= kind.fewest:
            found.append(Look(kind=kind.name, share=share))
    return tuple(found)
