"""Canonical JSON: one text for one value."""

import json
import math
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard.core.errors import InternalError
from qidguard.ledger.entry import canonical

texts = st.text(st.characters(codec=None), max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_a_value_comes_back(value):
    """Reading the text gives the value, and the text is ASCII on one line."""
    text = canonical(value)
    assert value == json.loads(text)
    assert text.isascii()
    assert text.isprintable() or text == ""


@given(st.dictionaries(texts, st.integers(), max_size=4))
def test_the_order_of_keys_does_not_count(value):
    """A mapping turned round has the same text."""
    assert canonical(value) == canonical(dict(reversed(value.items())))


@pytest.mark.parametrize(("value", "expected"), [
    ({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}'),
    ((1, -0.0, 1e300), "[1,-0.0,1e+300]"),
    (MappingProxyType({"a": 2**70}), '{"a":1180591620717411303424}'),
    ("\0\ud800", r'"\u0000\ud800"'),
])  # fmt: skip
def test_the_text_is_this(value, expected):
    """Keys sorted, no blanks, escapes in lower case."""
    assert expected == canonical(value)


@pytest.mark.parametrize(("value", "words"), [
    ({"risk": {"x": math.nan}}, "the field 'risk' holds one that is not"),
    ({"risk": [math.inf]}, "the field 'risk' holds one that is not"),
    ({"risk": {1: 2}}, "the field 'risk' has a key of type int"),
    ({None: 2}, "the value has a key of type NoneType"),
    ({"risk": {"secret"}}, "JSON knows no set, and the field 'risk' holds one"),
    ({"risk": b"secret"}, "JSON knows no bytes"),
    ({"risk": Decimal("1.5")}, "JSON knows no Decimal"),
    ({"risk": np.int64(1)}, "JSON knows no int64"),
    ({"risk": 10**4200}, "at most 13000 bits, and the field 'risk'"),
])  # fmt: skip
def test_what_is_no_json_is_refused(value, words):
    """The message names the field and the type, never the value."""
    with pytest.raises(InternalError, match=words) as raised:
        canonical(value)
    assert "secret" not in str(raised.value)


def test_what_contains_itself_is_refused():
    """A list within itself is nested too deep."""
    value: list[object] = []
    value.append(value)
    with pytest.raises(InternalError, match="nested at most 64 deep"):
        canonical({"a": value})
