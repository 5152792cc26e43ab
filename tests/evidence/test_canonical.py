import json
import math
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.evidence.canonical import DEEPEST, EvidenceFault, canonical_bytes, read_canonical, read_json

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


class Word(StrEnum):
    """A text that is more than a text."""

    PASSED = "passed"


def test_the_form_is_fixed():
    """Keys sorted, two spaces, ASCII, integers whole, a line feed at the end."""
    value = {"z": 5, "é": [True, None, 0.1], "a": Word.PASSED, "empty": [{}, []]}
    assert canonical_bytes(value) == (
        b'{\n  "a": "passed",\n  "empty": [\n    {},\n    []\n  ],\n  "z": 5,\n'
        b'  "\\u00e9": [\n    true,\n    null,\n    0.1\n  ]\n}\n'
    )


@given(VALUES)
def test_what_is_written_is_read_back(value):
    """Any value of JSON survives, with the types it had, and so do its bytes."""
    content = canonical_bytes(value)
    assert content.isascii()
    found = read_canonical(content)
    assert (repr(found), found, canonical_bytes(found)) == (repr(json.loads(content)), value, content)


@given(VALUES, st.sampled_from([None, 0, 1, 3, "\t"]), st.booleans())
def test_any_other_form_of_the_same_value_is_refused(value, indent, is_ascii):
    """One value, one form: compact, wider, unsorted or unescaped JSON is read, and is not canonical."""
    other = (json.dumps(value, indent=indent, ensure_ascii=is_ascii) + "\n").encode()
    assert read_json(other) == value
    if other != canonical_bytes(value):
        with pytest.raises(EvidenceFault, match="canonical"):
            read_canonical(other)


@pytest.mark.parametrize(("content", "words"), [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b"{} {}", "not JSON"),
    (b"{'a': 1}", "not JSON"),
    (b"\xff", "not UTF-8"),
    (b"\xef\xbb\xbf{}", "not JSON"),
    ('{"a": "é"}'.encode("latin-1"), "not UTF-8"),
    (b'{"a": 1, "a": 1}', "key twice"),
    (b'[{"b": {"a": 1, "\\u0061": 2}}]', "key twice"),
    (b"NaN", "not finite"),
    (b"[-Infinity]", "not finite"),
    (b"1e999", "not finite"),
    (b"1" * 5000, "too long"),
    (b"1" * 400, "too long"),
    (b"[18446744073709551617]", "too long"),
    (b'"\\ud800"', "surrogate"),
    (b'{"\\udc00": 1}', "surrogate"),
    (b"[" * 100_000, "deeper"),
    (b"[" * 40 + b"]" * 40, "deeper"),
    (b'{"a":' * 100_000, "deeper"),
    (b" " * 16_000_001, "larger"),
])  # fmt: skip
def test_what_readers_could_take_in_two_ways_is_refused(content, words):
    """One short sentence each, and no crash."""
    with pytest.raises(EvidenceFault, match=words):
        read_json(content)


@pytest.mark.parametrize(("value", "words"), [
    (math.nan, "not finite"), (-(2**64) - 1, "too long"), ([math.inf], "not finite"),
    ({1: 2}, "key that is a int"), ({"a": {1, 2}}, "a set"), (b"bytes", "a bytes"), ("\ud800", "surrogate"),
])  # fmt: skip
def test_what_json_would_change_is_not_written(value, words):
    """A number as key would come back as text, and a NaN not at all."""
    with pytest.raises(EvidenceFault, match=words):
        canonical_bytes(value)


def test_the_deepest_value_is_written_and_one_deeper_is_not():
    """32 lists in each other, and 33."""
    value: list = []
    for _ in range(DEEPEST - 1):
        value = [value]
    assert read_canonical(canonical_bytes(value)) == value
    with pytest.raises(EvidenceFault, match="deeper"):
        canonical_bytes([value])
