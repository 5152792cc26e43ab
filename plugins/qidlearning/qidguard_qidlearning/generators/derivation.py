"""Derived columns: coarser functions of one quasi-identifier each; they add nothing to what it says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from qidguard_qidlearning.generators.coded import MISSING, Coded
from qidguard_qidlearning.generators.register import EDUCATION


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
        derived = [self.of(value) for value in source.values]
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
