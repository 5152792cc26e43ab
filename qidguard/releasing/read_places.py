"""Where a source reads: its files, and the folders in which it would find new ones."""

import glob
import os
from contextlib import suppress
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.releasing.local_url import is_local, local_path


def spellings(text: str) -> set[str]:
    """Return the paths that a source may mean: fsspec takes a URL as it stands, others decode it."""
    if is_local(text):
        from fsspec.implementations.local import LocalFileSystem

        plain = text.partition("://")[2]
        found = {str(LocalFileSystem._strip_protocol(f"file://{plain}"))}  # noqa: SLF001 - what fsspec itself reads
        with suppress(UserError):
            found.add(local_path(text))
        return found
    if not text or "\0" in text or "://" in text:
        return set()
    found = {text}
    with suppress(RuntimeError):
        found.add(str(Path(text).expanduser()))
    return found


def read_places(text: str) -> tuple[set[Path], set[Path]]:
    """Return the files that a path or pattern reads now, and the folders in which it would find new ones."""
    path = Path(text)
    if os.path.isdir(text):  # noqa: PTH112 - Path.is_dir raises where a name is too long
        return {real(found) for found in path.rglob("*") if found.is_symlink()}, {real(path)}
    # a file of that very name goes before a pattern
    if os.path.exists(text) or not glob.has_magic(text):  # noqa: PTH110 - as above
        return {real(path)}, set()
    fixed = next(place for place in path.parents if not glob.has_magic(str(place)))
    inner = glob.glob(str(path.parent), recursive=True)  # noqa: PTH207 - the pattern may be absolute
    files = glob.glob(text, recursive=True)  # noqa: PTH207 - as above
    return {real(file) for file in files}, {real(fixed), *map(real, inner)}


def real(path: str | Path) -> Path:
    """Return a path without links; never an error."""
    return Path(os.path.realpath(path))  # Path.resolve raises where links lead in a circle
