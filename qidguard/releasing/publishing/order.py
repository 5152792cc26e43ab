"""What is drawn for a release, values and order: of the seed and a secret, so no guessed seed undoes it."""

import hmac

_PURPOSE = b"qidguard record order/1\0"
_DRAWING = b"qidguard drawn values/1\0"


def order_seed(seed: int, secret: bytes) -> int:
    """Return the seed of the records' order: HMAC-SHA-256 of the run's seed under a secret.

    The same seed gives the same order where the secret is the same, and tells nothing of it elsewhere.

    Example:
        >>> order_seed(1, b"a" * 32) == order_seed(1, b"a" * 32) != order_seed(1, b"b" * 32)
        True
    """
    digest = hmac.digest(secret, _PURPOSE + str(seed).encode("ascii"), "sha256")
    return int.from_bytes(digest[:16], "big")


def drawing_seed(seed: int, secret: bytes) -> int:
    """Return the seed of what a remedy draws, 0 to 2^63 - 1: HMAC-SHA-256 of the run's seed under a secret.

    Example:
        >>> drawing_seed(1, b"a" * 32) == drawing_seed(1, b"a" * 32) != drawing_seed(1, b"b" * 32)
        True
    """
    digest = hmac.digest(secret, _DRAWING + str(seed).encode("ascii"), "sha256")
    return int.from_bytes(digest[:8], "big") >> 1
