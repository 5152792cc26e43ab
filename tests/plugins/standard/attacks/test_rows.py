"""Rows of codes."""

import numpy as np
import pytest

from qidguard_standard.attacks.attacked_table import Rows


@pytest.mark.parametrize("records", [0, 1, 200])
def test_rows_hold_every_record_once(records):
    """Records of the same row have the same codes, and rows differ."""
    rng = np.random.default_rng(records)
    columns = [rng.integers(0, 4, records).astype(np.int32) for _ in range(3)]
    rows = Rows.of(columns, records)
    assert sorted(rows.order.tolist()) == list(range(records))
    assert len(np.unique(rows.codes, axis=1).T) == rows.codes.shape[1]
    for row in range(rows.codes.shape[1]):
        of = rows.records_of(np.array([row]))
        assert len(of)
        assert all((codes[of] == rows.codes[c, row]).all() for c, codes in enumerate(columns))


def test_rows_are_found_by_masks():
    """A naive look at every row finds the same, and no mask at all finds every row."""
    rng = np.random.default_rng(8)
    columns = [rng.integers(0, 5, 300).astype(np.int32) for _ in range(3)]
    rows = Rows.of(columns, 300)
    masks = {0: np.array([1, 0, 1, 0, 0], bool), 2: np.array([1, 1, 1, 0, 0], bool)}
    expected = [
        r for r in range(rows.codes.shape[1]) if masks[0][rows.codes[0, r]] and masks[2][rows.codes[2, r]]
    ]
    assert rows.where(masks).tolist() == expected
    assert rows.where({}).tolist() == list(range(rows.codes.shape[1]))
    assert rows.records_of(np.zeros(0, dtype=np.int64)).tolist() == []
