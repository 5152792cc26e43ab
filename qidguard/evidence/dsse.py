"""DSSE envelopes (secure-systems-lab, DSSE v1): a payload, its type, and a signature over both."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qidguard.evidence.canonical import EvidenceFault, canonical_bytes, read_canonical
from qidguard.evidence.fields import AnyText, Digest, EvidencePart, Text

if TYPE_CHECKING:
    from securesystemslib.dsse import Envelope

    from qidguard.evidence.ed25519 import PublicKey, SigningKey


class _SignatureWritten(EvidencePart):
    keyid: Digest
    sig: Text


class _EnvelopeWritten(EvidencePart):
    payload: AnyText
    payloadType: Text  # noqa: N815 - the name of DSSE
    signatures: tuple[_SignatureWritten, ...]


PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""The media type of in-toto statements."""

SHOWN_DIGITS = 12
"""Hexadecimal digits of a digest or a key's id that a sentence shows."""


def seal(payload: bytes, payload_type: str, key: "SigningKey | None") -> bytes:
    """Return the file of an envelope around a payload, signed where there is a key."""
    from securesystemslib.dsse import Envelope

    envelope = Envelope(payload, payload_type, {})
    if key is not None:
        envelope.sign(key.signer)
    return canonical_bytes(envelope.to_dict())


def unseal(content: bytes, payload_type: str) -> "Envelope":
    """Return what the file of an envelope holds, its form checked and its signature not yet."""
    from securesystemslib.dsse import Envelope

    document = read_canonical(content)
    try:
        written = _EnvelopeWritten.read(content)
    except EvidenceFault as fault:
        raise EvidenceFault(f"it is no envelope ({fault})") from None
    if written.payloadType != payload_type:
        raise EvidenceFault(f"it holds another type of payload than {payload_type}")
    if len(written.signatures) > 1:
        raise EvidenceFault(f"it holds {len(written.signatures)} signatures, and one is the rule")
    try:
        envelope = Envelope.from_dict(document)
    except ValueError:
        raise EvidenceFault("it holds something that is not base64") from None
    if canonical_bytes(envelope.to_dict()) != content:  # spare bits of a last character could carry anything
        raise EvidenceFault("it holds a form of base64 that is not the usual one")
    return envelope


def key_id_of(envelope: "Envelope") -> str | None:
    """Return the id of the key that is said to have signed, which nobody signs for; None for no signature."""
    return next(iter(envelope.signatures), None)


def signer_of(envelope: "Envelope", keys: "Iterable[PublicKey]") -> "PublicKey":
    """Return the one of some keys that signed an envelope; EvidenceFault where none did."""
    from securesystemslib.exceptions import VerificationError

    key_id = key_id_of(envelope)
    if key_id is None:
        raise EvidenceFault("is signed by nobody")
    key = next((key for key in keys if key.id == key_id), None)
    if key is None:
        raise EvidenceFault(f"is signed by key {key_id[:SHOWN_DIGITS]}…, which is not among the keys given")
    try:
        envelope.verify([key.verifier], threshold=1)
    except VerificationError:
        raise EvidenceFault(
            f"is not what key {key_id[:SHOWN_DIGITS]}… signed (the signature is wrong)"
        ) from None
    return key
