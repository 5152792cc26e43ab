"""How long it takes to tell what a large table lost."""

import numpy as np
import pandas as pd
import pytest

from in_turns import counting, in_turns
from qidguard.sdk import Changes, ColumnValues, Grouping, ValueType, interval_text, set_text
from qidguard_standard.utility import UTILITY_METRICS
from two_tables import Columns, View, measured

pytestmark = pytest.mark.bench

RECORDS = 1_000_000
DISTINCT = (74, 16, 7, 5, 2, 41, 1_000, 100_000)
NUMERIC = {0, 6, 7}
WIDTH = 5


def _columns():
    """Return eight columns of a million records, and each in groups of five values."""
    random = np.random.default_rng(0)
    before, after = {}, {}
    for at, distinct in enumerate(DISTINCT):
        drawn = np.unique(random.integers(1, distinct + 1, RECORDS), return_inverse=True)[1]
        codes, size = drawn.astype(np.int32) + 1, int(drawn.max()) + 1
        is_numeric = at in NUMERIC
        texts = [str(one) if is_numeric else f"v{one:06d}" for one in range(1, size + 1)]
        parts = [texts[first : first + WIDTH] for first in range(0, size, WIDTH)]
        labels = [interval_text(part[0], part[-1]) if is_numeric else set_text(part) for part in parts]
        before[f"c{at}"] = ColumnValues(
            name=f"c{at}",
            value_type=ValueType.INTEGER if is_numeric else ValueType.TEXT,
            codes=codes,
            texts=(None, *texts),
            numbers=np.r_[np.nan, np.arange(1.0, size + 1)] if is_numeric else None,
        )
        after[f"c{at}"] = ColumnValues(
            name=f"c{at}", value_type=ValueType.TEXT, codes=(codes - 1) // WIDTH + 1, texts=(None, *labels)
        )
    return Columns(before, RECORDS), Columns(after, RECORDS)


def test_a_million_records_by_eight(figures):
    """Reading what is published and ncp or gcp take at most twice the time of one count of classes."""
    before, after = _columns()

    def telling(metric):
        # changes of their own, so that nothing is read already
        changes = Changes(before=before, after=after, kept=np.ones(RECORDS, dtype=np.bool_))
        measured(metric, View(changes, grouping=Grouping(qids=before.names)))

    names = [metric.name for metric in UTILITY_METRICS]
    codes = pd.DataFrame({name: before.column(name).codes for name in before.names})
    counted, *seconds = in_turns(
        counting(codes), *(lambda metric=metric: telling(metric) for metric in UTILITY_METRICS)
    )
    ratios = {name: spent / counted for name, spent in zip(names, seconds, strict=True)}
    figures(counted_s=counted, **ratios)
    assert ratios["ncp"] <= 2
    assert ratios["gcp"] <= 2
