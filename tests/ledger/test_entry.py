"""What can be recorded at all."""

import math
from datetime import datetime

import pytest

from qidguard.core.errors import InternalError, UserError
from qidguard.ledger import KINDS


@pytest.mark.parametrize("entry_id", ["a", "0", "a" * 128, "2026-11-21T10:30:00_x.y"])
def test_a_plain_id_is_taken(new, entry_id):
    """Letters, digits and some punctuation, up to 128."""
    assert entry_id == new(entry_id).id


@pytest.mark.parametrize(
    "entry_id", ["", "a" * 129, "-a", ".", "a b", "a/b", "a\n", "é", "a\0", "\ud800", "..", "a%"]
)
def test_an_id_that_is_not_plain_is_refused(new, entry_id):
    """Nothing that a path, a line or a terminal could take for something else."""
    with pytest.raises(UserError, match="choose another"):
        new(entry_id)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_taken(new, kind):
    """The kinds are those of the list."""
    assert kind == new(kind=kind).kind


def test_another_kind_is_refused(new):
    """A kind that is not of the list is a fault of the caller's program."""
    with pytest.raises(InternalError, match="not 'Audited'"):
        new(kind="Audited")


@pytest.mark.parametrize("data_set", ["a", "x" * 200, "s3://bucket/päth with blanks.parquet", "漢字"])
def test_a_data_set_may_be_any_text(new, data_set):
    """Up to 200 characters of any script."""
    assert data_set == new(data_set=data_set).data_set


@pytest.mark.parametrize("data_set", ["", "x" * 201, "a\0", "a\nb", "\x1b[31m", "\x85", "\ud800", "a\u2028"])
def test_a_data_set_without_control_characters(new, data_set):
    """Control characters, line separators and lone surrogates are refused, and shown escaped."""
    with pytest.raises(UserError, match="no control character") as raised:
        new(data_set=data_set)
    assert str(raised.value).isprintable()


def test_a_time_needs_a_zone(new):
    """A naive time is a fault of the caller's program."""
    with pytest.raises(InternalError, match="has a time zone"):
        new(at=datetime(2026, 11, 21))  # noqa: DTZ001 - this is what is refused


def test_a_payload_is_a_mapping_of_json(new):
    """A list, a set within and a number that is not finite are faults of the caller's program."""
    for payload in ([], {"a": {1}}, {"a": math.nan}, {1: 2}):
        with pytest.raises(InternalError):
            new(payload=payload)


def test_a_payload_is_a_copy(new):
    """What the caller does to its mapping later does not reach the entry."""
    inner = [1, 2]
    made = new(payload={"a": inner, "b": (3,)})
    inner.append(3)
    assert made.payload == {"a": [1, 2], "b": [3]}
