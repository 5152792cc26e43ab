"""Sources behind a URL: copied by fsspec into the private directory, then read as local files."""

import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from qidguard.core.address import shown_address
from qidguard.core.errors import DataError, UserError


def fetch(url: str, folder: Path, name: str, *, limit: int | None = None) -> Path:
    """Copy what a URL names into a folder."""
    import fsspec

    label = shown_address(url)
    target = folder / (name + "".join(Path(urlsplit(label).path or label).suffixes[-2:]))
    try:
        with fsspec.open(url, "rb") as source, target.open("wb") as copy:
            _copy(source, copy, limit)
    except FileNotFoundError:
        raise DataError(f"Nothing is found at {label!r}; check the address.") from None
    except IsADirectoryError:
        raise DataError(f"The address {label!r} names a folder; name one file.") from None
    except ImportError as error:
        needed = f" ({error.name})" if error.name else ""
        raise UserError(
            f"Reading {label!r} needs a library that is not installed{needed}; install it."
        ) from None
    except ValueError:
        raise UserError(
            f"The address {label!r} is of no protocol that fsspec knows; copy the file here."
        ) from None
    except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
        raise DataError(
            f"The file at {label!r} cannot be read ({type(error).__name__}); check access."
        ) from None
    return target


def _copy(source: Any, target: Any, limit: int | None) -> None:
    if limit is None:
        shutil.copyfileobj(source, target, 1 << 22)
    else:
        target.write(source.read(limit))
