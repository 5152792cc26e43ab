"""Files of a Great Expectations project: written as its stores write them, and never over what differs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qidguard.core.errors import UserError
from qidguard.core.files import write_whole
from qidguard.core.system import why

Document = Mapping[str, Any]


def write_files(folder: Path, documents: Mapping[str, Document], *, is_forced: bool) -> dict[str, bool]:
    """Write documents as files of a project; all are looked at before the first is written.

    Args:
        folder: The project's folder; it is made where there is none.
        documents: Path in the folder → document.
        is_forced: Whether files that differ are replaced.

    Returns:
        Path in the folder → whether it was written; False for a file that says the same already.

    Raises:
        UserError: When a file is there that differs and ``is_forced`` is False, or one cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_files(Path(folder), {"checkpoints/a.json": {"name": "a"}}, is_forced=False)
        {'checkpoints/a.json': True}
    """
    changed = {path: not _says_the_same(folder / path, said) for path, said in documents.items()}
    standing = [str(folder / path) for path, is_new in changed.items() if is_new and is_there(folder / path)]
    if standing and not is_forced:
        raise UserError(
            f"{', '.join(standing)}: what is there differs from what the policy gives; compare them, and "
            "replace what is there with --force"
        )
    for path, is_new in changed.items():
        if is_new:
            write_text(folder / path, text_of(documents[path]), remedy="name another folder with --to")
    return changed


def text_of(document: Document) -> str:
    """Return a document as the stores of Great Expectations write it, to the byte."""
    return json.dumps(document, indent=2, sort_keys=True)


def _says_the_same(path: Path, document: Mapping[str, Any]) -> bool:
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return _agree(document, there)


def _agree(ours: Any, there: Any) -> bool:
    """Return whether two documents say the same; an id that we do not know may be any."""
    if isinstance(ours, Mapping) and isinstance(there, Mapping):
        is_named = {"id", "name"} == set(ours) == set(there) and ours["id"] is None
        return (is_named and ours["name"] == there["name"]) or (
            set(ours) == set(there) and all(_agree(ours[key], there[key]) for key in ours)
        )
    if isinstance(ours, list) and isinstance(there, list):
        return len(ours) == len(there) and all(map(_agree, ours, there))
    return type(ours) is type(there) and bool(ours == there)


def is_there(path: Path) -> bool:
    """Return whether something stands at a path, be it a link that leads nowhere."""
    return path.is_symlink() or path.exists()


def write_text(path: Path, text: str, *, mode: int = 0o644, remedy: str) -> None:
    """Write a file in one step: it takes the place of an earlier one, or that stays as it was.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_text(Path(folder) / "deep" / "a.txt", "a", remedy="name another folder")
        ...     (Path(folder) / "deep" / "a.txt").read_text()
        'a'
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode(), mode=mode)
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be written ({why(error)}); {remedy}") from None
