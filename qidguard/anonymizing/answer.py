"""What an anonymizer gave back, checked before anything is made of it: a plugin may have no type checker."""

import math
from collections.abc import Mapping
from typing import Any

from qidguard.anonymizing.protocol import (
    AnonymizationTask,
    Anonymized,
    Anonymizer,
    Guarantee,
    NewTable,
    Records,
    Solution,
    SolutionFigure,
    Solutions,
)
from qidguard.core.column import ColumnValues, Original, Recoded
from qidguard.core.metric import Direction
from qidguard.core.new_table import NewTableKind
from qidguard.core.privacy import PrivacyGuarantee, ProtectedUnit
from qidguard.core.verdict import Limit
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
    if not _is_tuple_of(Plot, given.plots):
        return "returned a NewTable with plots that are no tuple of Plot"
    return (
        _counts_name_fault(given, records)
        or next((fault for name in given.columns if (fault := _name_fault(name, given, records, task))), "")
        or _shape_fault(given)
        or next((fault for name in given.columns if (fault := _values_fault(name, given))), "")
    )


def _is_tuple_of(kind: type, given: Any) -> bool:
    return isinstance(given, tuple) and all(isinstance(one, kind) for one in given)


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


def fault_of(anonymizer: Anonymizer, done: Any, records: Records, task: AnonymizationTask) -> str:
    """Return what is wrong with an answer, without a value of the table; empty where nothing is."""
    if isinstance(done, Solutions) and hasattr(anonymizer, "privacy_guarantee"):
        return "draws noise and returned several solutions, of which its guarantee covers one"
    if isinstance(done, NewTable):
        return new_table_fault(done, records, task) or _words_fault(done, tuple(done.columns))
    if not isinstance(done, Solutions):
        return _solution_fault(anonymizer, done, records, task)
    return _solutions_fault(done) or next(
        (
            f"returned several solutions, and number {number} {fault}"
            for number, one in enumerate(done.solutions, start=1)
            if (fault := _solution_fault(anonymizer, one.anonymized, records, task) or _nothing_kept(one))
        ),
        "",
    )


def _solutions_fault(done: Solutions) -> str:
    """Return what is wrong with solutions beside what each makes of the records."""
    given: Any = done
    if not _is_tuple_of(Solution, given.solutions) or not given.solutions:
        return "returned Solutions without a tuple of at least one Solution"
    count = len(given.solutions)
    if not _is_count(given.chosen) or given.chosen >= count:
        return f"returned {count:,} solutions and chose none of them; chosen is a number 0..{count - 1}"
    if not _is_tuple_of(Plot, given.plots):
        return "returned Solutions with plots that are no tuple of Plot"
    return _labels_fault([one.label for one in given.solutions]) or _figures_fault(given)


def _labels_fault(labels: list[Any]) -> str:
    if not all(isinstance(label, str) and label.strip() and label.isprintable() for label in labels):
        return "returned a Solution whose label is no line of text"
    return "" if len(set(labels)) == len(labels) else "returned two solutions of one label; tell them apart"


def _figures_fault(given: Any) -> str:
    if not isinstance(given.figures, tuple) or not all(map(_is_figure, given.figures)):
        return "returned Solutions whose figures are no tuple of SolutionFigure with a name and a title each"
    names = {figure.name for figure in given.figures}
    if len(names) < len(given.figures):
        return "returned Solutions with two figures of one name"
    for number, one in enumerate(given.solutions, start=1):
        # what a plugin calls a figure may be a value of the table
        if not isinstance(one.figures, Mapping) or set(one.figures) != names:
            return f"returned several solutions, and number {number} does not tell the declared figures"
        if not all(map(_is_finite, one.figures.values())):
            return f"returned several solutions, and number {number} tells a figure that is no finite number"
    return ""


def _nothing_kept(solution: Solution) -> str:
    return "" if solution.anonymized.kept.any() else "keeps no record; leave out what nobody could publish"


def _is_figure(figure: Any) -> bool:
    if not isinstance(figure, SolutionFigure):
        return False
    given: Any = figure
    is_named = isinstance(given.name, str) and given.name.isidentifier() and given.name.isascii()
    is_titled = isinstance(given.title, str) and bool(given.title.strip()) and given.title.isprintable()
    return is_named and is_titled and isinstance(given.direction, Direction)


def _is_finite(value: Any) -> bool:
    import numpy as np

    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def _solution_fault(anonymizer: Anonymizer, done: Any, records: Records, task: AnonymizationTask) -> str:
    import numpy as np

    kept: Any = getattr(done, "kept", None)
    if isinstance(done, NewTable):
        return (
            "returned a NewTable among several solutions, which are of the source's records; return it alone"
        )
    if not isinstance(done, Anonymized):
        return f"returned {type(done).__name__}, not Anonymized"
    if not isinstance(kept, np.ndarray):
        return f"says by {type(kept).__name__}, not by a numpy array of truth values, what is kept"
    if kept.dtype != np.bool_ or kept.shape != (records.records,):
        return (
            f"says what is kept by an array of {kept.dtype} of the shape {kept.shape}, not by one truth value"
            f" for each of the {records.records:,} records"
        )
    return (
        _suppressed_fault(done)
        or _words_fault(done, records.names)
        or _columns_fault(done, records, may_change(anonymizer, task))
    )


def may_change(anonymizer: Anonymizer, task: AnonymizationTask) -> set[str]:
    """Return the columns that an anonymizer may publish other values in."""
    columns = set(task.quasi_identifiers)
    if getattr(anonymizer, "changes_sensitive", False):
        columns |= {*task.sensitive, *([task.target] if task.target else [])}
    return columns - {task.entity}


def _suppressed_fault(done: Anonymized) -> str:
    given: Any = done
    is_told = isinstance(given.suppressed_by, Mapping) and all(
        isinstance(name, str) and _is_count(count) for name, count in given.suppressed_by.items()
    )
    if not is_told:
        return "tells on whose behalf records were suppressed by something else than text and a count"
    suppressed = int((~done.kept).sum())
    if any(count > suppressed for count in given.suppressed_by.values()):
        return f"tells of more records that were suppressed than the {suppressed:,} that were"
    return ""


def _words_fault(done: Anonymized | NewTable, names: tuple[str, ...]) -> str:
    given: Any = done
    is_listed = isinstance(given.notes, (tuple, list)) and all(isinstance(note, str) for note in given.notes)
    if not is_listed:
        return "gives notes that are no sentences"
    if not isinstance(given.guarantees, (tuple, list)):
        return "claims what is no Guarantee"
    return "" if all(_is_guarantee(claim, names) for claim in given.guarantees) else _NO_GUARANTEE


_NO_GUARANTEE = "claims what is no Guarantee over columns of the table"


def _is_guarantee(claim: Any, names: tuple[str, ...]) -> bool:
    fields: Any = claim
    if not isinstance(claim, Guarantee) or not isinstance(fields.qids, tuple):
        return False
    columns = (*fields.qids, *(() if fields.sensitive is None else (fields.sensitive,)))
    is_limit = isinstance(fields.limit, Limit) and isinstance(fields.metric, str)
    return is_limit and set(columns) <= set(names)


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
        if not all(_is_publishable(value, records.column(name)) for value in recoded.values):
            return f"publishes in the column {name!r} an original value or a number that there is not"
    return ""


def _is_coded(recoded: Recoded, records: int) -> bool:
    codes = recoded.codes  # which may have been written to since they were checked
    if codes.shape != (records,):
        return False
    return not records or bool(codes.min() >= 0 and codes.max() < len(recoded.values))


def _is_publishable(value: Any, column: ColumnValues) -> bool:
    if isinstance(value, Original):
        code: Any = value.code
        return _is_count(code) and int(code) <= column.distinct
    return _is_possible(value)


def privacy_fault(given: Any, records: Records, task: AnonymizationTask) -> str:
    """Return what is wrong with a guarantee of noise, without a value; empty where nothing is."""
    import numpy as np

    if not isinstance(given, PrivacyGuarantee):
        return f"returned {type(given).__name__}, not PrivacyGuarantee"
    if not set(given.columns) <= set(records.names):
        return "speaks of a column that the table does not have"  # a name may be a value of the table
    if given.unit is not ProtectedUnit.PERSON or task.entity is None:
        return ""
    most = int(np.bincount(records.codes([task.entity])[:, 0]).max())
    if given.contributions < most:
        return f"protects persons who have at most {given.contributions:,} records each, and one has {most:,}"
    return ""
