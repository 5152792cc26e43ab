"""What can be recorded at all."""

import math
from datetime import datetime

import pytest

from qidguard.core.errors import InternalError, UserError
from qidguard.ledger import KINDS


@pytest.mark.parametrize(("field", "value"), [
    *(("id", text) for text in ("a", "0", "a" * 128, "2026-11-21T10:30:00_x.y")),
    *(("kind", kind) for kind in sorted(KINDS)),
    *(("data_set", text) for text in ("a", "x" * 200, "s3://bucket/päth with blanks.parquet", "漢字")),
])  # fmt: skip
def test_what_may_be_recorded(new, field, value):
    """Plain ids of up to 128, the kinds of the list, data sets of up to 200 characters of any script."""
    made = new(value) if field == "id" else new(**{field: value})
    assert value == getattr(made, field)


@pytest.mark.parametrize(
    "entry_id", ["", "a" * 129, "-a", ".", "a b", "a/b", "a\n", "é", "a\0", "\ud800", "..", "a%"]
)
def test_an_id_that_is_not_plain_is_refused(new, entry_id):
    """Nothing that a path, a line or a terminal could take for something else."""
    with pytest.raises(UserError, match="choose another"):
        new(entry_id)


@pytest.mark.parametrize(("changes", "said"), [
    ({"kind": "Audited"}, "not 'Audited'"),
    ({"at": datetime(2026, 11, 21)}, "has a time zone"),  # noqa: DTZ001 - this is what is refused
    ({"payload": []}, None),
    ({"payload": {"a": {1}}}, None),
    ({"payload": {"a": math.nan}}, None),
    ({"payload": {1: 2}}, None),
])  # fmt: skip
def test_a_fault_of_the_callers_program_is_said(new, changes, said):
    """Another kind, a naive time, and a payload that is no mapping of JSON."""
    with pytest.raises(InternalError, match=said):
        new(**changes)


@pytest.mark.parametrize("data_set", ["", "x" * 201, "a\0", "a\nb", "\x1b[31m", "\x85", "\ud800", "a\u2028"])
def test_a_data_set_without_control_characters(new, data_set):
    """Control characters, line separators and lone surrogates are refused, and shown escaped."""
    with pytest.raises(UserError, match="no control character") as raised:
        new(data_set=data_set)
    assert str(raised.value).isprintable()


def test_a_payload_is_a_copy(new):
    """What the caller does to its mapping later does not reach the entry."""
    inner = [1, 2]
    made = new(payload={"a": inner, "b": (3,)})
    inner.append(3)
    assert made.payload == {"a": [1, 2], "b": [3]}
