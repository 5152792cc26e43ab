"""Leave a notice beside a release that was withdrawn, for whoever verifies it without the ledger."""

from errno import ELOOP
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.core.system import open_plain, why
from qidguard.evidence.private_file import write_new
from qidguard.evidence.withdrawal import NOTICE_SUFFIX, Notice

if TYPE_CHECKING:
    from qidguard.evidence.ed25519 import SigningKey


def leave_notice(address: str, notice: Notice, key: "SigningKey | None") -> str:
    """Write the notice beside the folder at an address, and return where it stands.

    One that says the same with the same signature stays.

    Raises:
        UserError: When it cannot be written, or another one stands there; the ledger holds the withdrawal all
            the same.
    """
    content = notice.sealed(key)
    place = address.rstrip("/") + NOTICE_SUFFIX
    try:
        there = _left(place, content)
    except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
        raise UserError(
            f"The withdrawal is recorded, and its notice {place!r} cannot be written ({why(error)}); whoever"
            " verifies the files without the ledger does not learn of it."
        ) from None
    if there != content:
        raise UserError(
            f"The withdrawal is recorded, and another notice stands at {place!r}, which is left as it is;"
            " remove it and withdraw the release once more to have it say this with this signature."
        )
    return place


def _left(place: str, content: bytes) -> bytes:
    """Write a file where there is none, and return what stands there."""
    if "://" not in place:
        path = Path(place)
        if path.parent.is_symlink():
            raise OSError(ELOOP, "a link stands in the place of its folder")
        try:
            write_new(path, content, mode=0o644)
        except FileExistsError:
            with open_plain(path) as file:
                return file.read(len(content) + 1)
        return content
    import fsspec

    system, path_there = fsspec.core.url_to_fs(place)
    if not system.exists(path_there):
        system.pipe_file(path_there, content)
    found: bytes = system.cat_file(path_there, start=0, end=len(content) + 1)
    return found
