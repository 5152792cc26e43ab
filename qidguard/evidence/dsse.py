"""DSSE envelopes (secure-systems-lab, DSSE v1): a payload, its type, and signatures over both."""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from qidguard.evidence.canonical import EvidenceFault, canonical_bytes, read_canonical
from qidguard.evidence.shape import any_text, digest, list_of, record, text

if TYPE_CHECKING:
    from qidguard.evidence.ed25519 import PublicKey, SigningKey

_ENVELOPE = record(payload=any_text, payloadType=text, signatures=list_of(record(keyid=digest, sig=text)))

PAYLOAD_TYPE = "application/vnd.in-toto+json"
"""The media type of in-toto statements."""

SHOWN_DIGITS = 12
"""Hexadecimal digits of a digest or a key's id that a sentence shows."""


class Signature(NamedTuple):
    """One signature of an envelope.

    Args:
        keyid: The id of the key that is said to have made it; it is not signed itself.
        sig: The signature's bytes.
    """

    keyid: str
    sig: bytes


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """What an envelope holds; nothing of it is to be believed before ``signer`` has returned a key.

    Args:
        payload: The raw bytes that are signed for.
        payload_type: Their media type, signed for as well.
        signatures: None for an envelope that nobody signed.
    """

    payload: bytes
    payload_type: str
    signatures: tuple[Signature, ...]

    @property
    def signed_bytes(self) -> bytes:
        """What a signature of it is over."""
        return pre_authentication(self.payload, self.payload_type)

    def signer(self, keys: "Iterable[PublicKey]") -> "PublicKey":
        """Return the key that signed the payload.

        Example:
            >>> Envelope(payload=b"", payload_type="text/plain", signatures=()).signer([])
            Traceback (most recent call last):
            ...
            qidguard.evidence.canonical.EvidenceFault: is signed by nobody
        """
        if not self.signatures:
            raise EvidenceFault("is signed by nobody")
        if len(self.signatures) > 1:
            raise EvidenceFault(f"holds {len(self.signatures)} signatures, and one is the rule")
        signature = self.signatures[0]
        named = [key for key in keys if key.id == signature.keyid]
        if not named:
            raise EvidenceFault(
                f"is signed by key {signature.keyid[:SHOWN_DIGITS]}…, which is not among the keys given"
            )
        if not named[0].is_signature_of(signature.sig, self.signed_bytes):
            raise EvidenceFault(
                f"is not what key {signature.keyid[:SHOWN_DIGITS]}… signed (the signature is wrong)"
            )
        return named[0]


def pre_authentication(payload: bytes, payload_type: str) -> bytes:
    """Return what is signed: DSSE's pre-authentication encoding (PAE), so that no type is taken for another.

    ``"DSSEv1" SP len(type) SP type SP len(payload) SP payload``, lengths in bytes as decimal numbers
    (DSSE protocol v1, secure-systems-lab/dsse).
    """
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, payload_type: str, key: "SigningKey | None") -> bytes:
    r"""Return the file of an envelope around a payload."""
    signatures: list[dict[str, str]] = []
    if key is not None:
        sig = key.sign(pre_authentication(payload, payload_type))
        signatures.append({"keyid": key.public.id, "sig": _to_base64(sig)})
    return canonical_bytes(
        {"payload": _to_base64(payload), "payloadType": payload_type, "signatures": signatures}
    )


def unseal(envelope: bytes, payload_type: str) -> Envelope:
    r"""Return what the file of an envelope holds, its form checked and its signatures not yet."""
    document: dict[str, Any] = read_canonical(envelope)
    try:
        _ENVELOPE("", document)
    except EvidenceFault as fault:
        raise EvidenceFault(f"it is no envelope ({fault})") from None
    if document["payloadType"] != payload_type:
        raise EvidenceFault(f"it holds another type of payload than {payload_type}")
    return Envelope(
        payload=_from_base64(document["payload"], "payload"),
        payload_type=payload_type,
        signatures=tuple(
            Signature(signature["keyid"], _from_base64(signature["sig"], "signature"))
            for signature in document["signatures"]
        ),
    )


def _to_base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _from_base64(encoded: str, what: str) -> bytes:
    try:
        content = base64.b64decode(encoded.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise EvidenceFault(f"it holds a {what} that is not base64") from None
    if _to_base64(content) != encoded:  # spare bits of the last character could carry anything
        raise EvidenceFault(f"it holds a {what} in a form of base64 that is not the usual one")
    return content
