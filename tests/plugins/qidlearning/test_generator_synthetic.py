"""Tests of the synthetic table: its shape, its kinds of columns, and that chance is its own."""

import numpy as np
import pandas as pd
import pytest

from qidguard_qidlearning.generators import synthetic_table


def test_the_papers_table_has_10_000_records_and_11_columns():
    """The default is the paper's size, with a sensitive attribute, a target and a binary treatment."""
    made = synthetic_table()
    assert made.frame.shape == (10_000, 11)
    assert (*made.attributes, made.sensitive, made.target, made.treatment) == tuple(made.frame.columns)
    assert sorted(made.frame["treatment"].unique()) == [0, 1]
    assert made.frame["sensitive"].nunique() == 5
    assert made.frame["target"].nunique() == 3
    assert not made.frame.isna().to_numpy().any()


def test_attributes_are_numeric_and_categorical_in_turn():
    """Odd ones are whole numbers, even ones text of 2, 3, 4, … values, the first the most frequent."""
    made = synthetic_table(5_000, seed=1)
    kinds = [pd.api.types.is_integer_dtype(made.frame[name]) for name in made.attributes]
    assert kinds == [True, False] * 4
    values = [made.frame[name].value_counts() for name in made.attributes[1::2]]
    assert [len(counts) for counts in values] == [2, 3, 4, 5]
    assert all(counts.index[0] == "value 1" for counts in values)


def test_columns_lean_on_each_other():
    """The target depends on the treatment and some pair of numeric attributes is correlated."""
    made = synthetic_table(seed=2)
    means = made.frame.groupby("treatment")["target"].mean()
    assert means[1] - means[0] > 0.1
    numbers = made.frame[[name for name in made.attributes if name.startswith("number")]]
    correlations = np.abs(numbers.corr().to_numpy()[np.triu_indices(4, 1)])
    assert correlations.max() > 0.15


def test_the_same_seed_gives_the_same_table_and_global_chance_is_untouched():
    """Two seeds give two tables, one seed one; numpy's global generator stands where it stood."""
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the global generator is what this test watches
    pd.testing.assert_frame_equal(synthetic_table(50, seed=5).frame, synthetic_table(50, seed=5).frame)
    assert not synthetic_table(50, seed=5).frame.equals(synthetic_table(50, seed=6).frame)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002 - as above


@pytest.mark.parametrize(("records", "columns"), [(0, 11), (10, 4)])
def test_a_table_too_small_is_refused(records, columns):
    """Without records, or with roles only, there is nothing to search."""
    with pytest.raises(ValueError, match="needs a record and 5 columns"):
        synthetic_table(records, columns)


@pytest.mark.parametrize("columns", [5, 14, 30])
def test_any_number_of_columns_can_be_made(columns):
    """As many columns as asked for, each of at least two values."""
    made = synthetic_table(400, columns, seed=0)
    assert made.frame.shape[1] == columns
    assert min(len(made.frame[name].unique()) for name in made.frame) > 1
