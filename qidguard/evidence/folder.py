"""The folder of a release as it is found, wherever fsspec finds it: its names, its contents, its digests."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from qidguard.core.address import shown_address
from qidguard.core.errors import UserError
from qidguard.evidence.canonical import LARGEST_BYTES, EvidenceFault
from qidguard.evidence.withdrawal import LARGEST_NOTICE, NOTICE_SUFFIX

_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class FileDigest:
    """A file as it was found.

    Args:
        bytes: Its size, ≥ 0.
        sha256: Its SHA-256, hex.
    """

    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class ReleaseFolder:
    """The folder of a release.

    Args:
        label: Its address as it may be shown.
        path: The folders above it and its own name, outermost first.
        files: The names of the plain files in it, sorted.
        strays: What else is in it: name → ``a link``, ``a folder`` or ``no plain file``.
        system: The file system of fsspec.
        root: Its path there.
        is_link: Whether a link stands in its place.
        is_below_link: Whether a link stands in the place of the folder above it.
    """

    label: str
    path: tuple[str, ...]
    files: tuple[str, ...]
    strays: dict[str, str]
    system: Any = field(repr=False)
    root: str = field(repr=False)
    is_link: bool = False
    is_below_link: bool = False

    def content(self, name: str) -> bytes:
        """Return a file of evidence as a whole."""
        content = b"".join(self._blocks(name, LARGEST_BYTES + 1))
        if len(content) > LARGEST_BYTES:
            raise EvidenceFault(f"is larger than evidence may be ({LARGEST_BYTES:,} bytes)")
        return content

    def withdrawal(self) -> bytes | None:
        """Return the notice beside it that it was withdrawn; None where there is none."""
        place = self.root + NOTICE_SUFFIX
        try:
            if _kind(self.system.info(place)):
                return b""  # a pipe would be waited for for ever
            content: bytes = self.system.cat_file(place, start=0, end=LARGEST_NOTICE)
        except (FileNotFoundError, NotADirectoryError):
            return b"" if _is_link(self.system, place) else None
        except Exception:  # noqa: BLE001 - as in _blocks; what stands there and cannot be read is in doubt
            return b"" if self._is_there(place) else None
        return content

    def is_beside(self, data_set: str) -> bool:
        """Whether the folder of a data set stands beside the one that this release stands in."""
        above = self.root.rpartition("/")[0].rpartition("/")[0]
        return self._is_there(f"{above}/{data_set}")

    def _is_there(self, path: str) -> bool:
        try:
            return bool(self.system.exists(path))
        except Exception:  # noqa: BLE001 - as in _blocks
            return False

    def file_digest(self, name: str) -> FileDigest:
        """Return the size and the digest of a file, which is read in blocks."""
        digest, size = sha256(), 0
        for block in self._blocks(name):
            digest.update(block)
            size += len(block)
        return FileDigest(bytes=size, sha256=digest.hexdigest())

    def _blocks(self, name: str, most: int | None = None) -> Iterator[bytes]:
        try:
            with self.system.open(f"{self.root}/{name}", "rb") as file:
                while block := file.read(_BLOCK if most is None else min(_BLOCK, most)):
                    yield block
                    most = None if most is None else most - len(block)
        except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
            raise EvidenceFault(f"cannot be read ({type(error).__name__})") from None


def open_folder(address: str) -> ReleaseFolder:
    """Return the folder at an address, its names listed.

    Example:
        >>> open_folder("no-such-folder")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.UserError: there is no folder 'no-such-folder'; check the address
    """
    label = shown_address(address)
    system, root = _located(address, label)
    try:
        system.invalidate_cache(root)
        entries = system.ls(root, detail=True)
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"there is no folder {label!r}; check the address") from None
    except Exception as error:  # noqa: BLE001 - as in _blocks
        raise UserError(
            f"the folder {label!r} cannot be listed ({type(error).__name__}); check access"
        ) from None
    # some stores list a mark of the folder itself, and every store lists a file as itself
    within = [entry for entry in entries if entry["name"].strip("/") != root.strip("/")]
    if any(entry["type"] == "file" and entry.get("size") for entry in entries if entry not in within):
        raise UserError(f"{label!r} is a file; name the folder of the release")
    kinds = {entry["name"].rstrip("/").rpartition("/")[2]: _kind(entry) for entry in within}
    return ReleaseFolder(
        label=label,
        path=tuple(part for part in root.split("/") if part),
        files=tuple(sorted(name for name, kind in kinds.items() if not kind)),
        strays={name: kind for name, kind in sorted(kinds.items()) if kind},
        system=system,
        root=root,
        is_link=_is_link(system, root),
        is_below_link=_is_link(system, root.rpartition("/")[0]),
    )


def _is_link(system: Any, root: str) -> bool:
    from fsspec.implementations.local import LocalFileSystem

    return isinstance(system, LocalFileSystem) and Path(root).is_symlink()


def _located(address: str, label: str) -> tuple[Any, str]:
    if not address.strip() or "\0" in address:
        raise UserError("a release is in a folder; name it by its path or address")
    try:
        if "://" not in address:  # a path may hold what a URL gives a meaning to
            from fsspec.implementations.local import LocalFileSystem

            return LocalFileSystem(), Path(address).absolute().as_posix().rstrip("/")
        import fsspec

        system, root = fsspec.core.url_to_fs(address)
    except ImportError as error:
        needed = f" ({error.name})" if error.name else ""
        raise UserError(
            f"reading {label!r} needs a library that is not installed{needed}; install it"
        ) from None
    except ValueError:
        raise UserError(
            f"the address {label!r} is of no protocol that fsspec knows; copy the folder"
        ) from None
    except Exception as error:  # noqa: BLE001 - as in _blocks
        raise UserError(
            f"the address {label!r} cannot be opened ({type(error).__name__}); check it"
        ) from None
    return system, root.rstrip("/")


def _kind(entry: dict[str, Any]) -> str:
    if entry.get("islink") or entry["type"] == "link":
        return "a link"
    if entry["type"] == "directory":
        return "a folder"
    return "" if entry["type"] == "file" else "no plain file"
