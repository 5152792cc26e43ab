"""Quasi-identifiers are added to a policy's text, and no other character changes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.errors import PolicyError
from qidguard.policy import parse_policy
from qidguard.policy.rewriting import is_auto, with_quasi_identifiers

HEAD = "# ours\nqidguard: 1\nname: p  # of the ward\npreset: pdpc-sg-5\n"


@pytest.mark.parametrize(("before", "after"), [
    ("roles:\n  quasi_identifiers:\n    - age  # May\n    #\n    - sex # s\n  #",
     "roles:\n  quasi_identifiers:\n    - age  # May\n    #\n    - sex # s\n    - zip  # why\n  #"),
    ("roles: {quasi_identifiers: [age, 'a,b'], target: y}\n",
     "roles: {quasi_identifiers: [age, 'a,b', zip], target: y}\n"),
    ("roles:\n  quasi_identifiers: [\n    age, # A\n  ]\n",
     "roles:\n  quasi_identifiers: [\n    age, zip, # A\n  ]\n"),
    ("roles:\n  quasi_identifiers: auto   # c\n", "roles:\n  quasi_identifiers: [zip]   # c\n"),
    ("roles:\n  quasi_identifiers:   # none\n  target: y\n",
     "roles:\n  quasi_identifiers: [zip]   # none\n  target: y\n"),
    ("roles:\n  quasi_identifiers: [ # none yet\n  ]\n",
     "roles:\n  quasi_identifiers: [zip # none yet\n  ]\n"),
    ("roles:\n  quasi_identifiers:\n  - >-\n    age\n\n  target: y\n",
     "roles:\n  quasi_identifiers:\n  - >-\n    age\n  - zip  # why\n\n  target: y\n"),
    ("roles:\n  'quasi_identifiers' : []\n", "roles:\n  'quasi_identifiers' : [zip]\n"),
    ("roles: {quasi_identifiers}\n", "roles: {quasi_identifiers: [zip]}\n"),
    ("roles:\n  quasi_identifiers:\n  - age", "roles:\n  quasi_identifiers:\n  - age\n  - zip  # why"),
    ("roles:\r\n  quasi_identifiers:\r\n  - age\r\nthreads: 2\r\n",
     "roles:\r\n  quasi_identifiers:\r\n  - age\r\n  - zip  # why\r\nthreads: 2\r\n"),
])  # fmt: skip
def test_a_column_is_added_in_the_form_of_the_list(before: str, after: str) -> None:
    """Block lists get a line with its reason, lists in brackets an entry; comments stay where they are."""
    assert with_quasi_identifiers(HEAD + before, {"zip": "why"}) == HEAD + after


def test_a_column_that_is_named_already_changes_nothing() -> None:
    """The text comes back as it was."""
    text = HEAD + "roles: {quasi_identifiers: [zip]}\n"
    assert with_quasi_identifiers(text, {"zip": "why"}) == text
    assert with_quasi_identifiers(text, {}) == text


HOSTILE = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)


@settings(max_examples=examples(150), derandomize=True, database=None)
@given(
    HOSTILE,
    st.sampled_from(
        [
            "roles: {quasi_identifiers: [age]}\n",
            "roles:\n  quasi_identifiers:\n  - age\n",
            "roles:\n  quasi_identifiers: auto\n",
        ]
    ),
    st.text(max_size=12),
)
def test_any_name_and_any_reason_arrive_as_they_are(name: str, roles: str, why: str) -> None:
    """No column name and no reason breaks out of its place."""
    written = with_quasi_identifiers(HEAD + roles, {name: why})
    kept = () if "auto" in roles else ("age",)
    assert parse_policy(written).roles.qids == tuple(dict.fromkeys((*kept, name)))
    assert parse_policy(written).preset == "pdpc-sg-5"


@pytest.mark.parametrize(("roles", "expected"), [
    ("roles: {}\n", "the policy has no roles.quasi_identifiers to write to"),
    ("target: y\n", "the policy has no roles.quasi_identifiers to write to"),
    ("roles: {quasi_identifiers: age}\n", "must be a list of columns, or auto, not 'age'"),
    ("roles: {quasi_identifiers: [age], insensitive: [zip]}\n",
     "'zip' cannot be a QID and insensitive at once"),
    ("roles: {quasi_identifiers: [age]}\nthreads: no\n", "threads must be a whole number"),
    ("roles: {quasi_identifiers: [age]\n", "this is not YAML"),
    # after |+ the lines behind a text belong to it, so a line put between them would change its name
    ("roles:\n  quasi_identifiers:\n  - |+\n    age\n\n",
     "cannot be added to as it is written; add them by hand"),
])  # fmt: skip
def test_what_would_not_load_is_not_written(roles: str, expected: str) -> None:
    """The text has to be a policy afterward."""
    with pytest.raises(PolicyError) as caught:
        with_quasi_identifiers(HEAD + roles, {"zip": ""}, "p.yaml")
    assert expected in str(caught.value)
    assert "p.yaml" in str(caught.value)


def test_auto_is_recognized() -> None:
    """Only ``auto`` leaves the choice to recognizers."""
    assert is_auto(HEAD + "roles: {quasi_identifiers: auto}\n")
    assert not is_auto(HEAD + "roles: {quasi_identifiers: [auto]}\n")
    assert not is_auto(HEAD)
