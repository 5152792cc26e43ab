"""Benchmark of reading a million moments in text, against pandas that is told their form."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from in_turns import in_turns
from qidguard.core.dates.reading import read_dates

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

FIRST = datetime(1990, 1, 1)  # noqa: DTZ001 - a table's moments carry no zone
SECONDS = np.unique(np.random.default_rng(0).integers(0, 10**9, 1_000_000))


@pytest.mark.parametrize(
    ("form", "most"), [("%d/%m/%Y %H:%M:%S", 0.5), ("%Y-%m-%d %H:%M:%S", 2.5), ("%d %B %Y %H:%M:%S", 0.5)]
)
def test_a_million_moments(form, most, figures):
    """Their form is found, in half of the time of pandas, which is told it; with ISO's in 2.5 of it."""
    texts = [(FIRST + timedelta(seconds=int(seconds))).strftime(form) for seconds in SECONDS]
    peer, ours = in_turns(lambda: pd.to_datetime(pd.Series(texts), format=form), lambda: read_dates(texts))
    figures(form=form, seconds=ours, pandas=peer, times=ours / peer)
    days = pd.to_datetime(pd.Series(texts), format=form).to_numpy().astype("datetime64[s]")
    found = np.rint(read_dates(texts).days * 86_400).astype(np.int64)
    assert np.array_equal(found, days.astype(np.int64))
    assert ours <= most * peer


def test_a_million_texts_that_are_no_dates(figures):
    """What is no column of dates is seen by 300 values, in 0.3 of the time in which pandas holds all."""
    texts = [f"{number:x}" for number in SECONDS.tolist()]
    peer, ours = in_turns(lambda: pd.Series(texts), lambda: read_dates(texts))
    figures(seconds=ours, pandas=peer, times=ours / peer)
    assert ours <= 0.3 * peer
