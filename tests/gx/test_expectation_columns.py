"""The columns as they were approved."""

import pandas as pd
import pytest

from gx_batches import pandas_table
from qidguard_expectations import ExpectTableColumnsToBeAsApproved

pytestmark = pytest.mark.gx


@pytest.mark.parametrize(
    ("columns", "observed", "added", "missing"),
    [
        (["a", "b"], 0, [], []),
        (["b", "a"], 0, [], []),
        (["a"], 1, ["b"], []),
        (["a", "b", "c"], 1, [], ["c"]),
        (["a", "B"], 2, ["b"], ["B"]),
    ],
)
def test_columns_are_compared_as_a_set(context, columns, observed, added, missing):
    """The order does not matter, upper and lower case does; what differs is named and counted."""
    expectation = ExpectTableColumnsToBeAsApproved(columns=columns)
    (result,) = pandas_table(context, {"a": [1], "b": [2]}).validate(expectation)
    details = result.result["details"]
    assert (result.success, result.result["observed_value"]) == (not observed, observed)
    assert (details["added"], details["missing"], details["approved"]) == (added, missing, columns)


def test_reason_names_what_changed(context):
    """The reason names the columns and what to do."""
    expectation = ExpectTableColumnsToBeAsApproved(columns=["a", "c"], policy_name="visits")
    (result,) = pandas_table(context, {"a": [1], "b": [2], "d": [3]}).validate(expectation)
    assert result.result["details"]["reason"] == (
        "The columns are not as approved: 'b', 'd' were added and 'c' was taken away; approve the table anew"
        " or drop them."
    )


def test_many_columns_are_counted(context):
    """A reason names ten columns and counts the rest; the details have all of them."""
    expectation = ExpectTableColumnsToBeAsApproved(columns=["a"])
    table = {"a": [1]} | {f"n{i:03}": [1] for i in range(300)}
    (result,) = pandas_table(context, table).validate(expectation)
    assert "'n009' and 290 more were added" in result.result["details"]["reason"]
    assert len(result.result["details"]["added"]) == 300


def test_no_record_is_read(context):
    """The columns of a table without a record are what they are."""
    expectation = ExpectTableColumnsToBeAsApproved(columns=["a"])
    (result,) = pandas_table(context, pd.DataFrame({"a": []})).validate(expectation)
    assert result.success is True


@pytest.mark.parametrize("names", [["a", "a"], ["a", 1], ["a", ""]])
def test_columns_that_cannot_be_told_apart_fail(context, names):
    """Columns that no policy could name are as nobody approved them."""
    expectation = ExpectTableColumnsToBeAsApproved(columns=["a"])
    (result,) = pandas_table(context, pd.DataFrame([[1, 2]], columns=names)).validate(expectation)
    assert result.success is False
    assert result.result["details"]["reason"].endswith(("rename them.", "rename it.", "name it."))
