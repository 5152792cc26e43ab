"""Random strings of a shape, and the share of them that passes a test."""

import random
import string

_KINDS = {
    "9": string.digits,
    "A": string.ascii_uppercase,
    "X": string.digits + string.ascii_uppercase,
    "H": "0123456789ABCDEF",
}


def share_that_passes(test, shape: str, *, draws: int, seed: int = 0) -> float:
    """Return the share of random strings of a shape that pass a test of content."""
    drawn = random.Random(seed)  # noqa: S311 - reproducible, no secret
    strings = ("".join(drawn.choice(_KINDS[c]) if c in _KINDS else c for c in shape) for _ in range(draws))
    return sum(map(test.passes, strings)) / draws
