"""A population register: what an outsider may know of everybody, as coded columns, and what follows from it.

The marginals have the shape of a register's (a population pyramid, few large and many small postcodes,
schooling by age, work by schooling, marriage by age, births near the home); the numbers are made up.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MISSING = -1
"""The code of a record that has no value."""


@dataclass(frozen=True, kw_only=True)
class Coded:
    """A column as codes.

    Args:
        values: The values, whole numbers or texts.
        codes: One position in ``values`` for each record; −1 where the value is missing.
    """

    values: tuple[int, ...] | tuple[str, ...]
    codes: NDArray[np.int64]

    def column(self) -> "pd.Series[Any]":
        """Return the column as pandas holds it: nullable whole numbers, or text with missing values."""
        kind = "Int64" if isinstance(self.values[0], int) else "str"
        values = pd.array(list(self.values), dtype=kind)
        return pd.Series(values.take(self.codes, allow_fill=True))

    def at(self, records: NDArray[np.int64]) -> "Coded":
        """Return the column of some records."""
        return Coded(values=self.values, codes=self.codes[records])


def weighted(rng: np.random.Generator, weights: NDArray[np.floating], records: int) -> NDArray[np.int64]:
    """Return one code a record, drawn by weights that need not add up to 1."""
    return rng.choice(len(weights), size=records, p=weights / weights.sum()).astype(np.int64)


def conditional(
    rng: np.random.Generator, weights: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return one code a record, drawn by the row of weights that the record names."""
    cumulated = np.cumsum(weights, axis=1)
    cumulated /= cumulated[:, -1:]
    drawn = rng.random(len(rows))
    codes: NDArray[np.int64] = (drawn[:, None] >= cumulated[rows, :-1]).sum(axis=1, dtype=np.int64)
    return codes


REGISTER_ATTRIBUTES = (
    "age",
    "sex",
    "postcode",
    "birth_place",
    "education",
    "occupation",
    "marital_status",
    "household_size",
    "birth_month",
    "nationality",
)
"""What the register can hold of a person; a table's quasi-identifiers are some of these."""

EDUCATION = ("none", "primary", "lower secondary", "upper secondary", "bachelor", "master or above")
_AGES = 96
_SCHOOL_ENDS, _PENSION = 16, 66
_JOBS = tuple(
    f"{group} {number}"
    for group, size in (("manual", 7), ("service", 6), ("office", 6), ("professional", 5))
    for number in range(1, size + 1)
)
OCCUPATION = ("pupil", "retired", "not employed", *_JOBS)
MARITAL_STATUS = ("single", "married", "registered partner", "divorced", "widowed")


def draw_register(rng: np.random.Generator, *, persons: int, postcodes_count: int) -> dict[str, Coded]:
    """Return the register's attributes of persons, by name, nothing missing; there are ≥ 8 postcodes."""
    if persons < 1:
        raise ValueError(f"a register needs at least one person, not {persons}")
    pyramid = 1 / (1 + np.exp((np.arange(_AGES) - 72) / 8))
    age = weighted(rng, pyramid, persons)
    sex = weighted(rng, np.array([0.51, 0.49]), persons)
    home = postcodes(rng, persons=persons, count=postcodes_count)
    born = birth_places(rng, home)
    education = _education(rng, age)
    marital = _marital(rng, age)
    return {
        "age": Coded(values=tuple(range(_AGES)), codes=age),
        "sex": Coded(values=("female", "male"), codes=sex),
        "postcode": home,
        "birth_place": born,
        "education": Coded(values=EDUCATION, codes=education),
        "occupation": Coded(values=OCCUPATION, codes=_occupation(rng, age, sex, education)),
        "marital_status": Coded(values=MARITAL_STATUS, codes=marital),
        "household_size": Coded(values=tuple(range(1, 8)), codes=_household(rng, marital)),
        "birth_month": Coded(values=tuple(range(1, 13)), codes=weighted(rng, np.ones(12), persons)),
        "nationality": nationalities(rng, born),
    }


def _education(rng: np.random.Generator, age: NDArray[np.int64]) -> NDArray[np.int64]:
    weights = np.array(
        [
            [0.9, 0.1, 0, 0, 0, 0],  # below 8 years
            [0, 0.8, 0.2, 0, 0, 0],  # below 16
            [0, 0.05, 0.4, 0.5, 0.05, 0],  # below 22
            [0.01, 0.04, 0.2, 0.4, 0.2, 0.15],  # below 45
            [0.02, 0.1, 0.3, 0.38, 0.12, 0.08],  # the rest
        ]
    )
    return conditional(rng, weights, np.digitize(age, [8, _SCHOOL_ENDS, 22, 45]))


def _occupation(
    rng: np.random.Generator, age: NDArray[np.int64], sex: NDArray[np.int64], education: NDArray[np.int64]
) -> NDArray[np.int64]:
    jobs = len(_JOBS)
    leaning = rng.uniform(0.4, 1.6, (2, jobs))  # women and men are not in the same jobs
    rank = np.linspace(0, 5, jobs)  # jobs are listed by the schooling they ask for
    by_school = np.exp(-((rank[None, :] - np.arange(6)[:, None]) ** 2) / 3)
    weights = np.zeros((2 * 6, len(OCCUPATION)))
    for school in range(6):
        for one in range(2):
            row = by_school[school] * leaning[one]
            weights[2 * school + one, 3:] = 0.9 * row / row.sum()
    weights[:, 2] = 0.1
    drawn = conditional(rng, weights, 2 * education + sex)
    return np.where(age < _SCHOOL_ENDS, 0, np.where(age >= _PENSION, 1, drawn))


def _marital(rng: np.random.Generator, age: NDArray[np.int64]) -> NDArray[np.int64]:
    weights = np.array(
        [
            [1, 0, 0, 0, 0],  # below 18 years
            [0.75, 0.2, 0.03, 0.02, 0],  # below 30
            [0.3, 0.53, 0.05, 0.11, 0.01],  # below 60
            [0.1, 0.55, 0.01, 0.14, 0.2],  # the rest
        ]
    )
    return conditional(rng, weights, np.digitize(age, [18, 30, 60]))


def _household(rng: np.random.Generator, marital: NDArray[np.int64]) -> NDArray[np.int64]:
    alone = [0.4, 0.2, 0.17, 0.14, 0.06, 0.02, 0.01]
    together = [0.02, 0.4, 0.24, 0.22, 0.08, 0.03, 0.01]
    return conditional(rng, np.array([alone, together]), np.isin(marital, (1, 2)).astype(np.int64))


REGIONS = 8
TOWNS = 6
"""Towns of birth in each region."""
COUNTRIES = ("home", *(f"country {letter}" for letter in "ABCDEFGHIJKL"))


def postcodes(rng: np.random.Generator, *, persons: int, count: int) -> Coded:
    """Return where people live: few large and many small postcodes; the first digit is the region's."""
    sizes = np.arange(1, count + 1) ** -0.6
    values = tuple(f"{i % REGIONS + 1}{i // REGIONS * 7 % 10_000:04d}" for i in range(count))
    return Coded(values=values, codes=weighted(rng, sizes, persons))


def birth_places(rng: np.random.Generator, home: Coded) -> Coded:
    """Return where people were born: over half in the region they live in, a seventh abroad."""
    towns = tuple(f"town {r + 1}-{t + 1}" for r in range(REGIONS) for t in range(TOWNS))
    size = np.tile(np.arange(1, TOWNS + 1) ** -0.8, REGIONS)
    abroad = np.arange(1, len(COUNTRIES)) ** -0.7
    weights = np.zeros((REGIONS, len(towns) + len(abroad)))
    for region in range(REGIONS):
        is_near = np.repeat(np.arange(REGIONS) == region, TOWNS)
        near, far = size * is_near, size * ~is_near
        domestic = 0.56 * near / near.sum() + 0.3 * far / far.sum()
        weights[region] = np.concatenate([domestic, 0.14 * abroad / abroad.sum()])
    drawn = conditional(rng, weights, home.codes % REGIONS)
    return Coded(values=(*towns, *COUNTRIES[1:]), codes=drawn)


def nationalities(rng: np.random.Generator, born: Coded) -> Coded:
    """Return nationalities: of the home country, or mostly of the country of birth."""
    countries = len(COUNTRIES)
    weights = np.full((countries, countries), 0.06 / (countries - 1))
    weights[0, 0] = 0.94
    weights[1:] = 0.05 / countries
    weights[1:, 0] += 0.35
    weights[1:, 1:] += 0.6 * np.eye(countries - 1)
    country = np.maximum(born.codes - REGIONS * TOWNS + 1, 0)
    return Coded(values=COUNTRIES, codes=conditional(rng, weights, country))


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """How a derived column comes out of another one.

    Args:
        source: The quasi-identifier it is a function of.
        of: A value of the source → the derived value; never one to one.
    """

    source: str
    of: Callable[[Any], int | str]

    def apply(self, source: Coded) -> Coded:
        """Return the derived column; missing where the source is missing."""
        derived = [self.of(value) for value in source.values]  # noqa: PD011 - no table of pandas
        values = sorted(set(derived))
        position = np.array([values.index(value) for value in derived], dtype=np.int64)
        codes = np.where(source.codes == MISSING, MISSING, position[source.codes])
        return Coded(values=tuple(values), codes=codes)  # type: ignore[arg-type]  # all whole numbers or all texts


_OLD_ENOUGH, _LEVELS = 18, 2

DERIVATIONS: Mapping[str, Derivation] = MappingProxyType(
    {
        "age_group": Derivation(source="age", of=lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}"),
        "is_adult": Derivation(source="age", of=lambda age: int(age >= _OLD_ENOUGH)),
        "region": Derivation(source="postcode", of=lambda code: f"region {code[0]}"),
        "birth_country": Derivation(
            source="birth_place", of=lambda place: "home" if place.startswith("town") else place
        ),
        "school_level": Derivation(source="education", of=lambda school: EDUCATION.index(school) // _LEVELS),
        "work_group": Derivation(source="occupation", of=lambda work: work.rstrip("0123456789 ")),
        "is_married": Derivation(source="marital_status", of=lambda status: int(status == "married")),
        "lives_alone": Derivation(source="household_size", of=lambda persons: int(persons == 1)),
        "birth_quarter": Derivation(source="birth_month", of=lambda month: (month + 2) // 3),
        "is_foreign": Derivation(source="nationality", of=lambda country: int(country != "home")),
    }
)
"""The derived columns that can be made, by name."""
