"""What is recorded in the table only: nobody outside can know it, so none of it is a quasi-identifier."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from qidguard_qidlearning.generators.register import Coded, conditional, weighted

MEASUREMENTS: Mapping[str, tuple[float, float, int]] = MappingProxyType(
    {
        "cholesterol": (190.0, 38.0, 2),
        "glucose": (98.0, 21.0, 2),
        "creatinine": (0.95, 0.22, 4),
        "haemoglobin": (14.1, 1.5, 3),
        "ferritin": (120.0, 60.0, 2),
        "albumin": (4.3, 0.4, 4),
        "sodium": (140.0, 3.1, 3),
        "platelets": (250.0, 61.0, 2),
    }
)
"""Free measurements: mean, standard deviation and decimals; nearly every record has a value of its own."""

FLAGS = (
    "consent_withdrawn",
    "imported",
    "needs_interpreter",
    "corrected",
    "emergency",
    "duplicate_checked",
    "in_pilot",
    "late_entry",
)
"""Flags that are set for 2 to 20 records of 1,000."""

LOOKALIKES: Mapping[str, int] = MappingProxyType(
    {"ward": 14, "assay_kit": 25, "referral": 9, "weekday": 7, "payer": 6, "examiner": 40}
)
"""Columns of as many values as a quasi-identifier has, known in the house only: values each."""

DIAGNOSES = tuple(f"diagnosis {letter}" for letter in "ABCDEFGHIJKL")
OUTCOMES = ("improved", "recovered", "unchanged")


def measurement(rng: np.random.Generator, name: str, age: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a free measurement, which leans on age by a fifth of its deviation."""
    mean, deviation, decimals = MEASUREMENTS[name]
    leaning = rng.uniform(-0.2, 0.2) * (age - 40) / 23
    return np.round(mean + deviation * (leaning + rng.standard_normal(len(age))), decimals)


def flag(rng: np.random.Generator, records: int) -> Coded:
    """Return a near-constant flag."""
    rate = rng.uniform(0.002, 0.02)
    return Coded(values=(0, 1), codes=(rng.random(records) < rate).astype(np.int64))


def lookalike(rng: np.random.Generator, name: str, records: int) -> Coded:
    """Return a column that no count tells from a quasi-identifier."""
    count = LOOKALIKES[name]
    values = tuple(f"{name} {i + 1}" for i in range(count))
    return Coded(values=values, codes=weighted(rng, np.arange(1, count + 1) ** -0.5, records))


def diagnosis(rng: np.random.Generator, age: NDArray[np.int64], sex: NDArray[np.int64]) -> Coded:
    """Return the sensitive attribute, which depends on age and sex."""
    weights = rng.gamma(0.8, 1.0, (10, len(DIAGNOSES))) + 0.02
    return Coded(
        values=DIAGNOSES, codes=conditional(rng, weights, 2 * np.digitize(age, [15, 35, 55, 75]) + sex)
    )


def treatment(rng: np.random.Generator, ill: Coded, age: NDArray[np.int64]) -> Coded:
    """Return who was treated, which depends on the diagnosis and on age: treated and control differ."""
    score = rng.normal(0, 0.7, len(DIAGNOSES))[ill.codes] + (age - 40) / 40
    return Coded(values=(0, 1), codes=(rng.random(len(age)) < 1 / (1 + np.exp(-score))).astype(np.int64))


def outcome(rng: np.random.Generator, treated: Coded, age: NDArray[np.int64]) -> Coded:
    """Return the target, which depends on the treatment and on age."""
    weights = np.array(
        [
            [0.3, 0.45, 0.25],
            [0.3, 0.6, 0.1],
            [0.33, 0.27, 0.4],
            [0.4, 0.4, 0.2],
            [0.3, 0.1, 0.6],
            [0.4, 0.2, 0.4],
        ]
    )
    rows = 2 * np.digitize(age, [35, 65]) + treated.codes
    return Coded(values=OUTCOMES, codes=conditional(rng, weights, rows))
