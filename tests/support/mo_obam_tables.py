"""Tables for MO-OBAM: frames as records in their own order, and those of the paper's evaluation."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from columns import Table
from qidguard.sdk import AnonymizationTask, ColumnValues, ValueType

GERMAN = {"age": 12, "personal_status": 8, "job": 16, "checking": 0, "savings": 5}
ADULT = {"age": 0, "workclass": 1, "marital-status": 5, "occupation": 6, "race": 8, "sex": 9, "country": 13}


def held(frame):
    """Return a frame as records in its own order."""
    cells = {}
    for name in frame:
        known = frame[name].dropna().tolist()
        is_whole = all(not isinstance(value, str) and float(value).is_integer() for value in known)
        cells[name] = [
            None if pd.isna(value) else int(value) if is_whole else value for value in frame[name].tolist()
        ]
    return Table(cells)


def task(qids, sensitive=(), entity=None, seed=0):
    """Return a task over some columns, without limits."""
    return AnonymizationTask(
        combinations=(tuple(qids),), entity=entity, sensitive=tuple(sensitive), seed=seed
    )


def german(data, seed=0):
    """Return German's records and the task of the paper."""
    frame = pd.read_csv(data / "german" / "german.data", sep=r"\s+", header=None)
    frame = pd.DataFrame({name: frame[at] for name, at in GERMAN.items()})
    return held(frame), task(["age", "personal_status", "job"], ["checking", "savings"], seed=seed)


def adult(data, seed=0):
    """Return the 45,222 records of Adult without a missing value, and the task of the paper."""
    files = [data / "adult" / name for name in ("adult.data", "adult.test")]
    frame = pd.concat([pd.read_csv(file, header=None, skipinitialspace=True) for file in files])
    frame = pd.DataFrame({name: frame[at] for name, at in ADULT.items()})
    frame = frame[~(frame == "?").any(axis=1)].reset_index(drop=True)
    return held(frame), task(["age", "race", "sex", "marital-status"], ["occupation"], seed=seed)


def held_arrays(arrays):
    """Return arrays of numbers or texts by name, without NULL, as records in their own order."""
    columns = {}
    for name, values in arrays.items():
        known, codes = np.unique(values, return_inverse=True)
        is_number = known.dtype.kind in "if"
        columns[name] = ColumnValues(
            name=name,
            value_type=ValueType.NUMBER if is_number else ValueType.TEXT,
            codes=(codes + 1).astype(np.int32),
            texts=(None, *map(str, known)),
            numbers=np.append(np.nan, known) if is_number else None,
        )

    def codes(names):
        return np.stack([columns[name].codes for name in names], axis=1)

    return SimpleNamespace(
        names=tuple(columns), records=len(codes(columns)), column=columns.__getitem__, codes=codes
    )


def spread(kind, records, seed=0):
    """Return drawn records of four columns.

    ``alike`` has many equal combinations; ``even``, ``normal``, ``heavy`` and ``mixed`` hardly any.
    """
    random = np.random.default_rng(seed)

    def few(values):
        return np.minimum(random.geometric(6 / values, records) - 1, values - 1)

    if kind == "alike":
        ages, pay, towns, jobs = few(80), few(40), few(25), few(12)
    elif kind == "mixed":
        towns, jobs = random.integers(0, 25, records), few(12)
        ages, pay = (
            random.normal(45, 18, records).round(1),
            random.lognormal(7, 0.6, records) * (1 + towns / 25),
        )
    else:
        numbers = {
            "even": random.random,
            "normal": random.standard_normal,
            "heavy": lambda shape: random.lognormal(5, 1, shape),
        }[kind]((4, records))
        return held_arrays(dict(zip("abcd", numbers.round(4), strict=True)))
    return held_arrays({"age": ages, "pay": pay.round(), "town": towns.astype(str), "job": jobs.astype(str)})
