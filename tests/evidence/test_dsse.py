import base64
import json

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from qidguard.evidence.canonical import EvidenceFault, canonical_bytes
from qidguard.evidence.dsse import PAYLOAD_TYPE, key_id_of, seal, signer_of, unseal
from released import contents, new_key

KEY = new_key()


def check_by_hand(envelope: bytes, raw: bytes) -> bytes:
    """Return the payload if the signature is right, by the specification and nothing of ours."""
    document = json.loads(envelope)
    body = base64.standard_b64decode(document["payload"])
    kind = document["payloadType"].encode()
    message = b" ".join([b"DSSEv1", str(len(kind)).encode(), kind, str(len(body)).encode(), body])
    (signature,) = document["signatures"]
    Ed25519PublicKey.from_public_bytes(raw).verify(base64.standard_b64decode(signature["sig"]), message)
    return body


def test_another_implementation_verifies_our_attestation():
    """A few lines by the specification find our signature right, and a statement of in-toto in it."""
    files = contents(KEY)
    statement = json.loads(check_by_hand(files["attestation.json"], KEY.public.raw))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:qidguard:release:v3"
    assert [subject["name"] for subject in statement["subject"]] == ["manifest.json", "patients.csv"]
    with pytest.raises(InvalidSignature):
        check_by_hand(files["attestation.json"], new_key().public.raw)


def test_we_verify_an_envelope_made_by_hand():
    """The other way round: signed with the cryptography package alone."""
    message = b"DSSEv1 10 text/plain 5 hello"
    sig = KEY.signer.sign(message).signature
    document = {
        "payload": base64.b64encode(b"hello").decode(),
        "payloadType": "text/plain",
        "signatures": [{"keyid": KEY.public.id, "sig": base64.b64encode(bytes.fromhex(sig)).decode()}],
    }
    envelope = unseal(canonical_bytes(document), "text/plain")
    assert envelope.payload == b"hello"
    assert signer_of(envelope, [new_key().public, KEY.public]) == KEY.public


@given(st.binary(max_size=200))
def test_what_is_sealed_is_unsealed(payload):
    """Any bytes, with the signer's id and signature."""
    envelope = unseal(seal(payload, "text/plain", KEY), "text/plain")
    assert envelope.payload == payload
    assert key_id_of(envelope) == KEY.public.id
    assert signer_of(envelope, [KEY.public]) == KEY.public


def test_an_unsigned_envelope_says_so():
    """The list of signatures is there and empty."""
    content = seal(b"hello", PAYLOAD_TYPE, None)
    assert json.loads(content)["signatures"] == []
    with pytest.raises(EvidenceFault, match="signed by nobody"):
        signer_of(unseal(content, PAYLOAD_TYPE), [KEY.public])


def test_a_type_is_not_taken_for_another():
    """An exception is no attestation, even if its signer is trusted; nor when the type is renamed."""
    content = seal(b"{}", "application/vnd.qidguard.exception+json", KEY)
    with pytest.raises(EvidenceFault, match="another type of payload"):
        unseal(content, PAYLOAD_TYPE)
    renamed = canonical_bytes(json.loads(content) | {"payloadType": PAYLOAD_TYPE})
    with pytest.raises(EvidenceFault, match="the signature is wrong"):
        signer_of(unseal(renamed, PAYLOAD_TYPE), [KEY.public])


@pytest.mark.parametrize("changes", [
    {"payload": None},
    {"payload": "aGVsbG8"},
    {"payload": "aGVs bG8="},
    {"payload": "aGVsbG8=\n"},
    {"payload": "aGVsbG9="},
    {"payload": "-_-_"},
    {"payload": "é"},
    {"payloadType": 1},
    {"signatures": None},
    {"signatures": [{"sig": "AAAA"}]},
    {"signatures": [{"keyid": "", "sig": "AAAA"}]},
    {"signatures": [{"keyid": "a" * 64, "sig": ""}]},
    {"signatures": [{"keyid": "A" * 64, "sig": "AAAA"}]},
    {"signatures": [{"keyid": "a" * 64, "sig": "AAAA", "more": 1}]},
    {"more": 1},
])  # fmt: skip
def test_other_forms_are_refused(changes):
    """Missing, unknown and wrong fields; base64 in other forms; a byte that is not canonical."""
    document = json.loads(seal(b"hello", "text/plain", KEY))
    unseal(canonical_bytes(document), "text/plain")
    with pytest.raises(EvidenceFault):
        unseal(canonical_bytes(document | changes), "text/plain")


@pytest.mark.parametrize("content", [b"", b"[]\n", b"1\n", b"null\n", None])
def test_what_is_no_envelope_is_refused(content):
    """Nothing but an object is one, in the one form: another would verify and hide who wrote it anew."""
    other = json.dumps(json.loads(seal(b"hello", "text/plain", KEY))).encode()
    with pytest.raises(EvidenceFault, match="canonical" if content is None else None):
        unseal(other if content is None else content, "text/plain")
