"""Values of withheld people in terms of the original's, and rows of codes."""

import numpy as np
import pytest

from qidguard_standard.attacks.attacked_table import Rows


def test_a_number_between_two_is_covered_where_both_are(found):
    """15 lies in [10, 20]; 30 is beyond what the original has; both agree with a suppressed cell."""
    before, after = {"a": [10, 20, 25]}, {"a": ["[10, 20]", "[10, 20]", "25"]}
    withheld = {"a": [15, 30, 22]}
    result = found("linkage", before, after, qids="a", withheld=withheld)
    assert "wrongly, for 33.3% of the withheld" in result.sentence
    ends = {"a": ["{10, 25}", "20", "{10, 25}"]}
    beyond = found("linkage", before, ends, qids="a", withheld={"a": [5, 30]})
    assert "wrongly, for 0.0% of the withheld" in beyond.sentence
    result = found("linkage", before, {"a": ["*"] * 3}, qids="a", withheld=withheld)
    assert "wrongly, for 100.0% of the withheld" in result.sentence


def test_a_new_text_is_covered_by_everything_only(found):
    """A place that the original lacks agrees with no set of others, but with their union."""
    before, withheld = {"a": ["p", "q", "r"]}, {"a": ["new"]}
    for cells, share in ((["{p, q}", "{p, q}", "r"], "0.0%"), (["{p, q, r}"] * 3, "100.0%")):
        result = found("linkage", before, {"a": cells}, qids="a", withheld=withheld)
        assert f"wrongly, for {share} of the withheld" in result.sentence


def test_withheld_people_who_lack_a_value_agree_with_those_who_do(found):
    """NULL is the same value in both groups."""
    result = found("linkage", {"a": [None, 2]}, qids="a", withheld={"a": [None, None, 3]})
    assert "wrongly, for 66.7% of the withheld" in result.sentence


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
