"""Columns written by hand for the fully private choice, and the public cells of Adult."""

from fractions import Fraction

import numpy as np
import pandas as pd

from qidguard.sdk import ColumnValues, ValueType
from qidguard_hybrid_dp.private.domain import Bins, Categories

ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
    "income",
)
S9 = (
    *("age", "sex", "race", "native-country", "hours-per-week", "workclass", "education"),
    *("marital-status", "occupation"),
)


def texts(name, values):
    """Return a column of texts, None among them."""
    distinct = sorted({value for value in values if value is not None})
    codes = [0 if value is None else distinct.index(value) + 1 for value in values]
    return ColumnValues(
        name=name, value_type=ValueType.TEXT, codes=np.array(codes, dtype=np.int32), texts=(None, *distinct)
    )


def numbers(name, values, kind=ValueType.INTEGER):
    """Return a column of numbers, None among them."""
    distinct = sorted({value for value in values if value is not None})
    place = {value: code for code, value in enumerate(distinct, start=1)}
    return ColumnValues(
        name=name,
        value_type=kind,
        codes=np.array([0 if value is None else place[value] for value in values], dtype=np.int32),
        texts=(None, *map(str, distinct)),
        numbers=np.array([np.nan, *distinct], dtype=np.float64),
    )


def read_adult(path):
    """Return one of Adult's files as a frame; ``?`` is a value."""
    skipped = 1 if path.suffix == ".test" else 0
    frame = pd.read_csv(path, names=list(ADULT), skipinitialspace=True, skiprows=skipped)
    return frame.assign(income=frame["income"].str.rstrip("."))


def held(frame, names):
    """Return columns of a frame, by name."""
    return {
        name: (numbers if frame[name].dtype.kind in "if" else texts)(name, frame[name].tolist())
        for name in names
    }


def adult_cells(frame, bins=16):
    """Return the cells of S9 and income: bounds and categories as the data's documentation lists them."""
    bounds = {"age": (Fraction(17), Fraction(90)), "hours-per-week": (Fraction(1), Fraction(99))}
    return {
        name: Bins(name=name, bounds=bounds[name], bins=bins, value_type=ValueType.INTEGER)
        if name in bounds
        else Categories(name=name, values=tuple(sorted(frame[name].unique())))
        for name in (*S9, "income")
    }
