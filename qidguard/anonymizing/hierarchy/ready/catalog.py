"""The ready hierarchies there are, by the names that a policy gives them."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from qidguard.anonymizing.hierarchy.ready.data import Path, Ranges, ReadySystem, code_ranges, read_sheet
from qidguard.core.errors import DataError
from qidguard.core.naming import did_you_mean

_WHOLE = re.compile(r"([0-9]+)(?:\.0+)?")
_NO_LETTER = re.compile(r"[\W_]+")


def folded(text: str) -> str:
    """Return a name without case, accents, punctuation and articles.

    Example:
        >>> folded(" Côte d'Ivoire"), folded("Bahamas (the)"), folded("UNITED-STATES")
        ('cote d ivoire', 'bahamas', 'united states')
    """
    plain = unicodedata.normalize("NFKD", text.casefold().replace("&", " and "))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    words = _NO_LETTER.sub(" ", plain).split()
    return " ".join(word for word in words if word != "the")


def named_system(name: str, *, spelling: str, digits: int) -> ReadySystem:
    """Return a system by its data file: each row one path, then all that stands for its first label.

    Numbers are filled up with zeros to ``digits``.
    """
    sheet = read_sheet(name)
    depth = len(sheet.levels)
    path_of: dict[str, Path] = {}
    for row in sheet.rows:
        path = row[:depth]
        for written in (path[0], *row[depth].split("|")):
            path_of[folded(written)] = path

    def found(text: str) -> Path | None:
        whole = _WHOLE.fullmatch(text.strip())
        return path_of.get(whole[1].zfill(digits) if whole else folded(text))

    def paths(texts: Sequence[str]) -> list[Path | None]:
        return [found(text) for text in texts]

    members = tuple(row[0] for row in sheet.rows)
    return ReadySystem(**vars(sheet), name=name, spelling=spelling, paths=paths, members=members)


_NO_WORD = re.compile(r"\W")
_BLANKS = re.compile(r"\s+")


def upper(texts: Sequence[str]) -> list[str]:
    """Return codes in capitals and without blanks."""
    return [_BLANKS.sub("", text).upper() for text in texts]


@dataclass(frozen=True, kw_only=True)
class CodeForm:
    """How the codes of a system are written, and which part of a code is its group.

    Args:
        pattern: What a cleaned code must look like. A named group ends where the code of the level of that
            name does; one that a code lacks is a level that the code stands above.
        spelling: How a value may be written, for people.
        cleaned: All values of a column → the codes that they mean.
        meant: What a code may mean that is no member as it stands, the likeliest first.
        open_levels: Levels whose groups need not be in the data: the beginning of the code is their label.
        widths: Level → characters that the labels of an open level are filled up to with ``*``.
    """

    pattern: str
    spelling: str
    cleaned: Callable[[Sequence[str]], Sequence[str]] = upper
    meant: Callable[[str], Sequence[str]] = lambda _: ()
    open_levels: tuple[str, ...] = ()
    widths: Mapping[str, int] = field(default_factory=dict)


def coded_system(name: str, form: CodeForm) -> ReadySystem:
    """Return a system of codes by its data file and the form of its codes."""
    sheet = read_sheet(name)
    pattern = re.compile(form.pattern)
    ranges = {level: code_ranges(list(sheet.groups(level))) for level in sheet.levels}
    coarsest_first = sheet.levels[::-1]

    def path(code: str) -> Path | None:
        match = pattern.fullmatch(code)
        if match is None:
            return None
        parts = match.groupdict()
        labels: list[str] = []
        for level in coarsest_first:
            group = _NO_WORD.sub("_", level)
            if group in parts and parts[group] is None and labels:
                labels.append(labels[-1])
                continue
            part = code[: match.end(group)] if parts.get(group) is not None else code
            label = _label(level, code, part, ranges[level], form)
            if label is None:
                return None
            labels.append(label)
        return tuple(labels[::-1])

    def paths(texts: Sequence[str]) -> list[Path | None]:
        found: dict[str, Path | None] = {}
        codes = form.cleaned(texts)
        for code in codes:
            if code not in found:
                candidates = (path(one) for one in (code, *form.meant(code)))
                found[code] = next((one for one in candidates if one is not None), None)
        return [found[code] for code in codes]

    finest = next(level for level in sheet.levels if ranges[level].lows)
    return ReadySystem(
        **vars(sheet),
        name=name,
        spelling=form.spelling,
        paths=paths,
        listed=sheet.levels.index(finest),
        members=tuple(code.partition("-")[0] for code, _ in sheet.groups(finest)),
    )


def _label(level: str, code: str, part: str, ranges: Ranges, form: CodeForm) -> str | None:
    found = ranges.label(code if level in form.open_levels else part)
    if found is not None or level not in form.open_levels:
        return found
    return part.ljust(form.widths.get(level, 0), "*")


_AGE = re.compile(r"\s*([0-9]{1,3})(?:\.[0-9]*)?\s*")
_OLDEST = 130
"""Years of age from which on a number is no age."""


def age_system(name: str) -> ReadySystem:
    """Return a system of age bands by its data file."""
    sheet = read_sheet(name)
    label_at: list[list[str]] = []
    for level in sheet.levels:
        labels = [""] * _OLDEST
        for band, label in sheet.groups(level):
            low, _, high = band.partition("-")
            first, last = int(low), int(high) if high else _OLDEST - 1
            labels[first : last + 1] = [label] * (last + 1 - first)
        label_at.append(labels)

    def path(text: str) -> Path | None:
        written = _AGE.fullmatch(text)
        years = int(written[1]) if written else _OLDEST
        return tuple(labels[years] for labels in label_at) if years < _OLDEST else None

    def paths(texts: Sequence[str]) -> list[Path | None]:
        return [path(text) for text in texts]

    return ReadySystem(
        **vars(sheet),
        name=name,
        spelling="a number of years from 0 to below 130; parts of a year are cut off",
        paths=paths,
        members=tuple(map(str, range(_OLDEST))),
    )


_ZEROS = re.compile(r"\.0+$")
_DIGITS_OF_ZIP3, _DIGITS_OF_ZIP, _DIGITS_OF_ZIP4 = 3, 5, 9


def _icd9_codes(texts: Sequence[str]) -> list[str]:
    return [_padded(code) for code in upper(texts)]


def _padded(code: str) -> str:
    whole, point, rest = code.partition(".")
    return whole.zfill(3) + point + rest if whole.isdecimal() else code


def _zip_codes(texts: Sequence[str]) -> list[str]:
    codes = [_ZEROS.sub("", code).replace("-", "") for code in upper(texts)]
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
    return [_ZEROS.sub("", code) for code in upper(texts)]


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
