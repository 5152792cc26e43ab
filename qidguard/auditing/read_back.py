"""A published table as somebody sees it who uses what its columns tell: read back, or by candidates."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from qidguard.anonymizing.class_numbers import class_numbers
from qidguard.core.column import ColumnValues, PublishedValue, Recoded, ValueType, published_text
from qidguard.core.leaks import Leak
from qidguard.core.versions import Changes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_back(
    changes: Changes, leaks: Iterable[Leak], *, noised: Collection[str] = ()
) -> Mapping[str, Recoded]:
    """Return for each QID the original value where it is told and right, and what is known beside it.

    Args:
        changes: The original beside the published table.
        leaks: What was found; those that undo a generalization count, all columns of a QID together.
        noised: QIDs that noise was drawn for: their own values part nobody, only what is known beside them.

    Returns:
        QID → its column over the records of the published table, as ``Snapshot.recode`` takes it. Values of
        numbers and dates keep that type where all are, and nothing is known beside them; an original value
        that is published too, written in another way, is the published one.
    """
    if changes.kept is None:
        return {}
    undone = [leak for leak in leaks if leak.is_undone]
    told = _told(undone)
    known: dict[str, list[NDArray[np.int64]]] = {}
    for leak in undone:
        if leak.joined is not None:
            known.setdefault(leak.qid, []).append(np.where(leak.known, leak.joined, 0))
    columns = {}
    for qid in {**told, **known}:
        before, after = changes.before.column(qid), changes.after.column(qid)
        is_told = told.get(qid, np.zeros(after.records, dtype=np.bool_))
        column = _column(before, after, changes.kept, is_told)
        if qid in noised and qid in known:
            column = Recoded(codes=np.zeros_like(column.codes), values=("noise",))
        columns[qid] = _with_known(column, known[qid]) if qid in known else column
    return columns


def _told(leaks: Iterable[Leak]) -> "dict[str, NDArray[np.bool_]]":
    """Return QID → of which records columns tell its original value."""
    told: dict[str, NDArray[np.bool_]] = {}
    for leak in leaks:
        if leak.joined is None:
            told[leak.qid] = told.get(leak.qid, np.zeros_like(leak.known)) | leak.known
    return told


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
    same = after.codes_in(before)
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


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """How many persons somebody may be, for all who were published.

    Args:
        fewest: The fewest candidates of anybody, ≥ 1; None for an empty table.
        below: Persons with fewer candidates than were asked for.
    """

    fewest: int | None
    below: int


def candidates(
    changes: Changes,
    leaks: Iterable[Leak],
    *,
    qids: Sequence[str],
    least: float,
    persons: "NDArray[np.integer] | None" = None,
) -> Candidates:
    """Return how many persons have fewer candidates than they must have.

    A record may be somebody's if its published values are theirs and whatever is known or told of it is true
    of them; of a record of which nothing is, everything stays possible.

    Args:
        changes: The original beside the published table, records paired.
        leaks: What is known and told; all of it counts, whether it undoes a quasi-identifier or tells only
            some of it.
        qids: The quasi-identifiers by which somebody is known.
        least: How many candidates everybody must have.
        persons: Shape (records of the published table,), a code of each record's person; None where each
            record is one. Whose records are told differently within a class counts there in parts, so there
            are never too many.

    Raises:
        ValueError: When nobody knows which published record was made of which original one.
    """
    if changes.kept is None:
        raise ValueError("candidates are counted where published and original records are paired")
    records = changes.after.records
    if not records:
        return Candidates(fewest=None, below=0)
    used = [leak for leak in leaks if {leak.qid, leak.beside} <= {*qids, None}]
    classes = _joint([changes.after.column(qid).codes for qid in qids], records)
    # what is shown of whom: an original value, or what is read and known; nothing of the others
    shown = [(leak.known, leak.joined) for leak in used if leak.joined is not None]
    shown += [
        (known, changes.before.column(qid).codes[changes.kept].astype(np.int64))
        for qid, known in _told(used).items()
    ]
    patterns = _joint([is_shown for is_shown, _ in shown], records)

    def kinds() -> "Iterator[tuple[NDArray[np.bool_], NDArray[np.int64]]]":
        # whose records show which values: their class, and what is shown of them
        for pattern in range(int(patterns.max()) + 1):
            is_of = patterns == pattern
            example = int(np.argmax(is_of))
            some = [codes for is_shown, codes in shown if is_shown[example]]
            yield is_of, _joint([classes, *some], records)

    weights = np.ones(records)
    if persons is not None:
        own = np.empty(records, dtype=np.int64)
        for is_of, kind in kinds():
            own[is_of] = kind[is_of]
        weights = _weights(classes, _joint([patterns, own], records), persons)
    found = np.zeros(records)
    for is_of, kind in kinds():
        found += np.bincount(kind, weights=np.where(is_of, weights, 0.0))[kind]
    # thirds of a person add up to a little less than one
    whole = np.maximum(np.floor(found + 1e-6), 1)
    few = whole < least
    below = int(few.sum()) if persons is None else len(np.unique(np.asarray(persons)[few]))
    return Candidates(fewest=int(whole.min()), below=below)


def _joint(columns: "Sequence[NDArray[np.generic]]", records: int) -> "NDArray[np.int64]":
    return class_numbers(np.column_stack([np.empty((records, 0), dtype=np.int64), *columns]))


def _weights(
    classes: "NDArray[np.int64]", own: "NDArray[np.int64]", persons: "NDArray[np.integer]"
) -> "NDArray[np.float64]":
    """Return what each record counts: all of a person in a class count as one together."""
    is_first = np.zeros(len(classes), dtype=np.bool_)
    is_first[np.unique(_joint([persons, own], len(classes)), return_index=True)[1]] = True
    both = _joint([persons, classes], len(classes))
    return np.where(is_first, 1.0 / np.bincount(both[is_first])[both], 0.0)
