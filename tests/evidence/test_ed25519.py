import pickle

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from securesystemslib.exceptions import UnverifiedSignatureError
from securesystemslib.signer import Signature

from qidguard.core.errors import UserError
from qidguard.evidence.ed25519 import PublicKey, SigningKey, parse_public_key

SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
SIGNATURE = bytes.fromhex(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
    "d25bf5f0595bbe24655141438e7a100b"
)
TEXT = "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

PRIME = 2**255 - 19
D = (-121665 * pow(121666, -1, PRIME)) % PRIME


def checks(public: PublicKey, signature: bytes, message: bytes) -> bool:
    """Whether a signature over a message is of a key."""
    try:
        public.verifier.verify_signature(Signature(public.id, signature.hex()), message)
    except UnverifiedSignatureError:
        return False
    return True


@pytest.fixture
def key():
    """Return the key of RFC 8032, section 7.1, test 1."""
    return SigningKey(Ed25519PrivateKey.from_private_bytes(SEED))


def test_rfc_8032_test_1(key):
    """The RFC's first key signs the empty message as there; its id is what sha256sum says of the raw key."""
    assert (key.public.raw, key.public.text) == (PUBLIC, TEXT)
    assert key.signer.sign(b"").signature == SIGNATURE.hex()
    assert checks(key.public, SIGNATURE, b"")
    assert key.public.id == "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"
    assert parse_public_key(TEXT) == key.public


def test_a_signature_is_for_one_message_and_one_key(key):
    """Another message, another key, one bit, another length: none of them checks."""
    other = SigningKey(Ed25519PrivateKey.generate()).public
    assert not checks(key.public, SIGNATURE, b"x")
    assert not checks(other, SIGNATURE, b"")
    for position in range(64):
        changed = bytearray(SIGNATURE)
        changed[position] ^= 1
        assert not checks(key.public, bytes(changed), b"")
    for length in (0, 63, 65):
        assert not checks(key.public, (SIGNATURE + b"\0")[:length], b"")


def test_a_signature_has_one_form(key):
    """S + L satisfies the equation too, and RFC 8032 (5.1.7) forbids it: it would be a second attestation."""
    order = 2**252 + 27742317777372353535851937790883648493
    s = int.from_bytes(SIGNATURE[32:], "little") + order
    assert not checks(key.public, SIGNATURE[:32] + s.to_bytes(32, "little"), b"")


@given(st.binary(min_size=32, max_size=32))
def test_every_key_has_one_text(raw):
    """What is written is read back."""
    try:
        key = PublicKey(raw=raw)
    except UserError:
        return
    assert parse_public_key(key.text) == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT + "\n",
        " " + TEXT,
        TEXT.upper(),
        TEXT.removeprefix("ed25519:"),
        TEXT[:-1],
        TEXT + "=",
        TEXT.replace("o=", "p="),  # the same 32 bytes with other spare bits
        TEXT.replace("/", "_"),
        "ed25519:" + "A" * 42 + "==",
        "ed25519:" + "é" * 43 + "=",
    ],
)
def test_other_forms_are_refused(text):
    """White space, other alphabets, other lengths, other spare bits."""
    with pytest.raises(UserError, match="44 characters of base64"):
        parse_public_key(text)


def add(p: tuple[int, int], q: tuple[int, int]) -> tuple[int, int]:
    """Add two points of the curve by the formula of RFC 8032, 5.1.4, in affine coordinates."""
    k = D * p[0] * q[0] * p[1] * q[1] % PRIME
    return (
        (p[0] * q[1] + p[1] * q[0]) * pow(1 + k, -1, PRIME) % PRIME,
        (p[1] * q[1] + p[0] * q[0]) * pow(1 - k, -1, PRIME) % PRIME,
    )


def point(y: int) -> tuple[int, int]:
    """Return a point with this y (RFC 8032, 5.1.3)."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if x * x % PRIME != square:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    assert x * x % PRIME == square
    return x, y


def test_keys_for_which_anyone_can_sign_are_refused():
    """Eight points have an order that divides 8; each of their encodings is refused, proper or not."""
    from qidguard.evidence.ed25519 import _SMALL_ORDER

    found = set()
    for y in _SMALL_ORDER:
        x, _ = p = point(y)
        for _ in range(3):
            p = add(p, p)
        assert p == (0, 1)
        found |= {(x, y), (-x % PRIME, y)}
    assert len(found) == 8
    for number in (*_SMALL_ORDER, PRIME, PRIME + 1):
        for sign in (0, 1 << 255):
            with pytest.raises(UserError, match="anyone could sign"):
                PublicKey(raw=(number | sign).to_bytes(32, "little"))


def test_a_signing_key_does_not_show_itself(key):
    """Neither printed nor pickled."""
    assert repr(key) == str(key) == "<signing key 21fe31dfa154…>"
    with pytest.raises(TypeError):
        pickle.dumps(key)
    assert not hasattr(key, "__dict__")


def test_a_key_has_32_bytes_and_may_be_no_point():
    """One that was cut is none; one that is no point of the curve, as y = 2, checks nothing."""
    for length in (0, 31, 33):
        with pytest.raises(UserError, match="32 bytes"):
            PublicKey(raw=b"\x07" * length)
    square = 3 * pow(4 * D + 1, -1, PRIME) % PRIME
    assert pow(square, (PRIME - 1) // 2, PRIME) == PRIME - 1
    assert not checks(PublicKey(raw=(2).to_bytes(32, "little")), SIGNATURE, b"")
