"""Files of others, copied once into the private directory: what is hashed is what is read."""

import os
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from qidguard.engines.duckdb.connection import Connection
from qidguard.engines.duckdb.sources.database import held
from qidguard.engines.duckdb.sources.file_bytes import (
    Digested,
    Part,
    digest_of,
    find_parts,
    fixed_part,
    read_bytes,
)
from qidguard.engines.duckdb.sources.parquet import unread_notes

_NAME = "table"


@dataclass(frozen=True, kw_only=True)
class Received:
    """A private copy of a file, a folder or what a pattern matches.

    Args:
        path: The file, folder or pattern within the private directory.
        folder: All that was made.
        digest: The digest of exactly the bytes in it.
        notes: Sentences on what was left out.
    """

    path: Path
    folder: Path
    digest: str
    notes: tuple[str, ...]

    def remove(self) -> None:
        """Remove the copy; a second call does nothing."""
        rmtree(self.folder, ignore_errors=True)


def receive(connection: Connection, path: Path, label: str, kind: str) -> Received:
    """Copy a source of a format into the private directory; ChangedError where it changes meanwhile."""
    folder = connection.new_path("")
    try:
        # DuckDB keeps other programs from writing to a database while it is attached
        with held(connection, path, label) if kind == "duckdb" else nullcontext():
            parts = find_parts(path)
            if path.is_file():
                inside = folder / _NAME
                targets = [inside.with_name(f"{_NAME}.wal" if p.path != path else _NAME) for p in parts]
            else:
                fixed = fixed_part(path)
                root = folder / (fixed.name or _NAME)
                inside = root / path.relative_to(fixed)
                targets = [root / part.name for part in parts]
            digest = digest_of([_copy(*pair) for pair in zip(parts, targets, strict=True)])
    except OSError as error:
        from qidguard.engines.duckdb.snapshot.fault import cannot_write

        rmtree(folder, ignore_errors=True)
        raise cannot_write(folder, f"copying {label!r}", error) from None
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    notes = unread_notes(path, [part.path for part in parts])
    return Received(path=inside, folder=folder, digest=digest, notes=notes)


def _copy(part: Part, target: Path) -> Digested:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        return read_bytes(part, lambda block: bool(file.write(block)))
