"""The state of a series: what one release leaves to the next of the persons whom it shows.

The form, version 1: a magic of 16 bytes; the length of the header, 8 bytes, little-endian; the header, JSON:
names of data set, release and audit, and who left or waits since how many releases, as keyed hashes; then a
Parquet file with all columns of the records of everybody who was shown. Version 2, of several tables: the
header also names the other tables with the length of each; then come the Parquet file of the persons, and
those of their records in the other tables, keys and dates as they are in the source. One file holds all, so
that one digest is of all, and what is written, promised or removed is so for every table.
"""

import json
import os
import shutil
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from qidguard.core.canonical import compact
from qidguard.core.files import to_disk

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC = b"qidguard-state\x00\x01"
_MAGIC_OF_TABLES = b"qidguard-state\x00\x02"
_PREFIX = struct.Struct("<16sQ")
_BLOCK = 1 << 20


class StateError(ValueError):
    """A state is not what it should be; the message is a part of a sentence."""


@dataclass(frozen=True, kw_only=True)
class PersonCounts:
    """Persons with a number of releases each.

    Args:
        persons: Keyed hashes as texts of 16 bytes, ascending, none twice.
        releases: Shape (persons,), a number each, ≥ 0.
    """

    persons: "NDArray[np.bytes_]"
    releases: "NDArray[np.int64]"

    @classmethod
    def of(cls, persons: "NDArray[np.bytes_]", releases: "NDArray[np.int64]") -> "PersonCounts":
        """Return each of the persons once, who may have several records."""
        unique, first = np.unique(persons, return_index=True)
        return cls(persons=unique, releases=releases[first])

    def number(self, persons: "NDArray[np.bytes_]", *, other: int) -> "NDArray[np.int64]":
        """Return the number of each of the persons; ``other`` for whoever is not among these."""
        if not len(self.persons):
            return np.full(len(persons), other)
        place = np.minimum(np.searchsorted(self.persons, persons), len(self.persons) - 1)
        return np.where(self.persons[place] == persons, self.releases[place], other)

    def written(self) -> dict[str, Any]:
        """Return it as plain values."""
        hashes = b"".join(person.ljust(16, b"\0") for person in self.persons.tolist())
        return {"persons": hashes.hex(), "releases": self.releases.tolist()}

    @classmethod
    def read(cls, written: Any) -> "PersonCounts":
        """Return it from plain values; ValueError, TypeError or KeyError for others."""
        hashes = np.frombuffer(bytes.fromhex(written["persons"]), dtype="S16")
        releases = np.array(written["releases"], dtype=np.int64)
        if hashes.shape != releases.shape:
            raise ValueError("not one number a person")
        return cls(persons=hashes, releases=releases)


@dataclass(frozen=True, kw_only=True)
class SeriesState:
    """What the header of a state says.

    Args:
        data_set: The data set.
        release_id: The release that it was kept for.
        audit_id: The ledger's name of that attempt, which no other has.
        left: Who was shown although gone, and for how many releases, that one counted.
        waiting: Who was there and never shown, and for how many releases before that one.
    """

    data_set: str
    release_id: str
    audit_id: str
    left: PersonCounts
    waiting: PersonCounts


@dataclass(frozen=True, kw_only=True)
class KeptRecords:
    """The records that a state keeps, as Parquet files.

    Args:
        persons: Those of the persons.
        tables: Table → their records in it; empty where the release is of a single table.
    """

    persons: Path
    tables: Mapping[str, Path] = field(default_factory=dict)


def write_state(state: SeriesState, records: KeptRecords, target: Path) -> str:
    """Write a state into an empty file with the records of Parquet files, lasting; return its SHA-256."""
    said: dict[str, Any] = {
        "data_set": state.data_set,
        "release_id": state.release_id,
        "audit_id": state.audit_id,
        "left": state.left.written(),
        "waiting": state.waiting.written(),
    }
    if records.tables:
        said["tables"] = [[name, path.stat().st_size] for name, path in records.tables.items()]
    header = compact(said).encode("ascii")
    with target.open("wb") as file:
        file.write(_PREFIX.pack(_MAGIC_OF_TABLES if records.tables else _MAGIC, len(header)) + header)
        for path in (records.persons, *records.tables.values()):
            with path.open("rb") as source:
                shutil.copyfileobj(source, file, _BLOCK)
    to_disk(target)
    with target.open("rb") as file:
        return _digest(file)


def read_state(path: Path, digest: str, folder: Path) -> tuple[SeriesState, KeptRecords]:
    """Return a state and its records as Parquet files in a private folder.

    Raises:
        StateError: When it is missing, cannot be read, or is another one than the digest is of.
    """
    try:
        with _opened(path) as file, (folder / "state").open("xb+") as copy:
            if _digest(file, copy) != digest:
                raise StateError("is not the one that the ledger knows")
            length = copy.tell()
            copy.seek(0)
            magic, size = _PREFIX.unpack(copy.read(_PREFIX.size))
            if magic not in {_MAGIC, _MAGIC_OF_TABLES}:
                raise StateError("is of another form or version")
            state, tables = _header(copy.read(size), has_tables=magic == _MAGIC_OF_TABLES)
            of_persons = length - copy.tell() - sum(tables.values())
            if min((of_persons, *tables.values())) < 0:
                raise StateError("is damaged")
            records = KeptRecords(
                persons=folder / "records.parquet",
                tables={name: folder / f"table_{place}.parquet" for place, name in enumerate(tables)},
            )
            _take(copy, of_persons, records.persons)
            for name, target in records.tables.items():
                _take(copy, tables[name], target)
            return state, records
    except FileNotFoundError:
        raise StateError("is missing") from None
    except (OSError, struct.error):
        raise StateError("cannot be read") from None


def _take(copy: BinaryIO, size: int, target: Path) -> None:
    """Write the next bytes of a state to a new file."""
    with target.open("xb") as file:
        while size and (block := copy.read(min(size, _BLOCK))):
            file.write(block)
            size -= len(block)


def _opened(path: Path) -> BinaryIO:
    # no link is followed, and a pipe that nobody writes to is not waited for
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.fdopen(os.open(path, flags), "rb")


def _header(text: bytes, *, has_tables: bool) -> tuple[SeriesState, dict[str, int]]:
    """Return what a header says, and table → bytes of its file."""
    try:
        said = json.loads(text)
        tables = {str(name): int(size) for name, size in (said["tables"] if has_tables else ())}
        state = SeriesState(
            data_set=said["data_set"],
            release_id=said["release_id"],
            audit_id=said["audit_id"],
            left=PersonCounts.read(said["left"]),
            waiting=PersonCounts.read(said["waiting"]),
        )
    except (ValueError, KeyError, TypeError):
        raise StateError("is damaged") from None
    return state, tables


def _digest(file: BinaryIO, copy: BinaryIO | None = None) -> str:
    """Return the SHA-256 of the rest of a file, which is copied meanwhile where that is asked for."""
    digest = sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
        if copy is not None:
            copy.write(block)
    return digest.hexdigest()
