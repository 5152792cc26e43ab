"""The bytes of a source's files: which files it has, their digest, and whether they changed meanwhile.

They are read with ordinary reads. A memory map of a file that others may truncate ends the process.
"""

import glob
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from qidguard.core.errors import ChangedError, DataError
from qidguard.engines.duckdb.sources.parquet import find_files
from qidguard.engines.duckdb.sources.paths import is_several, is_there

_BLOCK = 1 << 21


@dataclass(frozen=True, kw_only=True)
class SourcePart:
    """One file of a source: its name in the listing that is hashed, and where it stands."""

    name: str
    path: Path


@dataclass(frozen=True, kw_only=True)
class Digested:
    """A file that was read: its name in the listing, its size and the SHA-256 of its bytes, hex."""

    name: str
    size: int
    sha256: str


def find_parts(path: Path) -> list[SourcePart]:
    """Return the files of a file, a folder or a pattern; a database's write-ahead log is one of them."""
    if is_several(path):
        fixed = fixed_part(path)
        return [SourcePart(name=file.relative_to(fixed).as_posix(), path=file) for file in find_files(path)]
    log = path.with_name(path.name + ".wal")
    if is_there(log) and _is_database(path):
        return [SourcePart(name="database", path=path), SourcePart(name="wal", path=log)]
    return [SourcePart(name="", path=path)]


def digest_of(files: Iterable[Digested]) -> str:
    """Return the digest of a source: of its one file's bytes, or of the listing of its files."""
    listed = list(files)
    if [file.name for file in listed] == [""]:
        return listed[0].sha256
    lines = sorted([file.name, file.size, file.sha256] for file in listed)
    return sha256("".join(json.dumps(line) + "\n" for line in lines).encode()).hexdigest()


def path_digest(path: Path) -> str:
    """Return the digest of a path's bytes as they are now."""
    return digest_of(read_bytes(part) for part in find_parts(path))


def read_bytes(part: SourcePart, take: Callable[[memoryview], object] = lambda _: None) -> Digested:
    """Give all bytes of a file to ``take``, block by block; ChangedError where it changes meanwhile."""
    hashed = sha256()
    size = 0
    block = memoryview(bytearray(_BLOCK))
    try:
        file = part.path.open("rb", buffering=0)
    except OSError as error:
        raise _unreadable(part.path, error) from None
    with file:
        before = os.fstat(file.fileno())
        while n := _read_into(file.readinto, block, part.path):
            hashed.update(block[:n])
            take(block[:n])
            size += n
            if size > before.st_size:  # else a file that grows as fast as it is read would never end
                raise changed(part.path.name)
        after = os.fstat(file.fileno())
    if (size, after.st_size) != (before.st_size,) * 2 or after.st_mtime_ns != before.st_mtime_ns:
        raise changed(part.path.name)
    return Digested(name=part.name, size=size, sha256=hashed.hexdigest())


def unchanged(path: Path, label: str) -> Callable[[], None]:
    """Return what raises ChangedError where files that are read in place are no longer what they are now."""
    before = _stamps(path)

    def check() -> None:
        try:
            is_same = _stamps(path) == before
        except (DataError, OSError):
            is_same = False
        if not is_same:
            raise changed(label)

    return check


def changed(label: str) -> ChangedError:
    """Return the error for a file that is another one than when reading began."""
    return ChangedError(
        f"The file {label!r} changed while it was read; wait until it is complete and run it again."
    )


def fixed_part(path: Path) -> Path:
    """Return a folder itself, and of a pattern the folder above its first part that is no plain name.

    Example:
        >>> fixed_part(Path("data/*/x.parquet")).as_posix()
        'data'
    """
    if is_there(path):
        return path
    fixed: list[str] = []
    for part in path.parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return Path(*fixed) if fixed else Path(os.curdir)


def _stamps(path: Path) -> list[tuple[str, int, int, int]]:
    found = ((part.name, part.path.stat()) for part in find_parts(path))
    return [(name, seen.st_size, seen.st_mtime_ns, seen.st_ino) for name, seen in found]


def _read_into(read: Callable[[memoryview], int | None], block: memoryview, path: Path) -> int:
    try:
        return read(block) or 0
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> DataError:
    return DataError(
        f"The file {str(path)!r} cannot be read ({error.strerror or 'unknown reason'}); check it."
    )


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return False
