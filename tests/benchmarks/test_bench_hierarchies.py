"""Benchmarks of binding hierarchies to 100,000 distinct values, against pandas and a plain reader."""

import csv
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hierarchy_columns import numbers
from in_turns import in_turns
from qidguard.core.kind import ColumnKind
from qidguard.sdk import automatic_hierarchy, interval_hierarchy, load_hierarchy

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

VALUES = 100_000


@pytest.fixture(scope="module")
def column():
    """Return whole numbers, each once; many of them lie on a cut."""
    return numbers(*range(VALUES))


@pytest.mark.parametrize("kind", ["quantiles", "frequency"])
def test_automatic_levels(column, kind, figures):
    """All eighteen levels, 2 to 65,536 parts; pandas makes the six coarsest of quantiles alone."""
    values = pd.Series(np.arange(VALUES))
    peer, ours = in_turns(
        lambda: [pd.qcut(values, 2**level).astype(str) for level in range(1, 7)],
        lambda: automatic_hierarchy(column, kind),
    )
    figures(kind=kind, seconds=ours, pandas=peer, times=ours / peer)
    assert ours <= 2 * peer


def test_intervals(column, figures):
    """Three widths, as texts; pandas checks no nesting."""
    values, widths = pd.Series(np.arange(VALUES)), (5, 10, 100)
    cuts = [np.arange(0, VALUES + width, width) for width in widths]
    peer, ours = in_turns(
        lambda: [pd.cut(values, at, right=False).astype(str) for at in cuts],
        lambda: interval_hierarchy(column, widths=widths),
    )
    figures(seconds=ours, pandas=peer, times=ours / peer)
    assert ours <= peer


def plain(path):
    """Read the file with the csv module and number the labels of each level."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row[0]: row for row in csv.reader(file, delimiter=";")}
    return [pd.factorize(np.array(level))[0] for level in zip(*rows.values(), strict=True)]


def test_a_file_with_three_levels(column, tmp_path, figures):
    """A line for each value; the plain reading neither checks nor matches anything."""
    path = tmp_path / "h.csv"
    path.write_text("".join(f"{i};{i // 10};{i // 1000};*\n" for i in range(VALUES)))
    peer, ours = in_turns(lambda: plain(path), lambda: load_hierarchy(path, column))
    figures(seconds=ours, plain=peer, times=ours / peer)
    assert ours <= 4 * peer


def test_ten_columns_of_a_million_records(figures):
    """By kind: 12 times of counting by pandas; what is made of distinct values does not grow with records."""
    records = 1_000_000
    draw = np.random.default_rng(1)
    made = []
    for kind, distinct in (
        (ColumnKind.COUNT, 100),
        (ColumnKind.AMOUNT, 50_000),
        (ColumnKind.PERIOD, 90),
        (ColumnKind.CODE, 9_000),
        (ColumnKind.PLACE, 30_000),
        (ColumnKind.NOMINAL, 500),
        (ColumnKind.ORDINAL, 16),
        (ColumnKind.KEY, 200_000),
        (ColumnKind.TEXT, 100_000),
        (None, 1_000),
    ):
        column = numbers(*range(10_000, 10_000 + distinct))
        codes = draw.integers(1, distinct + 1, records).astype(np.int32)
        made.append(replace(column, codes=codes, kind=kind))
    counts = [pd.Series(column.codes) for column in made]
    peer, ours = in_turns(
        lambda: [codes.value_counts() for codes in counts],
        lambda: [automatic_hierarchy(column) for column in made],
    )
    figures(seconds=ours, pandas=peer, times=ours / peer)
    assert ours <= 12 * peer
