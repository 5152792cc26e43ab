"""HMAC-SHA-256 in SQL: who does not hold the key cannot tell which value a hash is of."""

from dataclasses import dataclass, field
from hashlib import sha256

_BLOCK = 64
_HEX_DIGITS = 32
"""Digits that are kept of a hash: 16 bytes."""


@dataclass(frozen=True, kw_only=True)
class KeyedHash:
    """The two halves of a key, as RFC 2104 pads them.

    Args:
        inner: The key XOR 0x36, 64 bytes.
        outer: The key XOR 0x5c, 64 bytes.
    """

    inner: bytes = field(repr=False)
    outer: bytes = field(repr=False)

    @property
    def parameters(self) -> dict[str, bytes]:
        """What the SQL of ``number`` is run with."""
        return {"inner": self.inner, "outer": self.outer}

    def number(self, message: str) -> str:
        """Return SQL for the first 16 bytes of HMAC(key, message) as one whole number (UHUGEINT).

        HMAC(K, m) = H((K ⊕ opad) ‖ H((K ⊕ ipad) ‖ m)) with H = SHA-256 (Krawczyk, Bellare and Canetti 1997,
        RFC 2104, section 2); truncation to half of it is its section 5.

        Args:
            message: An SQL expression of a text.

        Returns:
            The expression; it has the parameters ``$inner`` and ``$outer``.
        """
        first = f"unhex(sha256($inner::BLOB || encode({message})))"
        return f"CAST('0x' || sha256($outer::BLOB || {first})[1:{_HEX_DIGITS}] AS UHUGEINT)"


def keyed_hash(key: bytes) -> KeyedHash:
    """Return the keyed hash of a key of any length; ValueError for an empty one.

    Example:
        >>> import duckdb, hmac
        >>> hashed = keyed_hash(b"key")
        >>> found = duckdb.execute("SELECT " + hashed.number("'text'"), hashed.parameters).fetchall()[0][0]
        >>> found.to_bytes(16, "big") == hmac.digest(b"key", b"text", "sha256")[:16]
        True
    """
    if not key:
        raise ValueError("a keyed hash needs a key of at least one byte")
    padded = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return KeyedHash(inner=bytes(b ^ 0x36 for b in padded), outer=bytes(b ^ 0x5C for b in padded))
