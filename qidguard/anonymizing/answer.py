"""What an anonymizer gave back, checked before anything is made of it: a plugin may have no type checker."""

import math
from collections.abc import Mapping
from typing import Any

from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, Anonymizer, Guarantee, Records
from qidguard.core.column import ColumnValues, Original, Recoded
from qidguard.core.verdict import Limit

_LARGEST = 2**63


def fault_of(anonymizer: Anonymizer, done: Any, records: Records, task: AnonymizationTask) -> str:
    """Return what is wrong with an answer, without a value of the table; empty where nothing is."""
    import numpy as np

    kept: Any = getattr(done, "kept", None)
    if not isinstance(done, Anonymized):
        return f"returned {type(done).__name__}, not Anonymized"
    if not isinstance(kept, np.ndarray):
        return f"says by {type(kept).__name__}, not by a numpy array of truth values, what is kept"
    if kept.dtype != np.bool_ or kept.shape != (records.records,):
        return (
            f"says what is kept by an array of {kept.dtype} of the shape {kept.shape}, not by one truth value"
            f" for each of the {records.records:,} records"
        )
    return _words_fault(done, records) or _columns_fault(done, records, may_change(anonymizer, task))


def may_change(anonymizer: Anonymizer, task: AnonymizationTask) -> set[str]:
    """Return the columns that an anonymizer may publish other values in."""
    columns = set(task.quasi_identifiers)
    if getattr(anonymizer, "changes_sensitive", False):
        columns |= {*task.sensitive, *([task.target] if task.target else [])}
    return columns - {task.entity}


def _words_fault(done: Anonymized, records: Records) -> str:
    given: Any = done
    is_told = isinstance(given.suppressed_by, Mapping) and all(
        isinstance(name, str) and _is_count(count) for name, count in given.suppressed_by.items()
    )
    if not is_told:
        return "tells on whose behalf records were suppressed by something else than text and a count"
    is_listed = isinstance(given.notes, (tuple, list)) and all(isinstance(note, str) for note in given.notes)
    if not is_listed:
        return "gives notes that are no sentences"
    if not isinstance(given.guarantees, (tuple, list)):
        return "claims what is no Guarantee"
    return "" if all(_is_guarantee(claim, records) for claim in given.guarantees) else _NO_GUARANTEE


_NO_GUARANTEE = "claims what is no Guarantee over columns of the table"


def _is_guarantee(claim: Any, records: Records) -> bool:
    fields: Any = claim
    if not isinstance(claim, Guarantee) or not isinstance(fields.qids, tuple):
        return False
    columns = (*fields.qids, *(() if fields.sensitive is None else (fields.sensitive,)))
    is_limit = isinstance(fields.limit, Limit) and isinstance(fields.metric, str)
    return is_limit and set(columns) <= set(records.names)


def _is_count(value: Any) -> bool:
    import numpy as np

    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 0


def _columns_fault(done: Anonymized, records: Records, allowed: set[str]) -> str:
    columns: Any = done.columns
    if not isinstance(columns, Mapping):
        return "gives columns that are no mapping of a name to what is published"
    for name, recoded in columns.items():
        if name not in records.names:
            # what a plugin calls a column may be a value of the table
            return "publishes a column that the table does not have"
        if name not in allowed:
            return f"changes the column {name!r}, which is no quasi-identifier, without declaring it"
        if not isinstance(recoded, Recoded) or not _is_coded(recoded, records.records):
            return f"recodes the column {name!r} by something other than one value a record"
        if not all(_is_possible(value, records.column(name)) for value in recoded.values):
            return f"publishes in the column {name!r} an original value or a number that there is not"
    return ""


def _is_coded(recoded: Recoded, records: int) -> bool:
    codes = recoded.codes  # which may have been written to since they were checked
    if codes.shape != (records,):
        return False
    return not records or bool(codes.min() >= 0 and codes.max() < len(recoded.values))


def _is_possible(value: Any, column: ColumnValues) -> bool:
    if isinstance(value, Original):
        code: Any = value.code
        return _is_count(code) and int(code) <= column.distinct
    if isinstance(value, float):  # a cell without a value is None
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < _LARGEST
