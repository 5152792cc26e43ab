"""Leave a notice beside a release that was withdrawn, for whoever verifies it without the ledger."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from qidguard.core.errors import UserError
from qidguard.evidence.private_file import write_new
from qidguard.evidence.withdrawal import NOTICE_SUFFIX, notice_bytes


def leave_notice(address: str, data_set: str, release_id: str, manifest_sha256: str, at: datetime) -> str:
    """Write the notice beside the folder at an address, and return where it stands.

    One that stands there already stays, and where the place of the releases is gone none is made.

    Raises:
        UserError: When it cannot be written; the ledger holds the withdrawal all the same.
    """
    content = notice_bytes(data_set, release_id, manifest_sha256, at)
    place = address.rstrip("/") + NOTICE_SUFFIX
    try:
        _write(place, content)
    except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
        why = getattr(error, "strerror", None) or type(error).__name__
        raise UserError(
            f"The withdrawal is recorded, and its notice {place!r} cannot be written ({why}); whoever"
            " verifies the files without the ledger does not learn of it."
        ) from None
    return place


def _write(place: str, content: bytes) -> None:
    if "://" not in place:
        with suppress(FileExistsError):
            write_new(Path(place), content, mode=0o644)
        return
    import fsspec

    system, path = fsspec.core.url_to_fs(place)
    if not system.exists(path):
        system.pipe_file(path, content)
