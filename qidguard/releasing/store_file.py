"""A file in a store: whole before it takes its name."""

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from qidguard.core.private_folder import PREFIX


def replace_in_store(system: Any, made: Path, place: str) -> None:
    """Copy a file into a store, whole before it takes its name; what fails leaves no half of it."""
    if system.isdir(place):
        raise IsADirectoryError
    folder, slash, _ = place.rpartition("/")
    draft = f"{folder}{slash}.{PREFIX}{secrets.token_hex(8)}"
    with suppress(PermissionError):  # a bucket that is there already, and may not be made
        system.makedirs(folder, exist_ok=True)
    try:
        _put(system, made, draft)
        _rename(system, made, draft, place)
    except BaseException:
        _remove(system, draft)
        raise


def _rename(system: Any, made: Path, draft: str, place: str) -> None:
    before, expected = _size(system, place), made.stat().st_size
    try:
        system.mv(draft, place)
        if _size(system, place) not in {None, expected} or system.exists(draft):
            raise OSError  # noqa: TRY301 - a rename that did nothing, or half of it
    except NotImplementedError:  # this store can neither rename nor copy
        _remove(system, draft)
        try:
            _put(system, made, place)
        except BaseException:
            _remove(system, place)
            raise
    except BaseException:
        with suppress(Exception):
            if _size(system, place) not in {before, expected}:
                _remove(system, place)
        raise


def _put(system: Any, made: Path, place: str) -> None:
    system.put_file(str(made), place)
    if _size(system, place) not in {None, made.stat().st_size}:
        raise OSError  # the store kept fewer bytes


def _size(system: Any, place: str) -> int | None:
    """Return the bytes of a file in a store; None where the store does not know, -1 where there is none."""
    system.invalidate_cache()
    try:
        found: int | None = system.size(place)
    except FileNotFoundError:
        return -1
    return found


def _remove(system: Any, place: str) -> None:
    with suppress(Exception):
        system.rm_file(place)
