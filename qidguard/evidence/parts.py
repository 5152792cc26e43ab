"""The parts that a manifest and an attestation have in common, and the names that files may have."""

from typing import Any

from qidguard.evidence.fault import EvidenceFault
from qidguard.evidence.shape import (
    Shape,
    count,
    day_or_instant,
    digest,
    list_of,
    one_of,
    optional,
    record,
    text,
)

MANIFEST = "manifest.json"
"""The file that makes a folder a release; it is written last."""

ATTESTATION = "attestation.json"
"""The file with the statement about the release and its signature."""

LONGEST_NAME_BYTES = 255

OUTCOME: Shape = one_of("passed", "passed_by_exception")

POLICY: Shape = record(name=text, sha256=digest, preset=optional(text))

APPROVAL: Shape = record(
    id=text, by=text, key_id=digest, reason=text, expires=day_or_instant, thresholds=list_of(text)
)
"""A signed exception: who let which thresholds through, why, and until when."""

LEDGER_ENTRY: Shape = record(sequence=count, hash=digest)


def file_name(place: str, value: Any) -> None:
    """Refuse what could name anything but a plain file in the release's own folder.

    Example:
        >>> file_name("files[0].name", "patients.parquet")
    """
    text(place, value)
    is_outside = value in {".", ".."} or any(
        character in "/\\" or ord(character) < ord(" ") for character in value
    )
    if is_outside or len(value.encode("utf-8", "surrogatepass")) > LONGEST_NAME_BYTES:
        raise EvidenceFault(f"{place} is not the name of a file in the release's own folder")


def agree_on_exceptions(outcome: str, exceptions: int) -> None:
    """Refuse an exception that is not said, and one that is said and not there.

    Args:
        outcome: ``passed`` or ``passed_by_exception``.
        exceptions: Number of exceptions, ≥ 0.

    Example:
        >>> agree_on_exceptions("passed", 0)
    """
    if (outcome == "passed_by_exception") != (exceptions > 0):
        raise EvidenceFault("its outcome and its exceptions contradict each other")
