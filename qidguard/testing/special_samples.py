"""Made-up tables of every type, with hostile names, of persons with several records, and a large one."""

from datetime import date, datetime, timedelta
from importlib.util import find_spec

from qidguard.testing.sample import ILLNESSES, TOWNS, Columns, Sample, sample

HOSTILE = ('a"b', "it's", "SELECT", "ünï cødé", "a;--", " a ")
"""Column names that are words of SQL, hold quotes, or are not plain ASCII."""


def types() -> Sample:
    """Return 32 records of a column of each type: NaN, infinity, −0.0, moments, Booleans, large numbers.

    It is an Arrow table where Arrow is installed, since pandas takes NaN as missing.
    """
    measures = [float("nan"), float("inf"), -0.0, 0.0, None, -float("inf"), 12_345.5, 54_321.25]
    columns: Columns = {
        "flag": [(True, False, None)[i % 3] for i in range(32)],
        "measure": [measures[i % 8] for i in range(32)],
        "born": [date(1960, 1, 1) + timedelta(days=400 * (i % 5)) for i in range(32)],
        "seen": [datetime(2020, 1, 1) + timedelta(hours=7 * (i % 6)) for i in range(32)],  # noqa: DTZ001 - without a zone
        "large": [2**60 + i % 4 for i in range(32)],
        "empty": ["" if i % 2 else "Ünïcode" for i in range(32)],
    }
    return sample("types", columns, *columns, is_arrow=find_spec("pyarrow") is not None)


def names() -> Sample:
    """Return 24 records whose columns have hostile names."""
    columns: Columns = {
        name: [f"value-{j}-{i % (j + 2)}" for i in range(24)] for j, name in enumerate(HOSTILE)
    }
    return sample("hostile names", columns, *HOSTILE)


def persons() -> Sample:
    """Return 40 records of 16 persons, some without one; several records of a person are one person."""
    columns: Columns = {
        "patient": [None if i % 13 == 12 else f"patient-{i * 5 % 16:04d}" for i in range(40)],  # noqa: PLR2004 - one in 13
        "income": [35_000 + 1_000 * (i % 4) for i in range(40)],
        "town": [TOWNS[i % 2] for i in range(40)],
    }
    return sample("several records a person", columns, "income", "town", entity="patient")


def visits() -> Sample:
    """Return 72 records of 12 persons, six alike of each, two persons to an income: many records, few people.

    Who counts records takes a class of twelve for large, and it is two persons.
    """
    columns: Columns = {
        "patient": [f"patient-{i // 6:04d}" for i in range(72)],
        "income": [35_000 + 1_000 * (i // 12) for i in range(72)],
        "town": [TOWNS[i // 24] for i in range(72)],
    }
    return sample("many records of few persons", columns, "income", "town", entity="patient")


def subsets() -> Sample:
    """Return 36 records for an attacker who knows any two of three quasi-identifiers."""
    columns: Columns = {
        "income": [23_000 + 100 * (i * 7 % 12) for i in range(36)],
        "town": [TOWNS[i * i // 5 % 3] for i in range(36)],
        "sex": ["mf"[i // 7 % 2] for i in range(36)],
    }
    pairs = (("income", "town"), ("income", "sex"), ("town", "sex"))
    return sample("any two of three", columns, combinations=pairs)


def alike() -> Sample:
    """Return 20 records that all have one illness: no class can hold two."""
    columns: Columns = {
        "income": [30_000 + i % 3 for i in range(20)],
        "illness": [ILLNESSES[0]] * 20,
    }
    return sample("one sensitive value", columns, "income")


def outlier() -> Sample:
    """Return 30 records of whom one is far from all others."""
    columns: Columns = {
        "income": [*(20_000 + i % 4 for i in range(29)), 9_876_543],
        "town": [*(TOWNS[i % 2] for i in range(29)), TOWNS[4]],
    }
    return sample("an outlier", columns, "income", "town")


def large(records: int = 100_000) -> Sample:
    """Return 100,000 records of five quasi-identifiers of different kinds, made from a fixed seed."""
    import numpy as np
    import pandas as pd

    generator = np.random.default_rng(20_261_113)
    towns = np.array([f"Town-{i:04d}" for i in range(200)], dtype=object)
    rank = np.minimum(generator.zipf(1.6, records) - 1, 199)
    table = pd.DataFrame(
        {
            "row": np.arange(records),
            "name": [f"Person-{i:06d}-surname" for i in range(records)],
            "age": generator.integers(17, 91, records),
            "sex": np.array(["female", "male"], dtype=object)[generator.integers(0, 2, records)],
            "town": towns[rank],
            "income": np.round(generator.lognormal(10.3, 0.6, records), -2),
            "school": np.array([f"school-{i:02d}" for i in range(16)], dtype=object)[
                generator.integers(0, 16, records)
            ],
            "illness": np.array(ILLNESSES, dtype=object)[generator.integers(0, 4, records)],
        }
    )
    return Sample(
        name=f"{records:,} records",
        table=table,
        combinations=(("age", "sex", "town", "income", "school"),),
        sensitive=("illness",),
        direct_identifiers=("name",),
    )
