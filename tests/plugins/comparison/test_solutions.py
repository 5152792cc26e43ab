"""A method with several solutions is compared by each of them."""

import pytest

from plugged import host_with
from qidguard_comparison import compare
from several import ManyBlocks, policy, table


class Counted(ManyBlocks):
    """Counts its runs."""

    runs = 0

    def anonymize(self, records, arguments, task):
        """Return the solutions."""
        self.runs += 1
        return super().anonymize(records, arguments, task)


@pytest.mark.slow
def test_each_solution_is_a_row_of_its_own():
    """Its label stands beside the method's name; the method runs once."""
    method = Counted()
    found = compare(
        table(),
        policy(5),
        anonymizers=["many_blocks[k=2, sizes=4]", "mondrian"],
        host=host_with([method]),
        seed=1,
    )
    rows = {row.label: row for row in found.methods}
    sizes = [f"many_blocks[k=2, sizes=4]: size={size}" for size in (2, 4, 6, 8)]
    assert set(rows) == {*sizes, "mondrian"}
    assert method.runs == 1
    assert [rows[label].is_passed for label in sizes] == [False, False, True, True]
    assert [rows[label].figures["k_anonymity"] for label in sizes] == [2, 4, 6, 8]
    assert found.best is not None
