"""A new table that copies its source is told from one that is drawn, by near neighbors."""

import numpy as np
import pandas as pd
import pytest

from qidguard.anonymizing.run import copying
from qidguard.sdk import records_of


def table(records, values, seed):
    """Return three independent columns of so many values each."""
    generator = np.random.default_rng(seed)
    return pd.DataFrame({name: generator.integers(0, values, records) for name in "abc"})


SOURCE = table(200, 30, 0)
CHANGED = SOURCE.assign(c=[value if at % 20 else 99 for at, value in enumerate(SOURCE["c"])])


@pytest.mark.samples(1)
@pytest.mark.parametrize(
    ("new", "is_copied"),
    [
        (SOURCE, True),
        (SOURCE.sample(frac=1, random_state=1), True),
        (CHANGED, True),
        (SOURCE[["b", "a", "c"]].astype(str), True),
        (SOURCE.head(150), False),
        (table(200, 30, 1), False),
    ],
)
def test_copies_are_refused_and_draws_are_not(new, is_copied):
    """Nearly all of 200 records that are alone; order, types and a changed twentieth hide nothing."""
    told = copying(records_of(SOURCE), records_of(new))
    assert bool(told) == is_copied
    if is_copied:
        assert "records that are alone in the source came back, and of their near neighbors 0 of" in told


def test_what_chance_brings_back_is_no_copy():
    """Of 216 cells 20,000 draws fill all, those of single records and those that the source lacks."""
    source = table(100, 6, 2)
    assert copying(records_of(source), records_of(table(20_000, 6, 3))) == ""
    assert copying(records_of(source), records_of(source)) != ""


def test_few_that_are_alone_tell_nothing():
    """19 are too few."""
    source = SOURCE.head(19)
    assert copying(records_of(source), records_of(source)) == ""
