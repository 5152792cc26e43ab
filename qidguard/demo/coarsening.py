"""How the demo coarsens its table: a few lines of pandas for this one table, no anonymizer."""

from dataclasses import dataclass

import pandas as pd

QIDS = ("admission_date", "discharge_date", "age", "sex", "postcode", "marital_status", "insurance")
SMALLEST_CLASS = 11
"""Patients that a class must have to stay, as the demo's policy asks."""
FEWEST_DIAGNOSES = 3
"""Distinct diagnoses that a class must have to stay, as the demo's policy asks."""

_AGE_ENDS = [-1, 17, 44, 64, 200]
_AGE_BANDS = ["0-17", "18-44", "45-64", "65 and over"]


@dataclass(frozen=True, kw_only=True)
class Coarsening:
    """A coarsened table and what was done to it, one sentence a step."""

    table: pd.DataFrame
    steps: tuple[str, ...]


def coarsen(table: pd.DataFrame) -> Coarsening:
    """Generalize the quasi-identifiers, then suppress what is left in small classes.

    Args:
        table: A table of ``hospital_table``; it is not changed.

    Returns:
        A new table with the same columns, and the steps.

    Units:
        Classes in patients and in distinct diagnoses.

    Raises:
        KeyError: when the table lacks a column of the demo's table.

    Example:
        >>> from qidguard.demo.table import hospital_table
        >>> sorted(coarsen(hospital_table(5000, seed=1)).table["age"].unique())[:2]
        ['0-17', '18-44']
    """
    coarse = table.copy()
    coarse["admission_date"] = table["admission_date"].str[:4]
    coarse["discharge_date"] = None
    coarse["age"] = pd.cut(table["age"], _AGE_ENDS, labels=_AGE_BANDS).astype(str)
    coarse["postcode"] = table["postcode"].str[:1] + "xxxx"
    coarse["marital_status"] = _merged(
        table["marital_status"], keep="married", rest="not married or not stated"
    )
    coarse["insurance"] = _merged(table["insurance"], keep="public", rest="other or not stated")
    sizes = coarse.groupby(list(QIDS), dropna=False)
    is_kept = (sizes["patient_id"].transform("nunique") >= SMALLEST_CLASS) & (
        sizes["diagnosis"].transform("nunique") >= FEWEST_DIAGNOSES
    )
    suppressed = int((~is_kept).sum())
    postcodes, regions = table["postcode"].nunique(), coarse["postcode"].nunique()
    steps = (
        "admission_date: the day is dropped, the year stays",
        "discharge_date: emptied, since the length of stay says enough",
        f"age: {len(_AGE_BANDS)} bands instead of {table['age'].nunique()} single years",
        f"postcode: {regions} regions instead of {postcodes} postcodes, so that the rare one disappears",
        "marital_status: the rarer values and the missing ones are merged into one",
        "insurance: the same",
        f"suppression: {_suppressed(suppressed, len(table))}",
    )
    return Coarsening(table=coarse[is_kept], steps=steps)


def _merged(column: pd.Series, keep: str, rest: str) -> pd.Series:
    return column.where(column == keep, rest)


def _suppressed(number: int, records: int) -> str:
    if not number:
        return f"none of the {records:,} records is in a small class any more, so none is removed"
    return f"the {number:,} of {records:,} records that are still in a small class are removed"
