"""Small tables for examples, ages and an income as they are and as they are published, and scores."""

import numpy as np

from qidguard.sdk import Changes, ColumnValues, MemoryRecords, ValueType
from qidguard_learning.utility import ModelUtility


def two_tables() -> Changes:
    """Return 60 people of 17, 20 or 30 years, the oldest of whom earn more; 17 and 20 are published as one.

    Example:
        >>> two_tables().before.records
        60
    """
    ages = np.tile(np.array([1, 2, 3], dtype=np.int32), 20)
    income = ColumnValues(
        name="income",
        value_type=ValueType.TEXT,
        codes=np.where(ages == 3, 1, 2).astype(np.int32),  # noqa: PLR2004 - the code of 30
        texts=(None, "high", "low"),
    )
    before = ColumnValues(
        name="age",
        value_type=ValueType.INTEGER,
        codes=ages,
        texts=(None, "17", "20", "30"),
        numbers=np.array([np.nan, 17.0, 20.0, 30.0]),
    )
    after = ColumnValues(
        name="age",
        value_type=ValueType.TEXT,
        codes=np.where(ages == 3, 1, 2).astype(np.int32),  # noqa: PLR2004 - the code of 30
        texts=(None, "30", "[17, 20]"),
    )
    return Changes(
        before=MemoryRecords.of_columns((before, income)),
        after=MemoryRecords.of_columns((after, income)),
        kept=np.ones(60, dtype=np.bool_),
    )


def utility_example() -> ModelUtility:
    """Return the scores of a decision tree in three splits, written by hand.

    Example:
        >>> utility_example().models
        ('decision_tree',)
    """
    return ModelUtility(
        models=("decision_tree",),
        columns=("age", "town"),
        original_f1=np.array([[0.75, 0.8, 0.85]]),
        published_f1=np.array([[0.5, 0.6, 0.7]]),
        original_accuracy=np.array([[0.8, 0.9, 0.9]]),
        published_accuracy=np.array([[0.6, 0.7, 0.8]]),
        original_importance=np.array([[0.1, 0.1]]),
        published_importance=np.array([[0.3, 0.1]]),
    )
