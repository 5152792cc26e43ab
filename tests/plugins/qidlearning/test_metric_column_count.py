import pytest

from qidguard.sdk import Grouping
from qidguard_qidlearning.metrics.column_count import COLUMN_COUNT


@pytest.mark.parametrize("qids", ["a", "ab", "abcde"])
def test_it_is_the_number_of_columns(qids):
    """Nothing of the table is looked at."""
    assert COLUMN_COUNT.method.measure(None, Grouping(qids=tuple(qids)), {}) == len(qids)
    assert COLUMN_COUNT.is_of_size
