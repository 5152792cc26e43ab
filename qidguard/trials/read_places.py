"""Where a source reads: its files, and the folders in which it would find new ones; paths and local URLs."""

import glob
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError

if TYPE_CHECKING:
    from qidguard.policy import Policy


def other_sources(policy: "Policy") -> tuple[str, ...]:
    """Return what a policy has read beside its table, over which nothing may be written.

    Args:
        policy: The policy.

    Returns:
        The addresses of its population, of the files of its hierarchies, of its lexicon and its codebook, as
        seen from here, each once.

    Raises:
        RuntimeError: When a path begins with ``~`` and the account has no home directory.

    Example:
        >>> from qidguard.policy import parse_policy
        >>> text = "qidguard: 1, name: p, preset: pdpc-sg-5, roles: {quasi_identifiers: [age]}"
        >>> more = "population: {path: census.csv}, hierarchies: {age: {file: levels/age.csv}}"
        >>> other_sources(parse_policy(f"{{{text}, {more}}}", "rules/p.yaml"))
        ('rules/census.csv', 'rules/levels/age.csv')
    """
    return tuple(dict.fromkeys(map(policy.resolve, policy.files_beside.values())))


def spellings(text: str) -> set[str]:
    """Return the paths that a source may mean: fsspec takes a URL as it stands, others decode it."""
    if is_local(text):
        from fsspec.implementations.local import LocalFileSystem

        plain = text.partition("://")[2]
        places = {str(LocalFileSystem._strip_protocol(f"file://{plain}"))}  # noqa: SLF001 - what fsspec itself reads
        with suppress(UserError):
            places.add(local_path(text))
        return places
    if not text or "\0" in text or "://" in text:
        return set()
    places = {text}
    with suppress(RuntimeError):
        places.add(str(Path(text).expanduser()))
    return places


def read_places(text: str) -> tuple[set[Path], set[Path]]:
    """Return the files that a path or pattern reads now, and the folders in which it would find new ones."""
    path = Path(text)
    if os.path.isdir(text):  # noqa: PTH112 - Path.is_dir raises where a name is too long
        return {real(link) for link in path.rglob("*") if link.is_symlink()}, {real(path)}
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


_LOCAL = frozenset({"file", "local"})


def is_local(url: str) -> bool:
    """Return whether a URL names a file of this machine."""
    scheme, separator, _ = url.partition("://")
    return bool(separator) and scheme.lower() in _LOCAL


def local_path(url: str) -> str:
    """Return the path that a URL of this machine means."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise no_path(url) from None
    if parts.netloc not in {"", "localhost"}:
        raise UserError(
            f"{shown_address(url)!r} names another machine; write file:///folder/table.csv for a file here"
        )
    if parts.query or parts.fragment:
        raise no_path(url)
    return unquote(parts.path)


def no_path(to: str) -> UserError:
    """Return the error for what is no path."""
    return UserError(f"{shown_address(to)!r} is no path of this machine; name a file")
