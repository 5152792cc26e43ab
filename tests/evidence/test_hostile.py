"""Evidence that somebody made up: any JSON in any place is answered with a fault, and never with a crash."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.evidence.dsse import PAYLOAD_TYPE, seal
from qidguard.evidence.verify import verify_release
from released import contents, new_key, remove, write

PLACE = "memory://hostile/patients/20261121-000001"
KEY = new_key()
SOUND = contents(KEY)
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=4)
INTEGERS = st.integers() | st.sampled_from([2**64, 2**64 + 1, 10**400, -(10**400)])
ANYTHING = st.recursive(
    st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)


@pytest.fixture(autouse=True, scope="module")
def _clean():
    """Leave nothing in memory."""
    yield
    remove("memory://hostile")


def file_of(value: object) -> bytes:
    """Return the bytes that a canonical file has, of values too that ours refuse to write."""
    return (json.dumps(value, sort_keys=True, indent=2) + "\n").encode()


def places(value: object, path: tuple = ()) -> list[tuple]:
    """Return the path of every value in a document, its own included."""
    found = [path]
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(item, (*path, key))
    return found


def replaced(value: object, path: tuple, other: object) -> object:
    """Return a document with another value at a path."""
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


def payload(content: bytes) -> object:
    """Return the statement in an envelope."""
    return json.loads(base64.b64decode(json.loads(content)["payload"]))


DOCUMENTS = {
    "manifest": json.loads(SOUND["manifest.json"]),
    "envelope": json.loads(SOUND["attestation.json"]),
    "statement": payload(SOUND["attestation.json"]),
}
FILE = {
    "manifest": lambda document: {"manifest.json": file_of(document)},
    "envelope": lambda document: {"attestation.json": file_of(document)},
    "statement": lambda document: {"attestation.json": seal(file_of(document), PAYLOAD_TYPE, KEY)},
}


@pytest.mark.parametrize("part", sorted(DOCUMENTS))
@settings(max_examples=examples(200), deadline=None)
@given(data=st.data())
def test_anything_in_any_place_is_a_fault_or_the_same(part, data):
    """Of the manifest, the envelope, and the statement, the last one signed by the right key itself."""
    document = DOCUMENTS[part]
    path = data.draw(st.sampled_from(places(document)))
    changed = replaced(document, path, data.draw(ANYTHING))
    write(PLACE, SOUND | FILE[part](changed))
    found = verify_release(PLACE, keys=[KEY.public])
    assert all(isinstance(fault, str) and fault.endswith(".") for fault in found.faults)
    if part != "statement" and file_of(changed) != file_of(document):
        assert found.faults


@pytest.mark.samples(1)
@pytest.mark.parametrize("part", sorted(DOCUMENTS))
def test_the_usual_suspects_in_every_place_are_answered(part):
    """Each place in turn, with what readers stumble over."""
    document = DOCUMENTS[part]
    for path in places(document):
        for other in (None, True, -1, 10**400, 1e308, "", "\u202e", "../x", [], {}, [[]], {"seed": 1}):
            write(PLACE, SOUND | FILE[part](replaced(document, path, other)))
            found = verify_release(PLACE, keys=[KEY.public])
            assert found.is_verified == (not found.faults)


@settings(max_examples=examples(200), deadline=None)
@given(content=st.binary(max_size=50) | ANYTHING.map(file_of), name=st.sampled_from(sorted(SOUND)))
def test_any_bytes_in_place_of_a_file_are_a_fault(content, name):
    """Random bytes, and random JSON."""
    write(PLACE, SOUND | {name: content})
    assert verify_release(PLACE, keys=[KEY.public]).faults
