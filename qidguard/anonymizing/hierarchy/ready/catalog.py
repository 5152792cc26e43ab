"""The ready hierarchies there are, by the names that a policy gives them."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from qidguard.anonymizing.hierarchy.ready.ages import age_system
from qidguard.anonymizing.hierarchy.ready.codes import CodeForm, coded_system, upper
from qidguard.anonymizing.hierarchy.ready.names import named_system
from qidguard.anonymizing.hierarchy.ready.system import ReadySystem
from qidguard.core.errors import DataError
from qidguard.policy.spelling import did_you_mean

_WHOLE = re.compile(r"\.0+$")
_DIGITS_OF_ZIP3, _DIGITS_OF_ZIP, _DIGITS_OF_ZIP4 = 3, 5, 9


def _icd9_codes(texts: Sequence[str]) -> list[str]:
    return [_padded(code) for code in upper(texts)]


def _padded(code: str) -> str:
    whole, point, rest = code.partition(".")
    return whole.zfill(3) + point + rest if whole.isdecimal() else code


def _zip_codes(texts: Sequence[str]) -> list[str]:
    codes = [_WHOLE.sub("", code).replace("-", "") for code in upper(texts)]
    # a column of nothing longer than three digits holds beginnings of ZIP codes
    digits = [len(code) for code in codes if code.isdecimal()]
    has_zip3 = max(digits, default=0) <= _DIGITS_OF_ZIP3
    return [_whole_zip(code, has_zip3=has_zip3) for code in codes]


def _whole_zip(code: str, *, has_zip3: bool) -> str:
    if not code.isdecimal() or code == "000":
        return code
    if has_zip3:
        return code.zfill(_DIGITS_OF_ZIP3)
    # six digits are neither: nine would have lost three zeros, and no ZIP code begins so
    return code.zfill(_DIGITS_OF_ZIP if len(code) <= _DIGITS_OF_ZIP + 1 else _DIGITS_OF_ZIP4)


def _whole_codes(texts: Sequence[str]) -> list[str]:
    return [_WHOLE.sub("", code) for code in upper(texts)]


_ISCED = re.compile(r"^(?:ISCED)?(?:-?2011|-?11)?-?(?:LEVEL|ED)?[:-]?")


def _isced_codes(texts: Sequence[str]) -> list[str]:
    return [_ISCED.sub("", code.replace("_", "-")) for code in _whole_codes(texts)]


def _nace_codes(texts: Sequence[str]) -> list[str]:
    return [_nace_digits(code) for code in upper(texts)]


def _nace_digits(code: str) -> str:
    code = code[1:] if code[:1].isalpha() and len(code) > 1 else code
    division, point, rest = code.partition(".")
    return (division.zfill(2) if point else division) + rest.replace(".", "").replace("-", "")


def _with_zero(*lengths: int) -> Callable[[str], tuple[str, ...]]:
    """Return what codes of so many digits mean that have lost a zero; others have lost none."""
    return lambda code: (f"0{code}",) if code.isdecimal() and len(code) in lengths else ()


def _isco_codes(code: str) -> tuple[str, ...]:
    # surveys write 2500 for the group 25
    return (*_with_zero(3)(code), code.rstrip("0") or "0")


_ICD10 = CodeForm(
    pattern=r"(?P<category>[A-Z][0-9][0-9A-Z])(?:\.?[0-9A-Z]{0,4}-?[+*!†#]?)",
    spelling="E11.9 or E119, in either case, with what national editions add: E11.-, E10.2+, N08.3*, U07.1!",
    open_levels=("category",),
)

_CODES = {
    "atc": CodeForm(
        pattern=r"(?P<anatomical_group>[A-Z])(?:(?P<therapeutic_group>[0-9]{2})(?:(?P<pharmacological_group>[A-Z])"
        r"(?:(?P<chemical_group>[A-Z])(?:[0-9]{2})?)?)?)?",
        spelling="A10BA02, or a beginning of it as long as a level; in either case, with or without blanks",
        open_levels=("chemical group", "pharmacological group"),
    ),
    "de_ags": CodeForm(
        pattern=r"(?P<state>[0-9]{2})(?:(?P<district>[0-9]{3})(?:[0-9]{3}|[0-9]{7})?)?",
        spelling="09162000 or the twelve digits of the regional key, or a beginning: 09162, 09; a zero that"
        " was lost is put back",
        cleaned=_whole_codes,
        meant=_with_zero(1, 4, 7, 11),
        open_levels=("district",),
    ),
    "icd9": CodeForm(
        pattern=r"(?P<category>[0-9]{3}|V[0-9]{2}|E[0-9]{3})\.?[0-9]{0,2}",
        spelling="250.01 or 25001, V and E codes in either case; without a point the first three digits are"
        " the category; fewer than three, or before a point, have lost zeros, so 5 is 005",
        cleaned=_icd9_codes,
        open_levels=("category",),
    ),
    "icd10": _ICD10,
    "icd10cm": _ICD10,
    "isced": CodeForm(
        pattern=r"(?P<level>[0-8])[0-9]{0,2}|[035]-[248]",
        spelling="5, 54, 540, ED5, ISCED 5; ED0-2, ED3_4 and ED5-8 are low, medium and high",
        cleaned=_isced_codes,
    ),
    "isco08": CodeForm(
        pattern=r"(?P<major_group>[0-9])(?:(?P<sub_major_group>[0-9])(?:(?P<minor_group>[0-9])[0-9]?)?)?",
        spelling="2511 or a beginning, 2500 for the group 25; a zero that was lost is put back, so 110"
        " is 0110",
        cleaned=_whole_codes,
        meant=_isco_codes,
    ),
    "nace": CodeForm(
        pattern=r"(?P<division>[0-9]{2})(?:(?P<group>[0-9])(?:(?P<class>[0-9])[0-9]{0,2})?)?|[A-U]",
        spelling="62.01, 6201, J62.01, or a beginning; national digits after the class are left out; a zero"
        " that was lost is put back, so 1.11 is 01.11",
        cleaned=_nace_codes,
        meant=_with_zero(1, 3),
    ),
    "nuts": CodeForm(
        pattern=r"(?P<country>[A-Z]{2})(?:(?P<NUTS_1>[0-9A-Z])(?:(?P<NUTS_2>[0-9A-Z])[0-9A-Z]?)?)?",
        spelling="DE212 or a beginning, in either case",
        open_levels=("NUTS 2", "NUTS 1"),
    ),
    "us_zip3": CodeForm(
        pattern=r"(?P<three_digits>(?P<first_digit>[0-9])[0-9]{2})"
        r"(?:(?P<five_digits>[0-9]{2})(?:[0-9]{4})?)?",
        spelling="five or nine digits, with or without a hyphen; numbers that lost zeros are filled up; in a"
        " column without more than three digits they are the first three",
        cleaned=_zip_codes,
        open_levels=("five digits", "three digits", "first digit"),
        widths={"first digit": 3},
    ),
}
_AGES = ("age_bands_eurostat", "age_bands_un", "age_bands_us_census", "age_bands_hipaa")

_NAMES = {
    "countries": (
        3,
        "alpha-2, alpha-3 or numeric code, English name; case, accents and articles do not count",
    ),
    "us_states": (2, "postal or FIPS code, US-CA, or name; case does not count"),
}

_MAKERS: Mapping[str, Callable[[], ReadySystem]] = {
    **{name: partial(coded_system, name, form) for name, form in _CODES.items()},
    **{
        name: partial(named_system, name, digits=digits, spelling=spelling)
        for name, (digits, spelling) in _NAMES.items()
    },
    **{name: partial(age_system, name) for name in _AGES},
}


def ready_names() -> tuple[str, ...]:
    """Return the names of the ready hierarchies, by the alphabet.

    Example:
        >>> "icd9" in ready_names()
        True
    """
    return tuple(sorted(_MAKERS))


@cache
def ready_system(name: str) -> ReadySystem:
    """Return a ready system by its name; its data are read when it is first asked for.

    Example:
        >>> ready_system("icd9").paths(["250.01"])[0][0]
        '250'
    """
    if name not in _MAKERS:
        remedy = did_you_mean(name, ready_names(), is_listed=False) or "see qidguard hierarchy ready"
        raise DataError(f"there is no ready hierarchy {name!r}; {remedy}")
    return _MAKERS[name]()
