"""A made-up table with the traits of a hospital discharge file."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from numpy.typing import NDArray

RARE_POSTCODE = "40999"
"""The postcode where only RARE_PATIENTS patients live."""
RARE_PATIENTS = 2
OLDEST = 104
"""Highest age, in years."""

_PATIENTS_PER_RECORD = 0.62
_REGIONS, _POSTCODES_PER_REGION = 4, 12
_FIRST_DAY, _DAYS = np.datetime64("2024-01-01"), 731
# codes of ICD-10, the commoner ones first
_CODES = (
    *("I10", "E11.9", "J18.9", "I50.9", "N39.0", "I21.4", "K80.2", "S72.0", "J44.1", "I48.9"),
    *("O80", "Z38.0", "F32.9", "A41.9", "M17.1", "K35.8", "I63.9", "C34.9", "C50.9", "N17.9"),
    *("G40.9", "K57.3", "L03.1", "S82.6", "B34.9", "H25.1", "E86", "R07.4", "T78.4", "Q21.1"),
)
_MARITAL = ("single", "married", "divorced", "widowed")
_INSURANCE = ("public", "private", "self-paid")


def hospital_table(records: int, seed: int) -> pd.DataFrame:
    """Return visits of made-up patients: repeated visits, missing values, a rare postcode, ages 0 to 104.

    Args:
        records: Number of visits, ≥ 100.
        seed: Where the random numbers begin, ≥ 0; equal seeds give equal tables.

    Returns:
        One row a visit, in order of admission.

    Units:
        Ages in years, length of stay in days, cost in whole euros.

    Raises:
        ValueError: when there are fewer than 100 records.

    Example:
        >>> table = hospital_table(1000, seed=1)
        >>> len(table), table["patient_id"].nunique(), int(table["age"].max())
        (1000, 620, 104)
    """
    if records < 100:  # noqa: PLR2004 - the traits need some room
        raise ValueError(f"the demo table needs at least 100 records, not {records}")
    rng = np.random.default_rng(seed)
    patients = int(records * _PATIENTS_PER_RECORD)
    # some patients come back often: the square pulls repeated visits toward the first numbers
    repeats = (patients * rng.random(records - patients) ** 2).astype(np.int64)
    who = np.concatenate([np.arange(patients), repeats])
    admitted = rng.integers(0, _DAYS, records)
    order = np.argsort(admitted, kind="stable")
    who, admitted = who[order], admitted[order]
    stay = np.minimum(rng.geometric(0.22, records), 60)
    age = _ages(rng, patients)
    visit_age = np.minimum(age[who] + (admitted >= 366), OLDEST)  # noqa: PLR2004 - days of the leap year 2024
    number = rng.permutation(patients)
    table = pd.DataFrame(
        {
            "patient_id": [f"P{n:07d}" for n in number[who]],
            "admission_date": _dates(admitted),
            "discharge_date": _dates(admitted + stay),
            "age": visit_age,
            "sex": rng.choice(["F", "M"], patients, p=[0.53, 0.47])[who],
            "postcode": _postcodes(rng, patients)[who],
            "marital_status": _marital(rng, age)[who],
            "insurance": rng.choice(_INSURANCE, patients, p=[0.8, 0.17, 0.03])[who],
            "diagnosis": rng.choice(_CODES, records, p=_falling(len(_CODES))),
            "length_of_stay": stay,
            "cost": np.rint(stay * rng.lognormal(6.2, 0.5, records)).astype(np.int64),
        }
    )
    for column, share in {"marital_status": 0.06, "insurance": 0.02, "diagnosis": 0.01, "cost": 0.01}.items():
        table[column] = table[column].mask(rng.random(records) < share)
    table["cost"] = table["cost"].astype("Int64")
    return table


def _ages(rng: np.random.Generator, patients: int) -> "NDArray[np.int64]":
    kind = rng.choice(3, patients, p=[0.16, 0.5, 0.34])
    young, grown, old = (
        rng.uniform(0, 18, patients),
        rng.normal(44, 15, patients),
        rng.normal(76, 9, patients),
    )
    drawn = np.select([kind == 0, kind == 1], [young, grown], old)
    age: NDArray[np.int64] = np.clip(np.floor(drawn), 0, OLDEST - 4).astype(np.int64)
    age[:2] = 0, OLDEST
    return age


def _postcodes(rng: np.random.Generator, patients: int) -> "NDArray[np.str_]":
    codes = np.array(
        [f"{r}{i * 83 + 17:04d}" for i in range(_POSTCODES_PER_REGION) for r in range(1, _REGIONS + 1)]
    )
    drawn = rng.choice(codes, patients, p=_falling(len(codes)))
    drawn[-RARE_PATIENTS:] = RARE_POSTCODE
    return drawn


def _marital(rng: np.random.Generator, age: "NDArray[np.int64]") -> "NDArray[np.str_]":
    adult = rng.choice(_MARITAL, len(age), p=[0.3, 0.48, 0.12, 0.1])
    old = rng.choice(_MARITAL, len(age), p=[0.08, 0.46, 0.1, 0.36])
    return np.where(age < 18, "single", np.where(age < 70, adult, old))  # noqa: PLR2004 - ages in years


def _falling(number: int) -> "NDArray[np.float64]":
    """Return shares that fall slowly, as the commonness of diagnoses and towns does."""
    weight = 1 / (np.arange(number) + 5)
    return np.asarray(weight / weight.sum())


def _dates(days: "NDArray[np.int64]") -> "NDArray[np.str_]":
    return np.datetime_as_string(_FIRST_DAY + days)
