"""A new table that an anonymizer gave back, checked before anything is made of it."""

import math
from collections.abc import Mapping
from typing import Any

from qidguard.anonymizing.new_table import NewTable
from qidguard.anonymizing.protocol import AnonymizationTask, Records
from qidguard.core.column import Original, Recoded
from qidguard.core.new_table import NewTableKind
from qidguard.plot.plot import Plot

MOST_RECORDS = 100_000_000
"""Records of a new table, however many the source has."""

_LARGEST = 2**63
_LONGEST_NAME = 100


def new_table_fault(done: NewTable, records: Records, task: AnonymizationTask) -> str:
    """Return what is wrong with a new table, without a value of the source; empty where nothing is."""
    given: Any = done
    if not isinstance(given.kind, NewTableKind):
        return "returned a NewTable whose kind is no NewTableKind"
    if not isinstance(given.columns, Mapping) or not given.columns:
        return "returned a NewTable whose columns are no mapping of a name to its values"
    if not isinstance(given.plots, tuple) or not all(isinstance(plot, Plot) for plot in given.plots):
        return "returned a NewTable with plots that are no tuple of Plot"
    return (
        _counts_name_fault(given, records)
        or next((fault for name in given.columns if (fault := _name_fault(name, given, records, task))), "")
        or _shape_fault(given)
        or next((fault for name in given.columns if (fault := _values_fault(name, given))), "")
    )


def _counts_name_fault(given: Any, records: Records) -> str:
    name = given.counts
    if given.kind is not NewTableKind.COUNTS:
        return "" if name is None else "names a column of counts in a table of synthetic records"
    is_plain = isinstance(name, str) and name.isidentifier() and name.isascii() and len(name) <= _LONGEST_NAME
    if not is_plain:
        return "returned a table of counts whose column of counts is no plain identifier"
    if name not in given.columns:
        return "returned a table of counts without the column of counts that it names"
    if len(given.columns) == 1:
        return "returned a table of counts that holds nothing but the counts"
    # names that differ only in case are one column to many readers
    if name.casefold() in {known.casefold() for known in records.names}:
        return "calls its counts by the name of a column of the source"
    return ""


def _name_fault(name: Any, given: Any, records: Records, task: AnonymizationTask) -> str:
    if name == given.counts and name is not None:
        return ""
    if not isinstance(name, str) or name not in records.names:
        # what a plugin calls a column may be a value of the table
        return "publishes a column that the table does not have"
    if name in task.direct_identifiers:
        return f"publishes the column {name!r}, a direct identifier, in a new table"
    if name == task.entity:
        return f"publishes the column {name!r}, which says who a person is, in a new table"
    return ""


def _shape_fault(given: Any) -> str:
    if not all(isinstance(column, Recoded) for column in given.columns.values()):
        return "returned a NewTable with a column that is no Recoded"
    lengths = {column.codes.shape for column in given.columns.values()}
    if len(lengths) > 1 or any(len(shape) != 1 for shape in lengths):
        return "returned a NewTable whose columns do not hold the same number of records"
    [(count,)] = lengths
    if not count:
        return "returned a NewTable without a record; say by NotMeasurable why there is none"
    if count > MOST_RECORDS:
        return f"returned a NewTable of {count:,} records, more than {MOST_RECORDS:,}"
    return ""


def _values_fault(name: str, given: Any) -> str:
    column = given.columns[name]
    codes = column.codes  # which may have been written to since they were checked
    if codes.min() < 0 or codes.max() >= len(column.values):
        return f"publishes in the column {name!r} a code that lies outside the published values"
    if any(isinstance(value, Original) for value in column.values):
        return f"publishes in the column {name!r} an Original value, and a new table copies none"
    if not all(map(_is_possible, column.values)):
        return f"publishes in the column {name!r} a number that is not finite, or beyond 64 bits"
    if name == given.counts and not all(map(_is_number, column.values)):
        return "publishes a count that is no number"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_possible(value: Any) -> bool:
    if isinstance(value, float):  # a cell without a value is None
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < _LARGEST
