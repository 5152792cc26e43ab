import copy
import json

import pytest
from pydantic import ValidationError

from example_release import manifest
from qidguard.evidence.canonical import EvidenceFault, canonical_bytes
from qidguard.evidence.manifest import Manifest, ManifestFile
from released import EXCEPTION

FILE = {"name": "a.csv", "bytes": 1, "sha256": "0" * 64}


def document() -> dict:
    """Return the example's manifest as plain values."""
    return json.loads(manifest().to_bytes())


def test_what_is_written_is_read_back():
    """Signed or not, by exception or not."""
    for changes in (
        {},
        {"is_signed": True, "key_id": "e" * 64},
        {"outcome": "passed_by_exception", "exceptions": (EXCEPTION,)},
    ):
        made = manifest(**changes)
        assert Manifest.read(made.to_bytes()) == made


def test_the_document_has_the_fields_that_were_agreed():
    """Their names are the format qidguard-release/1."""
    assert sorted(document()) == [
        *("columns", "data_set", "exceptions", "files", "format", "is_signed", "key_id", "outcome"),
        *("policy", "records", "release_id", "released_at"),
    ]
    assert document()["format"] == "qidguard-release/1"


@pytest.mark.parametrize("field", sorted(document()))
def test_a_missing_field_is_a_fault(field):
    """The sentence names it."""
    rest = {name: value for name, value in document().items() if name != field}
    with pytest.raises(EvidenceFault, match=f"{field} is missing"):
        Manifest.read(canonical_bytes(rest))


@pytest.mark.parametrize("changes", [
    {"format": "qidguard-release/2"},
    {"more": 1},
    {"records": 8.0},
    {"records": -1},
    {"records": True},
    {"records": "8"},
    {"outcome": "blocked"},
    {"outcome": "passed_by_exception"},
    {"exceptions": [EXCEPTION]},
    {"is_signed": True},
    {"is_signed": 0},
    {"key_id": "e" * 64},
    {"key_id": "e"},
    {"released_at": "yesterday"},
    {"files": []},
    {"files": [FILE, FILE]},
    {"files": [FILE, FILE | {"name": "A.CSV"}]},
    {"files": [FILE | {"more": 1}]},
    {"files": [FILE | {"bytes": 1.5}]},
    {"files": [FILE | {"sha256": "0" * 63}]},
    *({"files": [FILE | {"name": name}]} for name in ("", ".", "..", "a/b", "/a", "a\\b", "a\0",
        "\x7f" * 300)),
    *({"files": [FILE | {"name": name}]} for name in ("manifest.json", "Attestation.json")),
    {"columns": [{"name": "a"}]},
    {"columns": [{"name": 1, "type": "text"}]},
    {"policy": {"name": "p", "sha256": "0" * 64}},
    {"policy": None},
])  # fmt: skip
def test_a_wrong_field_is_a_fault(changes):
    """Unknown fields, wrong kinds, names that lead out of the folder, contradictions."""
    with pytest.raises(EvidenceFault):
        Manifest.read(canonical_bytes(document() | changes))


@pytest.mark.parametrize("content", [b"", b"[]\n", b"null\n", b"{}\n", json.dumps(document()).encode()])
def test_what_is_no_manifest_is_a_fault(content):
    """Nothing but an object with its fields, in the one form, is one."""
    with pytest.raises(EvidenceFault):
        Manifest.read(content)


@pytest.mark.parametrize("changes", [
    {"files": ()},
    {"files": ({"name": "../x", "bytes": 1, "sha256": "0" * 64},)},
    {"is_signed": True},
    {"outcome": "failed"},
    {"released_at": "2026-11-21T10:00:00+02:00"},
    {"policy": {"name": "p"}},
])  # fmt: skip
def test_no_wrong_manifest_can_be_made(changes):
    """What cannot be read is not written either."""
    with pytest.raises(EvidenceFault):
        manifest(**changes)


def test_no_part_is_made_wrong_and_none_shows_what_was_given():
    """Code that makes one is told the field, not the value."""
    with pytest.raises(ValidationError, match="is not the name of a file") as raised:
        ManifestFile(name="../Zanzibar", bytes=1, sha256="0" * 64)
    assert "Zanzibar" not in str(raised.value)


def test_a_manifest_does_not_change():
    """Not by assignment, and not through what it was made of."""
    policy = {"name": "clinic", "sha256": "0" * 64, "preset": None}
    exception = copy.deepcopy(EXCEPTION)
    made = manifest(policy=policy, outcome="passed_by_exception", exceptions=(exception,))
    before = made.to_bytes()
    policy["name"] = "other"
    exception["thresholds"].append("all")
    assert made.to_bytes() == before
    with pytest.raises(ValidationError, match="frozen"):
        made.records = 9
    with pytest.raises(ValidationError, match="frozen"):
        made.policy.name = "other"
