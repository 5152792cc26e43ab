"""Made-up tables that anonymizers stumble over: few records, few values, none, or all of them distinct."""

from collections.abc import Callable
from datetime import date, timedelta

from qidguard_testing.sample import (
    ILLNESSES,
    TOWNS,
    Columns,
    Sample,
    alike,
    names,
    outlier,
    persons,
    sample,
    subsets,
    types,
    visits,
)


def plain() -> Sample:
    """Return 36 records of ages, towns and sexes, in which every class can be made large."""
    ages = [23_000 + 100 * (i * 7 % 12) for i in range(36)]
    columns: Columns = {"income": ages, "town": [TOWNS[i * i // 5 % 3] for i in range(36)]}
    return sample("plain", columns | {"sex": ["mf"[i // 7 % 2] for i in range(36)]}, "income", "town", "sex")


def text() -> Sample:
    """Return a CSV, which has no types: numbers with leading zeros, dates, missing and suppressed cells."""
    lines = ["row,name,zip,born,income,illness"]
    for i in range(30):
        zipped = ("01067", "1067", "80331", "", "80333")[i % 5]
        born = f"19{60 + i % 7}-0{1 + i % 3}-11"
        income = "*" if i % 10 == 9 else str(41_000 + 500 * (i % 6))  # noqa: PLR2004 - one record in ten
        lines.append(f"{i},Person-{i:06d}-surname,{zipped},{born},{income},{ILLNESSES[i % 4]}")
    return Sample(
        name="text",
        table="\n".join(lines) + "\n",
        combinations=(("zip", "born", "income"),),
        sensitive=("illness",),
        direct_identifiers=("name",),
    )


def missing() -> Sample:
    """Return 24 records with NULL in every quasi-identifier, one of them without any value."""
    columns: Columns = {
        "income": [None if i % 4 == 0 else 30_000.0 + i % 5 for i in range(24)],
        "town": [None if i % 3 == 0 else TOWNS[i % 4] for i in range(24)],
        "nothing": [None] * 24,
    }
    return sample("missing values", columns, "income", "town", "nothing")


def constant() -> Sample:
    """Return 10 records that are all alike in the quasi-identifiers."""
    columns: Columns = {"income": [41_500] * 10, "town": [TOWNS[0]] * 10}
    return sample("constant", columns, "income", "town")


def one() -> Sample:
    """Return a single record."""
    return sample("one record", {"income": [41_500], "town": [TOWNS[0]]}, "income", "town")


def few() -> Sample:
    """Return two records: fewer than any k asks for."""
    return sample("two records", {"income": [41_500, 52_500], "town": list(TOWNS[:2])}, "income", "town")


def distinct() -> Sample:
    """Return 30 records, no two of which share any value."""
    columns: Columns = {
        "income": [20_000 + 37 * i * i for i in range(30)],
        "weight": [50_000.5 + i * 1.25 for i in range(30)],
        "town": [f"Village-{i:03d}" for i in range(30)],
        "born": [date(1950, 1, 1) + timedelta(days=321 * i) for i in range(30)],
    }
    return sample("all distinct", columns, "income", "weight", "town", "born")


def ties() -> Sample:
    """Return 60 records of three values with very different frequencies."""
    columns: Columns = {
        "income": [31_000] * 50 + [32_000] * 9 + [33_000],
        "town": [TOWNS[0]] * 55 + [TOWNS[1]] * 4 + [TOWNS[2]],
    }
    return sample("heavy ties", columns, "income", "town")


SAMPLES: tuple[Callable[[], Sample], ...] = (
    *(plain, text, missing, constant, one, few, distinct, ties),
    *(types, names, persons, visits, subsets, alike, outlier),
)
"""Makers of every table but the large one."""
