"""Ed25519 keys (RFC 8032): who signs, and how anyone checks it."""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from qidguard.core.errors import UserError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from securesystemslib.signer import SSlibKey

PREFIX = "ed25519:"
KEY_BYTES = 32

_FORM = re.compile(r"ed25519:([A-Za-z0-9+/]{43}=)")
_PRIME = 2**255 - 19
_Y_BITS = 2**255 - 1
_Y_OF_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = frozenset({0, 1, _PRIME - 1, _Y_OF_ORDER_8, _PRIME - _Y_OF_ORDER_8})
"""The y of the points whose order divides 8: under such a key anyone can make signatures that check."""


@dataclass(frozen=True, kw_only=True)
class PublicKey:
    """The key that checks signatures.

    Args:
        raw: The 32 bytes of RFC 8032.
    """

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != KEY_BYTES:
            raise UserError(f"an Ed25519 public key has {KEY_BYTES} bytes; check that it was copied whole")
        if (int.from_bytes(self.raw, "little") & _Y_BITS) % _PRIME in _SMALL_ORDER:
            raise UserError("anyone could sign for this public key; use one that was made as a key")

    @property
    def text(self) -> str:
        """The key as it stands in a policy: ``ed25519:`` and base64."""
        return PREFIX + base64.b64encode(self.raw).decode("ascii")

    @property
    def id(self) -> str:
        """SHA-256 of the raw key, 64 hexadecimal digits."""
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def verifier(self) -> "SSlibKey":
        """The same key as what checks envelopes takes it."""
        from securesystemslib.signer import SSlibKey

        return SSlibKey(self.id, "ed25519", "ed25519", {"public": self.raw.hex()})


class SigningKey:
    """The key that signs. It never shows itself: not in text, not in a pickle.

    Args:
        private: The private key of the cryptography package.
    """

    __slots__ = ("public", "signer")

    def __init__(self, private: "Ed25519PrivateKey") -> None:
        from securesystemslib.signer import CryptoSigner

        self.public: Final = PublicKey(raw=private.public_key().public_bytes_raw())
        self.signer: Final = CryptoSigner(private, self.public.verifier)

    def __repr__(self) -> str:
        return f"<signing key {self.public.id[:12]}…>"

    def __reduce__(self) -> str:
        raise TypeError("a signing key is not pickled")


def parse_public_key(text: str) -> PublicKey:
    """Return the public key in its text form."""
    form = _FORM.fullmatch(text)
    try:
        raw = base64.b64decode(form[1], validate=True) if form else b""
    except binascii.Error:
        raw = b""
    key = PublicKey(raw=raw) if raw else None
    if key is None or key.text != text:
        raise UserError(
            f"a public key is written as {PREFIX} and 44 characters of base64, and this is not; "
            "copy the whole line from the .pub file"
        )
    return key
