"""What is published stands apart from what is private, and from what is read."""

import glob
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qidguard.core.errors import UserError
from qidguard.core.naming import folded
from qidguard.core.system import expanded
from qidguard.releasing.publishing.destination import Destination


def check_private_apart(
    destination: Destination, data_set: str, *, folders: Mapping[str, Path], files: Mapping[str, Path]
) -> None:
    """Refuse a destination in a private folder, and private folders and files among the releases.

    Links, ``..`` and another spelling of a folder that stands there lead to the same place.

    Args:
        destination: Where releases go.
        data_set: Whose releases.
        folders: In words what each private folder is → where it is, be it there or not.
        files: The same of private files.

    Raises:
        UserError: When they are not apart.
    """
    if destination.path is None:
        return
    releases = destination.path / data_set
    for what, path in folders.items():
        if _is_within(destination.path, path):
            raise UserError(
                f"The destination {destination.label!r} stands in {what} {str(path)!r}, so what is published"
                " would lie among what is private; name a folder outside of it."
            )
    for what, path in (*folders.items(), *files.items()):
        if _is_within(path, releases):
            raise UserError(
                f"The releases would go to {str(releases)!r}, and {what} {str(path)!r} stands there, so what"
                " is private would lie among what is published; name another destination."
            )


def check_source_apart(destination: Destination, data_set: str, source: Any) -> None:
    """Refuse a source that holds the releases, or stands among them: the next run would read them as data."""
    text = str(source) if hasattr(source, "__fspath__") else source
    if destination.path is None or not isinstance(text, str) or "://" in text:
        return
    releases = destination.path / data_set
    # the fixed part of a pattern such as data/*.parquet
    fixed = next((p for p in (Path(text), *Path(text).parents) if not glob.has_magic(str(p))), Path())
    place = expanded(fixed).resolve()
    is_around = place in (releases, *releases.parents) and not place.is_file()
    if is_around or releases in place.parents:
        raise UserError(
            f"The source {text!r} and the releases in {str(releases)!r} stand in one another, so a release"
            " would be read as data; name another destination."
        )


def _is_within(inner: Path, outer: Path) -> bool:
    """Whether a path is another one or stands in it, links followed."""
    real = Path(os.path.realpath(inner))
    sought = _identity(Path(os.path.realpath(outer)))
    return any(_identity(place) == sought for place in (real, *real.parents))


def _identity(path: Path) -> tuple[int, int, tuple[str, ...]]:
    """Return what a path is, however it is spelled: what stands there of it, and the folded names below."""
    for place in (path, *path.parents):
        try:
            found = place.stat()
        except OSError:  # it is not there, or may not be looked at
            continue
        return found.st_dev, found.st_ino, tuple(map(folded, path.parts[len(place.parts) :]))
    return 0, 0, tuple(map(folded, path.parts))  # pragma: no cover - a root is always there
