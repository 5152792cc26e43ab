"""Columns written by hand for the fully private choice, and the public cells of Adult."""

from fractions import Fraction

import pandas as pd

from columns import column
from qidguard.sdk import ValueType
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
    return column(values, name=name, value_type=ValueType.TEXT)


def numbers(name, values, kind=ValueType.INTEGER):
    """Return a column of numbers, None among them."""
    return column(values, name=name, value_type=kind)


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
