"""Benchmark of reading a million moments in text, against pandas that is told their form."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from machine_speed import at_reference_speed
from qidguard.core.dates import read_dates

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

FIRST = datetime(1990, 1, 1)  # noqa: DTZ001 - a table's moments carry no zone
SECONDS = np.unique(np.random.default_rng(0).integers(0, 10**9, 1_000_000))


@pytest.mark.parametrize("form", ["%d/%m/%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%d %B %Y %H:%M:%S"])
def test_a_million_moments(form, median_seconds, figures):
    """Their form is found and not told; pandas is told it."""
    texts = [(FIRST + timedelta(seconds=int(seconds))).strftime(form) for seconds in SECONDS]
    ours = median_seconds(lambda: read_dates(texts))
    peer = median_seconds(lambda: pd.to_datetime(pd.Series(texts), format=form))
    figures(form=form, seconds=ours, pandas=peer, times=ours / peer)
    days = pd.to_datetime(pd.Series(texts), format=form).to_numpy().astype("datetime64[s]")
    found = np.rint(read_dates(texts).days * 86_400).astype(np.int64)
    assert np.array_equal(found, days.astype(np.int64))
    assert at_reference_speed(ours) <= 4.0


def test_a_million_texts_that_are_no_dates(median_seconds, figures):
    """What is no column of dates is seen by 300 values."""
    texts = [f"{number:x}" for number in SECONDS.tolist()]
    ours = median_seconds(lambda: read_dates(texts))
    figures(seconds=ours)
    assert at_reference_speed(ours) <= 0.5
