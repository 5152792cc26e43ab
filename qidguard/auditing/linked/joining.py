"""Published tables as a reader joins them: each record of another table beside the columns of its person."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from qidguard.core.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.column import ColumnValues
    from qidguard.core.versions import Changes, ColumnSource
    from qidguard.engines.linked import LinkedCopy, LinkedRecords

    Places = NDArray[np.int64]


def joined_name(table: str, column: str) -> str:
    """Return what a column of another table is called.

    Example:
        >>> joined_name("encounters", "age")
        'encounters.age'
    """
    return f"{table}.{column}"


@dataclass(frozen=True, kw_only=True)
class Joined:
    """The records of a table beside the columns of their persons.

    Args:
        persons: The persons' table.
        places: Shape (records,), the place of each record's person in it.
        own: The columns of the records, by the names that they have here.
    """

    persons: "ColumnSource"
    places: "Places" = field(repr=False)
    own: "Mapping[str, ColumnValues]" = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names: those of the persons, and those of the records."""
        return (*self.persons.names, *self.own)

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.places)

    def column(self, name: str) -> "ColumnValues":
        """Return one column; DataError when there is none of this name."""
        if name in self.own:
            return self.own[name]
        if name not in self.persons.names:
            raise DataError(f"the table has no column {name!r}")
        column = self.persons.column(name)
        return replace(column, codes=column.codes[self.places])


@dataclass(frozen=True, kw_only=True)
class JoinedTable:
    """A table as it was read and as it would be published, both joined to its persons.

    Args:
        name: The table.
        changes: The one beside the other.
        columns: The columns of the records that are published, keys not among them.
        places: Shape (records,), the place of each record's person among those published.
    """

    name: str
    changes: "Changes" = field(repr=False)
    columns: tuple[str, ...]
    places: "Places" = field(repr=False)


def joined_table(
    linked: "LinkedCopy", child: "LinkedRecords", changes: "Changes", *, has_parents: bool = False
) -> JoinedTable | None:
    """Return a table joined to the persons before and after; None where no record or column of it is left.

    Args:
        linked: The tables.
        child: The one that is joined.
        changes: The persons before and after, each paired with itself.
        has_parents: Whether the records that these refer to are joined, too.
    """
    import numpy as np

    from qidguard.core.versions import Changes

    kept = changes.kept
    assert kept is not None  # noqa: S101 - persons are kept or left out
    names = child.values
    rows = np.flatnonzero(kept[child.persons])
    if not names or not len(rows):
        return None
    before_places = child.persons[rows]
    after_places = (np.cumsum(kept) - 1)[before_places].astype(np.int64)
    read, published = _columns(linked, child.table.name, rows)
    if has_parents:
        for parent in linked.children:
            places = child.parents.get(parent.table.name)
            if places is not None and parent.values:
                more, more_published = _columns(linked, parent.table.name, places[rows])
                read |= more
                published |= more_published

    return JoinedTable(
        name=child.table.name,
        columns=tuple(read),
        places=after_places,
        changes=Changes(
            before=Joined(persons=changes.before, places=before_places, own=read),
            after=Joined(persons=changes.after, places=after_places, own=published),
            kept=np.ones(len(rows), dtype=np.bool_),
            suppression_mark=changes.suppression_mark,
            seed=changes.seed,
        ),
    )


def _columns(
    linked: "LinkedCopy", table: str, places: "Places"
) -> "tuple[dict[str, ColumnValues], dict[str, ColumnValues]]":
    """Return the columns of a table at places, as they were read and as published; at −1 stands NULL."""
    import numpy as np

    read, moved = linked.values(table), linked.moved(table)
    before: dict[str, ColumnValues] = {}
    after: dict[str, ColumnValues] = {}
    for name, column in read.items():
        called = joined_name(table, name)
        for made, values in ((before, column), (after, moved.get(name, column))):
            codes = np.where(places < 0, 0, values.codes[places]).astype(values.codes.dtype)
            made[called] = replace(values, name=called, codes=codes)
    return before, after


def is_changed(changes: "Changes", name: str) -> bool:
    """Return whether a column of some record is published with another value, or nobody knows."""
    import numpy as np

    if changes.kept is None:
        return True
    before, after = changes.before.column(name), changes.after.column(name)
    code_of = {text: code for code, text in enumerate(before.texts)}
    same = np.array([code_of.get(text, -1) for text in after.texts], dtype=np.int64)
    return bool((same[after.codes] != before.codes[changes.kept]).any())
