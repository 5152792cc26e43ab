"""Every byte of a release counts: whatever is changed, added or taken away is found, in the right file."""

import re
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from examples import IS_THOROUGH, examples
from qidguard.evidence.verify import verify_release
from released import contents, new_key, remove, write

PLACE = "memory://tampered/patients/20261121-000001"
KEY = new_key()
SOUND = contents(KEY)
NAMES = ("patients.csv", "manifest.json", "attestation.json")


@pytest.fixture(autouse=True, scope="module")
def _release():
    """Put the sound release in its place, and take it away again."""
    write(PLACE, SOUND)
    assert verify_release(PLACE, keys=[KEY.public]).faults == ()
    yield
    remove("memory://tampered")


def faults_with(name: str, content: bytes) -> tuple[str, ...]:
    """Return what verification says while one file has another content."""
    write(PLACE, {name: content})
    try:
        found = verify_release(PLACE, keys=[KEY.public])
    finally:
        write(PLACE, {name: SOUND[name]})
    assert found.is_verified == (not found.faults)
    return found.faults


def is_said_of(name: str, faults: tuple[str, ...]) -> bool:
    """Whether the file is blamed, and no sentence speaks of others alone."""
    return bool(faults) and all(name in fault for fault in faults)


@pytest.mark.samples(1)
@pytest.mark.parametrize("name", NAMES)
def test_every_single_byte_counts(name):
    """Each byte in turn with its lowest bit flipped, and replaced by a space; for every save each seventh."""
    content = SOUND[name]
    tried = 0
    step = 1 if IS_THOROUGH else 7
    for position, byte in islice(enumerate(content), 0, None, step):
        for other in {byte ^ 0x01, 0x20} - {byte}:
            changed = content[:position] + bytes([other]) + content[position + 1 :]
            faults = faults_with(name, changed)
            assert is_said_of(name, faults), (position, chr(byte), chr(other), faults)
            tried += 1
    assert tried > len(content) // step


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_whatever_is_cut_or_put_in_is_found(name, data):
    """Any stretch taken out, and any bytes in its place."""
    content = SOUND[name]
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    changed = content[:start] + data.draw(st.binary(max_size=20)) + content[end:]
    assume(changed != content)
    assert is_said_of(name, faults_with(name, changed))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", [
    lambda _: b"",
    lambda content: content[:-1],
    lambda content: content + b"\n",
    lambda content: content + b" ",
    lambda content: b"\xef\xbb\xbf" + content,
    lambda content: content.replace(b"\n", b"\r\n"),
    lambda content: content + content,
    lambda content: content.decode().encode("utf-16"),
    lambda _: b"[" * 100_000,
    lambda _: b"1" * 10_000,
])  # fmt: skip
def test_usual_accidents_are_found(name, change):
    """Empty, cut, doubled, with other line ends, a byte order mark or another encoding; or hostile."""
    assert is_said_of(name, faults_with(name, change(SOUND[name])))


@pytest.mark.parametrize("name", ["manifest.json", "attestation.json"])
def test_a_key_that_stands_twice_is_found(name):
    """Readers differ in which of the two they take, so neither is taken."""
    first = {"manifest.json": b'  "data_set": "patients",\n', "attestation.json": b'  "payload": "",\n'}[name]
    faults = faults_with(name, SOUND[name].replace(b"{\n", b"{\n" + first, 1))
    assert any(f"{name} is not as it was written: it holds a key twice" in fault for fault in faults)


def test_the_same_base64_in_other_characters_is_found():
    """The spare bits of the last character of a base64 text carry nothing, and so could hide anything."""
    padded = [
        (text, text[:-3] + chr(ord(text[-3]) + 1) + "==")
        for text in re.findall(r'"([A-Za-z0-9+/]+==)"', SOUND["attestation.json"].decode())
    ]
    assert padded  # a signature has 64 bytes, so its base64 ends in two signs of padding
    for text, other in padded:
        faults = faults_with(
            "attestation.json", SOUND["attestation.json"].replace(text.encode(), other.encode())
        )
        assert any("form of base64 that is not the usual one" in fault for fault in faults)
