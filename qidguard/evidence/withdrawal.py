"""The notice beside a release's folder that it was withdrawn; the reason stands in the ledger alone."""

from datetime import UTC, datetime
from typing import Any

from qidguard.evidence.canonical import canonical_bytes, read_canonical
from qidguard.evidence.fault import EvidenceFault
from qidguard.evidence.shape import digest, instant, one_of, record, text

FORMAT = "qidguard-withdrawal/1"

NOTICE_SUFFIX = ".withdrawn.json"
"""What the notice's name has behind the name of the release's folder."""

LARGEST_NOTICE = 65_536
"""A larger file is read no further."""

_NOTICE = record(
    format=one_of(FORMAT), data_set=text, release_id=text, manifest_sha256=digest, withdrawn_at=instant
)


def notice_bytes(data_set: str, release_id: str, manifest_sha256: str, at: datetime) -> bytes:
    """Return the file of a notice.

    Example:
        >>> from datetime import UTC, datetime
        >>> at = datetime(2026, 11, 22, tzinfo=UTC)
        >>> withdrawal_sentence(notice_bytes("people", "r1", "a" * 64, at))
        'Release r1 of people was withdrawn on 2026-11-22, as a notice beside it says.'
    """
    document = {
        "format": FORMAT,
        "data_set": data_set,
        "release_id": release_id,
        "manifest_sha256": manifest_sha256,
        "withdrawn_at": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    _NOTICE("", document)
    return canonical_bytes(document)


def withdrawal_sentence(content: bytes) -> str:
    """Return what a notice says; one that cannot be read counts as well."""
    try:
        document: dict[str, Any] = read_canonical(content)
        _NOTICE("", document)
    except EvidenceFault as fault:
        return f"A notice of withdrawal stands beside it, and cannot be read: {fault}."
    day = document["withdrawn_at"][:10]
    return (
        f"Release {document['release_id']} of {document['data_set']} was withdrawn on {day}, as a notice"
        " beside it says."
    )
