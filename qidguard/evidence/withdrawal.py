"""The notice beside a release that was withdrawn: which one, when and why, signed by who released."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from qidguard.evidence.canonical import EvidenceFault
from qidguard.evidence.dsse import SHOWN_DIGITS, seal, signer_of, unseal
from qidguard.evidence.fields import Digest, EvidencePart, Instant, Text

if TYPE_CHECKING:
    from qidguard.evidence.ed25519 import PublicKey, SigningKey

FORMAT: Final = "qidguard-withdrawal/2"
PAYLOAD_TYPE = "application/vnd.qidguard.withdrawal+json"

NOTICE_SUFFIX = ".withdrawn.json"
"""What the notice's name has behind the name of the release's folder."""

LARGEST_NOTICE = 65_536
"""A larger file is read no further."""


class Notice(EvidencePart):
    """What a notice says.

    Args:
        format: Name and version of its form.
        data_set: The data set.
        release_id: The release.
        manifest_sha256: The digest of its manifest, hex: another release under its names is not meant.
        withdrawn_at: When it was withdrawn, ISO text in UTC.
        reason: Why.
    """

    format: Literal["qidguard-withdrawal/2"]
    data_set: Text
    release_id: Text
    manifest_sha256: Digest
    withdrawn_at: Instant
    reason: Text

    def sealed(self, key: "SigningKey | None") -> bytes:
        """Return the file of the notice: a DSSE envelope, signed where there is a key."""
        return seal(self.to_bytes(), PAYLOAD_TYPE, key)

    @property
    def sentence(self) -> str:
        """Which release was withdrawn, and when."""
        return f"release {self.release_id} of {self.data_set} was withdrawn on {self.withdrawn_at[:10]}"


def withdrawal_sentence(content: bytes, keys: "Sequence[PublicKey]", manifest_sha256: str | None) -> str:
    """Return what a notice beside a release means; one that nobody vouches for is said to be a doubt.

    Args:
        content: The notice's file.
        keys: The keys whose word counts.
        manifest_sha256: The digest of the release's manifest; None where it cannot be read.

    Example:
        >>> withdrawal_sentence(b"", (), None)
        'A notice of withdrawal stands beside it, and cannot be read: it is empty or no plain file.'
    """
    beside = "A notice of withdrawal stands beside it, and"
    try:
        envelope = unseal(content, PAYLOAD_TYPE) if content else None
        if envelope is None:
            return f"{beside} cannot be read: it is empty or no plain file."
        notice = Notice.read(envelope.payload)
    except EvidenceFault as fault:
        return f"{beside} cannot be read: {fault}."
    ask = "ask whoever published it, or look into their ledger with --ledger"
    try:
        signer = signer_of(envelope, keys)
    except EvidenceFault as fault:
        return (
            f"A notice beside it says that {notice.sentence}, and {fault}, so anybody may have put it"
            f" there; {ask}."
        )
    if notice.manifest_sha256 != manifest_sha256:
        return f"{beside} says that another release was withdrawn ({notice.sentence}); {ask}."
    return (
        f"A notice beside it, signed by key {signer.id[:SHOWN_DIGITS]}…, says that {notice.sentence}:"
        f" {notice.reason}"
    )
