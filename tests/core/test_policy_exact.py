"""Exact numbers: what a person wrote, and no float beside it."""

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from qidguard.policy import load_policy, parse_policy
from qidguard.policy.privacy_budget import SCHEMAS, above_zero, below_one, exact_number

HEAD = "qidguard: 1\nname: p\npreset: pdpc-sg-5\nroles: {quasi_identifiers: [age]}\n"
FIELDS = {"qidguard": 1, "name": "p", "preset": "pdpc-sg-5", "roles": {"quasi_identifiers": ["age"]}}


def epsilon(written: str) -> Fraction:
    """Return the ε of a policy in which it is written so."""
    budget = parse_policy(f"{HEAD}privacy_budget: {{epsilon: {written}}}\n").privacy_budget
    assert budget is not None
    return budget.epsilon


@pytest.mark.parametrize(("written", "expected"), [
    ("1", Fraction(1)),
    ("1.0", Fraction(1)),
    ("0.1", Fraction(1, 10)),
    ("1e-6", Fraction(1, 10**6)),
    ("1/3", Fraction(1, 3)),
    ("'1/3'", Fraction(1, 3)),
    ("'2/6'", Fraction(1, 3)),
    ("'0.1'", Fraction(1, 10)),
    ("'1e-6'", Fraction(1, 10**6)),
    ("'0.1000000000000000000001'", Fraction(1, 10) + Fraction(1, 10**22)),
])  # fmt: skip
def test_a_number_is_what_was_written(written: str, expected: Fraction) -> None:
    """0.1 is a tenth, and a text keeps every digit."""
    found = epsilon(written)
    assert (type(found), found) == (Fraction, expected)


@pytest.mark.parametrize("value", [
    True, None, "", " 1", "1 ", "+1", "-1/3", "1/", "/3", "1/3/5", "0x1", "1_0", "١", "1e100",
    "1e999999999", "9" * 101, "1/" + "9" * 101, 10**100, 1e-200, [1], "1e-99/3", ".5", "5.", "nan",
    "inf", Decimal(1),
])  # fmt: skip
def test_what_is_no_plain_number_is_refused(value: object) -> None:
    """Signs, spaces, other digits, and numbers too long to write down again; at once, however large."""
    with pytest.raises(PydanticCustomError):
        exact_number(value)


@given(st.fractions(min_value=Fraction(1, 10**20), max_value=10**15, max_denominator=10**30))
def test_a_fraction_comes_back_from_its_json_form(number: Fraction) -> None:
    """Written into JSON and read again it is the same number, and the policy the same policy."""
    policy = load_policy({**FIELDS, "privacy_budget": {"epsilon": number}})
    dumped = policy.model_dump(mode="json")
    told = {"epsilon": str(number), "delta": "0", "unit": "record", "population": None}
    assert dumped["privacy_budget"] == told
    assert policy.model_dump()["privacy_budget"] == dumped["privacy_budget"]
    again = load_policy(dumped)
    assert again == policy
    assert again.digest == policy.digest
    assert again.privacy_budget is not None
    assert again.privacy_budget.epsilon == number


def test_an_equal_budget_has_an_equal_digest() -> None:
    """The digest of a policy without text is over exact text: 0.1 and 1/10 are one, 1/3 is another."""
    digests = [
        load_policy({**FIELDS, "privacy_budget": {"epsilon": given}}).digest
        for given in (0.1, "1/10", "0.10", "1/3")
    ]
    assert digests[0] == digests[1] == digests[2] != digests[3]


@given(st.floats(min_value=1e-60, max_value=1e15))
def test_a_float_is_the_shortest_number_that_is_it(value: float) -> None:
    """The decimal module reads the same digits, so no error of the float stays."""
    assert exact_number(value) == Fraction(Decimal(repr(value)))


@given(st.from_regex(r"[0-9]{1,3}(/[0-9]{1,3}|\.[0-9]{1,3})?([eE]-?[0-9])?", fullmatch=True))
def test_the_schema_takes_the_texts_that_the_loader_takes(text: str) -> None:
    """The patterns decide as the loader does, but for δ of 1 and more, which takes arithmetic."""
    for validator in (above_zero, below_one):
        pattern = SCHEMAS[validator]["anyOf"][1]["pattern"]
        is_shown_right = re.search(pattern, text) is not None
        try:
            validator(text)
            is_taken = True
        except PydanticCustomError as error:
            is_taken = "below 1" in error.message()
        assert is_shown_right is is_taken
