"""A published table as somebody sees it who reads back what its columns tell."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.column import ColumnValues, PublishedValue, Recoded, ValueType, published_text
from qidguard.core.versions import Changes
from qidguard.undoing.target import same_code
from qidguard.undoing.undoing import Undoing

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_back(
    changes: Changes, undoings: Iterable[Undoing], *, noised: Collection[str] = ()
) -> Mapping[str, Recoded]:
    """Return for each QID the original value where it is told and right, and what is known beside it.

    Args:
        changes: The original beside the published table.
        undoings: What was found; those that undo a generalization count, all columns of a QID together.
        noised: QIDs that noise was drawn for: their own values part nobody, only what is known beside them.

    Returns:
        QID → its column over the records of the published table, as ``Snapshot.recode`` takes it. Values of
        numbers and dates keep that type where all are, and nothing is known beside them; an original value
        that is published too, written in another way, is the published one.
    """
    told: dict[str, NDArray[np.bool_]] = {}
    known: dict[str, list[NDArray[np.int64]]] = {}
    for undoing in undoings:
        if not undoing.is_undone:
            continue
        if undoing.joined is not None:
            known.setdefault(undoing.qid, []).append(np.where(undoing.known, undoing.joined, 0))
        else:
            told[undoing.qid] = told.get(undoing.qid, np.zeros_like(undoing.known)) | undoing.known
    if changes.kept is None:
        return {}
    columns = {}
    for qid in {**told, **known}:
        before, after = changes.before.column(qid), changes.after.column(qid)
        is_told = told.get(qid, np.zeros(after.records, dtype=np.bool_))
        column = _column(before, after, changes.kept, is_told)
        if qid in noised and qid in known:
            column = Recoded(codes=np.zeros_like(column.codes), values=("noise",))
        columns[qid] = _with_known(column, known[qid]) if qid in known else column
    return columns


def _with_known(column: Recoded, known: "list[NDArray[np.int64]]") -> Recoded:
    """Return a column in which what is known parts its values; where nothing is they stay as they are."""
    rows, codes = np.unique(np.stack([column.codes, *known], axis=1), axis=0, return_inverse=True)
    values = tuple(
        f"{column.values[value]}, {', '.join(map(str, some))}" if any(some) else column.values[value]
        for value, *some in rows.tolist()
    )
    return Recoded(codes=codes.reshape(-1), values=_as_texts(values))


def _as_texts(values: tuple[PublishedValue, ...]) -> tuple[PublishedValue, ...]:
    return tuple(v if v is None or isinstance(v, str) else published_text(v) for v in values)


def _column(
    before: ColumnValues, after: ColumnValues, kept: "NDArray[np.bool_]", is_told: "NDArray[np.bool_]"
) -> Recoded:
    published_as = np.arange(len(before.texts), dtype=np.int64) + len(after.texts)
    same = same_code(before, after)
    has_same = np.flatnonzero(same >= 0)
    published_as[same[has_same]] = has_same
    codes = np.where(is_told, published_as[before.codes[kept]], after.codes.astype(np.int64))
    texts = (*after.texts, *before.texts)
    used, codes = np.unique(codes, return_inverse=True)
    kinds = {after.value_type, before.value_type}
    return Recoded(codes=codes, values=_values([texts[at] for at in used.tolist()], kinds))


def _values(texts: list[str | None], kinds: set[ValueType]) -> tuple[PublishedValue, ...]:
    """Return texts as the values of a type that all of them have."""
    try:
        if kinds == {ValueType.INTEGER}:
            return tuple(None if text is None else int(text) for text in texts)
        if kinds == {ValueType.DATE}:
            return tuple(None if text is None else date.fromisoformat(text) for text in texts)
        if kinds <= {ValueType.INTEGER, ValueType.NUMBER}:
            return tuple(None if text is None else float(text) for text in texts)
    except ValueError:  # a suppression mark among numbers
        pass
    return tuple(texts)
