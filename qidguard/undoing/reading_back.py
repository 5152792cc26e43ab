"""A published table as somebody sees it who reads back what its columns tell."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.column import ColumnValues, PublishedValue, Recoded, ValueType
from qidguard.core.versions import Changes
from qidguard.undoing.target import same_code
from qidguard.undoing.undoing import Undoing

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_back(changes: Changes, undoings: Iterable[Undoing]) -> Mapping[str, Recoded]:
    """Return for each QID the original value where it is told and right, and the published one elsewhere.

    Args:
        changes: The original beside the published table.
        undoings: What was found; those that undo a generalization count, all columns of a QID together.

    Returns:
        QID → its column over the records of the published table, as ``Snapshot.recode`` takes it. Values of
        numbers and dates keep that type where all are; an original value that is published too, written in
        another way, is the published one.
    """
    known: dict[str, NDArray[np.bool_]] = {}
    for undoing in undoings:
        if undoing.is_undone:
            known[undoing.qid] = known.get(undoing.qid, np.zeros_like(undoing.known)) | undoing.known
    if changes.kept is None:
        return {}
    return {
        qid: _column(changes.before.column(qid), changes.after.column(qid), changes.kept, is_known)
        for qid, is_known in known.items()
    }


def _column(
    before: ColumnValues, after: ColumnValues, kept: "NDArray[np.bool_]", is_known: "NDArray[np.bool_]"
) -> Recoded:
    published_as = np.arange(len(before.texts), dtype=np.int64) + len(after.texts)
    same = same_code(before, after)
    has_same = np.flatnonzero(same >= 0)
    published_as[same[has_same]] = has_same
    codes = np.where(is_known, published_as[before.codes[kept]], after.codes.astype(np.int64))
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
