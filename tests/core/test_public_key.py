"""Public keys in a policy: one text for each key, and none that anybody can sign under."""

import base64
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from qidguard.policy.exceptions import _PATTERN, EXAMPLE, PREFIX, public_key

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]


def written(content: bytes) -> str:
    """Return bytes as a key's text."""
    return PREFIX + base64.b64encode(content).decode()


def add(left: Point, right: Point) -> Point:
    """Return the sum of two points of edwards25519 (RFC 8032, section 5.1)."""
    (x, y), (u, v) = left, right
    t = D * x * u * y * v % P
    return (x * v + u * y) * pow(1 + t, -1, P) % P, (y * v + x * u) * pow(1 - t, -1, P) % P


def points(y: int) -> list[Point]:
    """Return the points with this y: none, one or two."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square:
        root = root * pow(2, (P - 1) // 4, P) % P
    return [] if root * root % P != square else [(root, y % P), (-root % P, y % P)]


def has_small_order(y: int) -> bool:
    """Whether a point with this y gives zero when it is doubled three times."""
    for point in points(y):
        doubled = point
        for _ in range(3):
            doubled = add(doubled, doubled)
        if doubled == (0, 1):
            return True
    return False


@given(st.binary(min_size=32, max_size=32).filter(any))
def test_any_32_bytes_have_one_text(content: bytes) -> None:
    """The text is kept as it is, and the schema's pattern takes it."""
    text = written(content)
    assert public_key(text) == text
    assert re.search(_PATTERN, text)


@given(st.binary(min_size=32, max_size=32).filter(any), st.integers(1, 3))
def test_a_second_text_of_the_same_bytes_is_refused(content: bytes, bits: int) -> None:
    """The last letter has two bits that say nothing; another text must not name the same key."""
    text = written(content)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = text[:-2] + letters[letters.index(text[-2]) + bits] + "="
    assert base64.b64decode(other.removeprefix(PREFIX)) == content
    with pytest.raises(PydanticCustomError):
        public_key(other)
    assert re.search(_PATTERN, other) is None


@pytest.mark.parametrize("text", [
    "", "ed25519:", EXAMPLE.removeprefix(PREFIX), EXAMPLE.upper(), EXAMPLE + "\n", " " + EXAMPLE,
    EXAMPLE.rstrip("="), EXAMPLE.replace("/", "_"), written(b"x" * 31), written(b"x" * 33),
    PREFIX + EXAMPLE, "ed25519:" + "ä" * 44,
])  # fmt: skip
def test_what_is_no_key_is_refused(text: str) -> None:
    """Other lengths, other alphabets, white space and missing padding."""
    with pytest.raises(PydanticCustomError, match="must be a public key"):
        public_key(text)


def small_order() -> set[int]:
    """Return the y of every point whose order divides 8, found by arithmetic."""
    order = 2**252 + 27742317777372353535851937790883648493
    for start in range(2, 100):
        for point in points(start):
            found, power, rest = (0, 1), point, order
            while rest:
                found = add(found, power) if rest & 1 else found
                power, rest = add(power, power), rest >> 1
            multiples = [found]
            while multiples[-1] != (0, 1):
                multiples.append(add(multiples[-1], found))
            if len(multiples) == 8:
                return {y for _, y in multiples}
    raise AssertionError("the curve has a point of order 8")


def test_a_key_under_which_anybody_can_sign_is_refused() -> None:
    """All points of small order, with either sign of x and above the prime; the key of zeros is one."""
    ys = small_order()
    assert len(ys) == 5
    assert all(has_small_order(y) for y in ys)
    every = ys | {y + P for y in ys if y + P < 2**255}
    assert len(every) == 7
    for y in every:
        for sign in (0, 1 << 255):
            with pytest.raises(PydanticCustomError, match="anybody can sign under it"):
                public_key(written((y | sign).to_bytes(32, "little")))
    assert not has_small_order(4 * pow(5, -1, P) % P)
    assert public_key(written((4 * pow(5, -1, P) % P).to_bytes(32, "little")))


def test_nobody_can_sign_under_the_example() -> None:
    """It is a hash and no point of the curve: who copies it trusts nobody."""
    content = base64.b64decode(EXAMPLE.removeprefix(PREFIX))
    assert content == hashlib.sha256(b"An example of a public key, number 1").digest()
    assert points(int.from_bytes(content, "little") & ~(1 << 255)) == []
