"""The true stream: who came, left and changed from file to file of a series, by the entity column."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues, DataError, MemoryRecords, ValueType, class_numbers
from qidguard_series.simulated_stream import SimulatedPopulation
from qidguard_series.stream import Move, PersonRows, Turnover

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class TrueStream:
    """What earlier files tell.

    Args:
        population: The persons as the last file has them.
        first: Who is in the first file.
        rows: The rows of every person in the first file that has the person.
        moves: What happened before each further file.
    """

    population: SimulatedPopulation
    first: "NDArray[np.int64]"
    rows: PersonRows
    moves: tuple[Move, ...]

    @property
    def turnover(self) -> Turnover:
        """What the files come to in the mean: shares of the persons of the file before."""
        present, gone = len(self.first), 0
        before = left_now = came = changed = returned = away = 0
        for move in self.moves:
            before, away = before + present, away + gone
            left_now, came = left_now + len(move.left), came + len(move.came)
            changed, returned = changed + len(move.changed), returned + len(move.returned)
            present += len(move.came) + len(move.returned) - len(move.left)
            gone += len(move.left) - len(move.returned)
        return Turnover(
            leave=left_now / before,
            come=min(1.0, came / before),
            change=min(changed / before, 1 - left_now / before),
            come_back=returned / away if away else 0.0,
        )


def true_stream(files: Sequence[MemoryRecords], entity: str, qids: tuple[str, ...]) -> TrueStream:
    """Return what files tell of their persons, the oldest first.

    Args:
        files: Their records, at least two files, with the entity column among the columns.
        entity: The entity column.
        qids: The columns in which a person may change.

    Raises:
        DataError: When a record has no entity, a column is of another type in another file, or nobody of a
            file is in the next.
    """
    person, known = _persons(files, entity)
    names = [name for name in files[0].names if name != entity]
    codes = {name: _united(name, [file.column(name) for file in files]) for name in names}
    order, start, count, ends = _by_person(person)
    columns = [replace(column, codes=column.codes[order]) for column in codes.values()]
    everybody = np.concatenate(person)[order]
    numbered = ColumnValues(
        name=entity, value_type=ValueType.INTEGER, codes=(everybody + 1).astype(np.int32), texts=(None,)
    )
    source = MemoryRecords.of_columns([*columns, numbered], entity=entity, kinds=files[0].kinds)
    content = _contents(np.stack([codes[name].codes[order] for name in qids], axis=1), count, ends)
    first_rows = PersonRows(start=np.zeros(known, dtype=np.int64), count=np.ones(known, dtype=np.int64))
    for at in reversed(range(len(files))):
        who = np.unique(person[at])
        first_rows.start[who], first_rows.count[who] = start[at][who], count[at][who]
    moves, rows = [], PersonRows(start=first_rows.start.copy(), count=first_rows.count.copy())
    was, seen = count[0] > 0, count[0] > 0
    for at in range(1, len(files)):
        now = count[at] > 0
        both = was & now
        if not both.any():
            raise DataError(
                f"nobody of one file is in the next by the column {entity!r}; give the files of one series,"
                " the oldest first"
            )
        here = np.flatnonzero(now)
        rows.start[here], rows.count[here] = start[at][here], count[at][here]
        moves.append(
            Move(
                left=np.flatnonzero(was & ~now),
                came=np.flatnonzero(now & ~seen),
                returned=np.flatnonzero(now & ~was & seen),
                changed=np.flatnonzero(both & (content[at] != content[at - 1])),
                rows_of=here,
                rows=PersonRows(start=start[at][here], count=count[at][here]),
            )
        )
        was, seen = now, seen | now
    return TrueStream(
        population=SimulatedPopulation(
            source=source,
            qids=qids,
            start=rows.start.tolist(),
            count=rows.count.tolist(),
            present=np.flatnonzero(was),
            gone=np.flatnonzero(seen & ~was),
            models=np.flatnonzero(was),
            are_changes_true=True,
        ),
        first=np.flatnonzero(count[0] > 0),
        rows=first_rows,
        moves=tuple(moves),
    )


def _persons(files: Sequence[MemoryRecords], entity: str) -> "tuple[list[NDArray[np.int64]], int]":
    """Return for each file the number of each record's person, and how many persons there are."""
    numbers: dict[str, int] = {}
    person = []
    for file in files:
        column = file.column(entity)
        if missing := int((column.codes == 0).sum()):
            raise DataError(f"{missing:,} records have no {entity!r}, so nobody knows whose they are")
        of_code = np.array(
            [-1, *(numbers.setdefault(str(text), len(numbers)) for text in column.texts[1:])], dtype=np.int64
        )
        person.append(of_code[column.codes])
    return person, len(numbers)


def _united(name: str, columns: Sequence[ColumnValues]) -> ColumnValues:
    """Return a column of all files, its codes in the natural order of all values."""
    types = {column.value_type for column in columns} - {ValueType.EMPTY}
    if types == {ValueType.INTEGER, ValueType.NUMBER}:
        types = {ValueType.NUMBER}
    if len(types) > 1:
        said = " and ".join(sorted(types))
        raise DataError(f"the column {name!r} holds {said} in files of one series; read it as one of them")
    numbers: dict[str, float] = {}
    has_numbers = all(column.numbers is not None for column in columns if column.distinct)
    for column in columns:
        given = column.numbers if column.numbers is not None else np.full(len(column.texts), np.nan)
        numbers.update(zip(map(str, column.texts[1:]), given[1:].tolist(), strict=True))
    has_scale = has_numbers and all(number == number for number in numbers.values())  # noqa: PLR0124 - NaN
    texts = sorted(numbers, key=(lambda text: (numbers[text], text)) if has_scale else None)
    code_of: dict[str | None, int] = {None: 0} | {text: at for at, text in enumerate(texts, start=1)}
    codes = [
        np.array([code_of[text] for text in column.texts], dtype=np.int32)[column.codes] for column in columns
    ]
    return ColumnValues(
        name=name,
        value_type=next(iter(types), ValueType.EMPTY),
        codes=np.concatenate(codes),
        texts=(None, *texts),
        numbers=np.array([np.nan, *(numbers[text] for text in texts)]) if has_numbers else None,
    )


def _by_person(
    person: "list[NDArray[np.int64]]",
) -> "tuple[NDArray[np.int64], list[NDArray[np.int64]], list[NDArray[np.int64]], list[int]]":
    """Return the order of all rows by file and person, and where each person's are in each file."""
    known = max(int(one.max()) for one in person) + 1
    order, starts, counts, ends, before = [], [], [], [], 0
    for one in person:
        order.append(before + np.argsort(one, kind="stable"))
        count = np.bincount(one, minlength=known).astype(np.int64)
        starts.append(before + np.cumsum(count) - count)
        counts.append(count)
        before += len(one)
        ends.append(before)
    return np.concatenate(order), starts, counts, ends


def _contents(
    codes: "NDArray[np.int32]", count: "list[NDArray[np.int64]]", ends: list[int]
) -> "list[NDArray[np.int64]]":
    """Return for each file a number of what each person's records hold, whatever their order."""
    numbers = class_numbers(codes)
    chance = np.random.default_rng(0)
    drawn = chance.integers(0, 1 << 62, int(numbers.max()) + 1, dtype=np.int64)[numbers]
    contents = []
    for rows, begin, end in zip(count, [0, *ends[:-1]], ends, strict=True):
        who = np.repeat(np.arange(len(rows)), rows)
        content = np.zeros(len(rows), dtype=np.int64)
        np.add.at(content, who, drawn[begin:end])  # a sum that wraps around, the same for the same records
        contents.append(content)
    return contents
