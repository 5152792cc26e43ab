"""Which published system the values of a column belong to, if any."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from qidguard.anonymizing.hierarchy.ready.catalog import ready_system
from qidguard.core.column import ColumnValues
from qidguard.core.hierarchy import SUPPRESSED

_MOST_LOOKED_AT = 5_000
"""Distinct values of a column that are looked at, evenly drawn."""

_WORDS = re.compile(r"[a-z]+|[0-9]+")
_MISSING = {"", "?", "na", "n/a", "null", "nan", "none", "-", ".", SUPPRESSED}


@dataclass(frozen=True, kw_only=True)
class _Sign:
    """What a column must have to be called one of a system.

    Args:
        system: The system.
        words: Words of a column's name that speak for it.
        usual: What most of the values must look like, whatever the name is: small numbers are no codes.
        telling: Ways in which values speak for themselves: forms, each with the share of the distinct values
            that must have it; none where only a name can.
    """

    system: str
    words: frozenset[str]
    usual: str
    telling: tuple[tuple[tuple[str, float], ...], ...] = ()

    def fits(self, texts: Sequence[str], *, is_named: bool) -> bool:
        """Whether values, in capitals, look like the system's codes."""
        if _share(texts, self.usual) < _USUAL:
            return False
        if is_named:
            return True
        ways = (all(_share(texts, form) >= least for form, least in way) for way in self.telling)
        return len(texts) >= _FEWEST and any(ways)


def _share(texts: Sequence[str], pattern: str) -> float:
    form = re.compile(pattern)
    return sum(form.fullmatch(text) is not None for text in texts) / len(texts)


_DIAGNOSIS = frozenset(
    {"diag", "diagnosis", "diagnoses", "diagnose", "dx", "icd", "icd9", "icd10", "icd10cm"}
)

_SIGNS: tuple[_Sign, ...] = (
    _Sign(
        system="icd9",
        words=_DIAGNOSIS,
        usual=r"\d{3}(\.?\d{1,2})?|V\d\d(\.?\d{1,2})?|E\d{3}(\.?\d)?|\d{1,2}\.\d{1,2}",
        # decimals of three digits are measurements as often as codes, those beside V and E codes are not
        telling=(((r"V\d\d(\.\d{1,2})?|E\d{3}(\.\d)?", 0.01), (r"\d{3}(\.\d{1,2})?", 0.5)),),
    ),
    *(
        _Sign(
            system=system,
            words=_DIAGNOSIS,
            usual=r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?[-+*!†#]*",
            telling=(((r"[A-Z]\d\d\.[0-9A-Z]{1,4}[-+*!†#]*", 0.3),),),
        )
        for system in ("icd10", "icd10cm")
    ),
    _Sign(
        system="atc",
        words=frozenset({"atc", "atccode"}),
        usual=r"[A-Z](\d\d([A-Z]([A-Z](\d\d)?)?)?)?",
        telling=(((r"[A-Z]\d\d[A-Z][A-Z](\d\d)?", 0.5),),),
    ),
    _Sign(
        system="nace",
        words=frozenset({"nace", "nace2", "wz", "wz2008", "wz08", "ateco", "naf"}),
        usual=r"[A-U]?\d{2}(\.?\d{1,2}){0,2}|[A-U]",
        telling=(((r"[A-U]?\d\d\.\d\d", 0.8),),),
    ),
    _Sign(
        system="isco08",
        words=frozenset({"isco", "isco08", "iscocode", "isco4", "isco3", "isco2"}),
        usual=r"\d{1,4}(\.0+)?",
    ),
    _Sign(
        system="isced",
        words=frozenset({"isced", "isced11", "isced2011", "hatlev", "hatlevel"}),
        usual=r"(ISCED|ED)?.{0,9}\d{1,3}(\.0+)?",
    ),
    _Sign(
        system="countries",
        words=frozenset(
            {
                "country",
                "countries",
                "nationality",
                "citizenship",
                "birthplace",
                "nation",
                "iso2",
                "iso3",
                "pays",
            }
        ),
        usual=r"[A-Z]{2,3}|\D{4,}|\d{1,3}(\.0+)?",
        telling=(((r"[A-Z]{3}", 0.8),), ((r"\D{4,}", 0.6),)),
    ),
    _Sign(
        system="us_states",
        words=frozenset({"state", "states", "usstate", "statecode", "fips", "statefips"}),
        usual=r"[A-Z]{2}|US-[A-Z]{2}|\D{4,}|\d{2}",
        telling=(((r"\D{4,}", 0.8),), ((r"US-[A-Z]{2}", 0.8),)),
    ),
    _Sign(
        system="nuts",
        words=frozenset({"nuts", "nuts1", "nuts2", "nuts3", "nutscode"}),
        usual=r"[A-Z]{2}[0-9A-Z]{0,3}",
    ),
    _Sign(
        system="de_ags",
        words=frozenset({"ags", "ars", "ags8", "gemeindeschluessel", "gemeindeschlussel", "kreisschluessel"}),
        usual=r"\d{4,5}|\d{7,8}|\d{11,12}",
    ),
    _Sign(
        system="us_zip3",
        words=frozenset({"zip", "zip3", "zip5", "zipcode", "zcta", "zcta5"}),
        usual=r"\d{3}|\d{4,5}(\.0+)?|\d{5}-?\d{4}",
    ),
)

_FEWEST = 10
"""Distinct values below which values alone, without a name, say nothing."""

_NAMED_SHARES = 0.7, 0.95
_UNNAMED_SHARES = 0.95, 0.98
"""Least share of distinct values and of records that are members."""

_USUAL = 0.8


def recognize_system(values: ColumnValues) -> str | None:
    """Return the ready system that the values of a column belong to; None where it is not sure.

    Nearly all values must be members: of the distinct ones 70 % and of the records 95 % where the column's
    name speaks for the system, 95 % and 98 % where values alone do, which is only possible where they look
    like nothing else; numbers of three digits are never ICD-9 by themselves. Texts such as ``?`` that stand
    for a missing value do not count. Of a column of many values 5,000 are looked at.

    Args:
        values: The column, with its name.

    Returns:
        The name of the system, or None.

    Units:
        Shares are of distinct values and of records.

    Example:
        >>> import numpy as np
        >>> column = ColumnValues(
        ...     name="diag_1",
        ...     value_type="text",
        ...     codes=np.array([1, 2, 3], dtype=np.int32),
        ...     texts=(None, "250.01", "V45", "E950"),
        ... )
        >>> recognize_system(column)
        'icd9'
    """
    texts, records = _looked_at(values)
    if not texts:
        return None
    cleaned = [text.strip().upper() for text in texts]
    words = set(_WORDS.findall(re.sub(r"([a-z])([A-Z])", r"\1 \2", values.name).lower()))
    words |= set(re.split(r"[^a-z0-9]+", values.name.lower()))
    total = sum(records)
    found: list[tuple[bool, float, str]] = []
    for sign in _SIGNS:
        is_named = bool(sign.words & words)
        if not sign.fits(cleaned, is_named=is_named):
            continue
        members = [path is not None for path in ready_system(sign.system).paths(texts)]
        share = sum(members) / len(members)
        held = sum(n for n, is_member in zip(records, members, strict=True) if is_member) / total
        least, least_held = _NAMED_SHARES if is_named else _UNNAMED_SHARES
        if share >= least and held >= least_held:
            found.append((is_named, share, sign.system))
    # a name is better than none, then the system that knows most; of equal ones the first in the list
    return max(found, key=lambda one: one[:2], default=(False, 0.0, None))[2]


def _looked_at(values: ColumnValues) -> tuple[list[str], list[int]]:
    import numpy as np

    counts = np.bincount(values.codes, minlength=len(values.texts)).tolist()
    step = max(1, -(-values.distinct // _MOST_LOOKED_AT))
    drawn = [
        (str(text), records)
        for text, records in zip(values.texts[1::step], counts[1::step], strict=True)
        if records and str(text).strip().casefold() not in _MISSING
    ]
    return [text for text, _ in drawn], [records for _, records in drawn]
