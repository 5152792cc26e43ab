"""Codes that classify persons: industries, occupations, regions, postcodes of five digits; and degrees.

Example:
    >>> for test in POSTCODES:
    ...     text = {"us": "02138 00012", "de": "01067 05123", "fr": "75011 99123", "es": "28013 61000"}
    ...     found = [test.passes(one) for one in text.get(test.name[-2:], "00184 77123").split()]
    ...     assert found == [True, False], test.name
"""

# ruff: noqa: E501, SIM905 - lists of codes are read in one piece

from collections.abc import Callable

from qidguard.sdk import ContentTest, ValueType

_TEXT_OR_WHOLE = (ValueType.TEXT, ValueType.INTEGER)

_NACE = {
    "A": (1, 3), "B": (5, 9), "C": (10, 33), "D": (35, 35), "E": (36, 39), "F": (41, 43), "G": (45, 47),
    "H": (49, 53), "I": (55, 56), "J": (58, 63), "K": (64, 66), "L": (68, 68), "M": (69, 75), "N": (77, 82),
    "O": (84, 84), "P": (85, 85), "Q": (86, 88), "R": (90, 93), "S": (94, 96), "T": (97, 98), "U": (99, 99),
}  # fmt: skip
"""Sections of NACE Rev. 2 → the first and last division of each."""

_ISCO = frozenset(
    "111 112 121 122 131 132 133 134 141 142 143 211 212 213 214 215 216 221 222 223 224 225 226 231 232 233 234 235 "
    "241 242 243 251 252 261 262 263 264 265 311 312 313 314 315 321 322 323 324 325 331 332 333 334 335 341 342 343 "
    "351 352 411 412 413 421 422 431 432 441 511 512 513 514 515 516 521 522 523 524 531 532 541 611 612 613 621 622 "
    "631 632 633 634 711 712 713 721 722 723 731 732 741 742 751 752 753 754 811 812 813 814 815 816 817 818 821 831 "
    "832 833 834 835 911 912 921 931 932 933 941 951 952 961 962".split()
)
"""Minor groups of ISCO-08, without the armed forces."""

_NUTS = "AT|BE|BG|CH|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IS|IT|LI|LT|LU|LV|ME|MK|MT|NL|NO|PL|PT|RO|RS|SE|SI|SK|TR|UK|AL"

_NO_US_PREFIX = frozenset(
    "000 001 002 003 004 213 269 343 345 348 353 419 428 429 517 518 519 529 533 536 552 568 578 579 589 621 632 642 "
    "643 659 663 682 694 695 696 697 698 699 702 709 715 732 742 771 817 818 819 839 848 849 854 858 861 862 866 867 "
    "868 869 876 886 887 888 892 896 899 909 929 987".split()
)
"""First three digits that no postcode of the US has."""
_NO_GERMAN_PREFIX = frozenset({"00", "05", "11", "43", "62"})
_LAST_SPANISH, _LAST_FRENCH = 52, 98
_NO_FRENCH = frozenset({0, 96})
_NO_ITALIAN = frozenset({"49", "69", "77", "78", "79"})


def is_nace(text: str) -> bool:
    """Return whether a letter and two digits are a section of NACE and a division of it.

    Example:
        >>> is_nace("C10.71"), is_nace("A58")
        (True, False)
    """
    first, last = _NACE[text[0].upper()]
    return first <= int(text[1:3]) <= last


def is_isco(text: str) -> bool:
    """Return whether four digits are of a minor group of ISCO-08.

    Example:
        >>> is_isco("2512"), is_isco("1999")
        (True, False)
    """
    return text[:3] in _ISCO


_POSTCODES: dict[str, tuple[str, float, Callable[[str], bool]]] = {
    "postcode_es": ("Spanish postcodes", 0.52, lambda text: 1 <= int(text[:2]) <= _LAST_SPANISH),
    "postcode_us": ("postcodes of the US", 0.932, lambda text: text[:3] not in _NO_US_PREFIX),
    "postcode_de": ("German postcodes", 0.95, lambda text: text[:2] not in _NO_GERMAN_PREFIX),
    "postcode_it": (
        "Italian postcodes",
        0.94,
        lambda text: text[:2] not in _NO_ITALIAN and int(text[:2]) <= _LAST_FRENCH,
    ),
    "postcode_fr": (
        "French postcodes",
        0.97,
        lambda text: int(text[:2]) <= _LAST_FRENCH and int(text[:2]) not in _NO_FRENCH,
    ),
}
"""Test → its title, the share of all numbers of five digits that begin as its country's do, and how they do."""

POSTCODES = tuple(
    ContentTest(
        name=name,
        title=title,
        pattern="[0-9]{5}",
        holds=holds,
        value_types=_TEXT_OR_WHOLE,
        chance=chance,
    )
    for name, (title, chance, holds) in _POSTCODES.items()
)
"""Postcodes of five digits."""

CODES = (
    *POSTCODES,
    ContentTest(
        name="leading_zero",
        title="numbers of five digits that begin with 0",
        pattern="0[0-9]{4}",
        value_types=_TEXT_OR_WHOLE,
        chance=0.1,
    ),
    ContentTest(
        name="nace",
        title="codes of industries (NACE)",
        pattern=r"[A-U][0-9]{2}(?:\.[0-9]{1,2})?",
        holds=is_nace,
        chance=0.034,
    ),
    ContentTest(
        name="isco",
        title="codes of occupations (ISCO)",
        pattern="[1-9][0-9]{3}",
        holds=is_isco,
        value_types=_TEXT_OR_WHOLE,
        chance=0.14,
    ),
    ContentTest(
        name="soc",
        title="codes of occupations (SOC)",
        pattern="(?:1[1359]|2[13579]|3[13579]|4[13579]|5[135])-[0-9]{4}",
        chance=0.22,
    ),
    ContentTest(
        name="nuts", title="codes of regions (NUTS)", pattern=rf"(?:{_NUTS})[0-9A-Z]{{1,3}}", chance=0.055
    ),
    ContentTest(
        name="latitude",
        title="degrees of inhabited latitudes",
        pattern=r"-?(?:1[0-9]|[2-6][0-9])\.[0-9]{2,}",
        value_types=(ValueType.NUMBER,),
        chance=0.5,
    ),
    ContentTest(
        name="longitude",
        title="degrees beyond 65 east or west",
        pattern=r"-?(?:6[5-9]|[7-9][0-9]|1[0-7][0-9])\.[0-9]{2,}",
        value_types=(ValueType.NUMBER,),
        chance=0.5,
    ),
)
"""Tests of codes, each with the share of random ones of its shape that pass."""
