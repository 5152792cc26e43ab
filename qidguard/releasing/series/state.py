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
import stat
import struct
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from qidguard.core.canonical import compact
from qidguard.core.errors import UserError
from qidguard.core.files import Lock, alone, new_draft, sweep_drafts, to_disk
from qidguard.core.naming import folded
from qidguard.core.system import why
from qidguard.evidence.private_file import make_folder
from qidguard.releasing.history.followed import at_places, places_in
from qidguard.releasing.history.past import history_key_id

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.releasing.context import ReleaseContext

_MAGIC = b"qidguard-state\x00\x01"
_MAGIC_OF_TABLES = b"qidguard-state\x00\x02"
_PREFIX = struct.Struct("<16sQ")
_BLOCK = 1 << 20
_SUFFIX = ".state"
_LONGEST_WAIT_SECONDS = 60.0


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
        return at_places(self.releases, places_in(self.persons, persons), other)

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


class StateFolder:
    """The states of one data set, as kept under one history key.

    Args:
        root: The policy's folder, which is made where it is missing, for its owner only.
        name: The folder of the data set in it.
    """

    def __init__(self, root: Path, name: str) -> None:
        self.path = root / name
        make_folder(root)
        make_folder(self.path)
        for folder in (root, self.path):
            if os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & 0o077:
                raise UserError(
                    f"The folder {str(folder)!r} keeps last values of persons, and others can enter it; run:"
                    f" chmod 700 {folder}"
                )

    @classmethod
    def of(cls, context: "ReleaseContext", data_set: str) -> "StateFolder | None":
        """Return the folder of a data set's states; None where the policy keeps none.

        Raises:
            UserError: When it stands among what is published, or others can enter it.
        """
        root = context.policy.state_folder
        if root is None:
            return None
        published = None if context.destination is None else context.destination.path
        if published is not None and Path(root).resolve().is_relative_to(published.resolve()):
            raise UserError(
                f"The folder {root!r} keeps last values of persons and stands in {str(published)!r}, where"
                " releases are published; name another one as series.state."
            )
        return cls(Path(root), f"{folded(data_set)}-{history_key_id(context.history_key)}")

    def file(self, release_id: str, audit_id: str) -> Path:
        """Return where the state of an attempt to publish a release is."""
        return self.path / f"{release_id}.{audit_id}{_SUFFIX}"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder between the writing of a state and its promise; UserError where others stay."""
        with ExitStack() as entered:
            try:
                entered.enter_context(alone(self.path / ".lock", _LONGEST_WAIT_SECONDS))
            except TimeoutError:
                raise UserError(f"Another run holds the folder {str(self.path)!r}; wait for it.") from None
            except OSError as error:
                raise self._unwritable(error) from None
            yield

    def write(self, state: SeriesState, records: KeptRecords) -> str:
        """Write a state, whole and lasting or not at all, and return its digest."""
        target = self.file(state.release_id, state.audit_id)
        try:
            sweep_drafts(target)
            with new_draft(target) as lock:
                digest = write_state(state, records, lock.path)
                lock.path.replace(target)
            to_disk(self.path)
        except OSError as error:
            raise self._unwritable(error) from None
        return digest

    def sweep(self, kept: Collection[str], is_known: Callable[[str], bool]) -> None:
        """Remove the states of attempts that the ledger knows, but those of the audits that are kept.

        Args:
            kept: Names of audits whose states stay.
            is_known: Whether an audit is the ledger's; what another ledger kept stays.
        """
        with suppress(OSError, UserError), self.alone():
            for draft in self.path.glob(".*.draft"):
                with Lock(draft) as lock:
                    lock.take()
            for file in self.path.glob(f"*{_SUFFIX}"):
                audit_id = file.name.removesuffix(_SUFFIX).rpartition(".")[2]
                if audit_id not in kept and is_known(audit_id):
                    file.unlink()

    def _unwritable(self, error: OSError) -> UserError:
        return UserError(
            f"The folder {str(self.path)!r}, which keeps the state of the series, cannot be written"
            f" ({why(error)}), so nothing was published; check the disk and its rights."
        )
