"""What a snapshot also has from whose records a series of releases is made."""

from typing import TYPE_CHECKING, Protocol

from qidguard.core.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.engines.base import Snapshot


class SnapshotOfSeries(Protocol):
    """Persons record by record, and records of an earlier snapshot beside one's own."""

    def keyed_persons(self, entity: str, key: bytes) -> "NDArray[np.uint8]":
        """Return the keyed hash of each record's person, shape (records, 16), in the source's order.

        It is that of ``keyed_classes`` with the same entity and key. DataError when a record has no entity.
        """

    def with_records(self, other: "Snapshot") -> "Snapshot":
        """Return a snapshot of the own records and then those of another, in the own columns and types.

        Of several tables the records of each stand in it, those of both in every table. DataError when the
        other has other tables or columns, a value that the own type cannot hold exactly, or a record's key.
        """


def of_series(snapshot: "Snapshot", engine: str) -> SnapshotOfSeries:
    """Return the snapshot as one of a series; UserError where its engine makes none.

    Example:
        >>> of_series(object(), "plain")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.UserError: The engine 'plain' makes no series of releases; use another engine.
    """
    if not all(callable(getattr(snapshot, name, None)) for name in ("keyed_persons", "with_records")):
        raise UserError(f"The engine {engine!r} makes no series of releases; use another engine.")
    able: SnapshotOfSeries = snapshot  # type: ignore[assignment]  # it was just looked at
    return able
