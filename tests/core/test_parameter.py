"""Parameters: how they are written in brackets, what a value may be, and in which words one is refused."""

import math
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qidguard import UserError
from qidguard.core.choice import Choice, choice_parts
from qidguard.core.parameter import Parameter, bind, plain, shown
from qidguard.policy import load_policy, parse_policy

IN_BRACKETS = {"age": [17, 90], "hours-per-week": [1, 99]}


@pytest.mark.parametrize(
    ("written", "parameters"),
    [
        ("noise", {}),
        ("noise[]", {}),
        ("noise[k=5, is_strict=true, at=.5]", {"k": 5, "is_strict": True, "at": 0.5}),
        ("noise[how=squared]", {"how": "squared"}),
        ("noise[k=5, ]", {"k": 5}),
        ("noise[bounds={age: [17, 90], hours-per-week: [1, 99]}]", {"bounds": IN_BRACKETS}),
        ("noise[ bounds = { age:[17,90],hours-per-week:[1,99] } , k=5 ]", {"bounds": IN_BRACKETS, "k": 5}),
        ("noise[epsilon=1/2, of=[a, 'b, c'], none={}]", {"epsilon": "1/2", "of": ["a", "b, c"], "none": {}}),
        ("""noise[m={'a: b]': 1, "it's": two}]""", {"m": {"a: b]": 1, "it's": "two"}}),
        ("noise[at={rate: 0.1}]", {"at": {"rate": 0.1}}),
        ("noise[mark=it's]", {"mark": "it's"}),
        ("noise[path=s3://here/a=b]", {"path": "s3://here/a=b"}),
    ],
)  # fmt: skip
def test_what_is_written_is_what_is_read(written, parameters):
    """And written again it is read the same."""
    found = Choice.read(written)
    assert (found.name, found.parameters) == ("noise", parameters)
    assert Choice.read(str(found)) == found


@pytest.mark.parametrize(("written", "said"), [
    ("noise[bounds={age: [17, 90]]", "must be a name, or a name"),
    ("noise[bounds={age: [17, 90}]]", "must be a name, or a name"),
    ("noise[k=5]]", "must be a name, or a name"),
    ("noise[k=5], other[k=2]", "must be a name, or a name"),
    ("noise[k='5]", "must be a name, or a name"),
    ("noise[k=5", "must be a name, or a name"),
    ("noise[bounds={age}]", "'age' must be NAME: VALUE, such as age"),
    ("noise[bounds={:age: 1}]", "must be NAME: VALUE"),
    ("noise[bounds={age:}]", "must be NAME: VALUE"),
    ("noise[bounds={age: 1, 'age': 2}]", "has 'age' twice"),
    ("noise[bounds={age: 1} 2]", "must be a value such as"),
    ("noise[k=1, k=2]", "has k twice"),
    ("noise[k]", "must be PARAMETER=VALUE"),
    ("noise[k=" + "[" * 9 + "1" + "]" * 9 + "]", "more than 4 brackets in each other"),
])  # fmt: skip
def test_what_is_no_choice_is_refused(written, said):
    """With what is wrong; nothing of it is run."""
    with pytest.raises(UserError, match=said):
        Choice.read(written)


def test_commas_in_brackets_part_nothing():
    """Several choices stand in one text."""
    both = "noise[bounds={age: [17, 90]}],mondrian, mdav[k=5, publish=means]"
    assert choice_parts(both) == ["noise[bounds={age: [17, 90]}]", "mondrian", " mdav[k=5, publish=means]"]


_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\"'", exclude_categories=("C", "Z")))
_NAMES = _TEXTS.filter(bool)
_ONE = st.one_of(st.integers(), st.booleans(), _TEXTS.filter(bool), st.floats(allow_nan=False))


@given(st.dictionaries(st.sampled_from(["k", "bounds"]), st.one_of(
    _ONE, st.lists(_ONE), st.dictionaries(_NAMES, st.one_of(_ONE, st.lists(_ONE)))
)))  # fmt: skip
def test_every_choice_is_read_as_it_was_written(parameters):
    """Numbers, texts with any sign of the notation, lists and mappings of them."""
    written = Choice(name="noise", parameters=parameters)
    assert Choice.read(str(written)) == written
    assert choice_parts(f"{written},other") == [str(written), "other"]


@given(st.text("[]{},:='\"a1 ", max_size=30))
def test_no_text_breaks_the_reading(text):
    """It is read, or refused in a sentence."""
    with suppress(UserError):
        read = Choice.read(f"noise[{text}]")
        assert Choice.read(str(read)).name == "noise"


EPSILON = Parameter(name="epsilon", type=Fraction, minimum=0, maximum=10, meaning="ε")
BOUNDS = Parameter(name="bounds", type=Fraction, per="column", many=2, meaning="what a column may hold")
HEAD = "qidguard: 1\nname: p\npreset: pdpc-sg-5\nroles: {quasi_identifiers: [age]}\n"


@pytest.mark.parametrize(
    ("written", "number"),
    [(0.1, Fraction(1, 10)), ("1/3", Fraction(1, 3)), (2, Fraction(2)), ("0.30", Fraction(3, 10))],
)
def test_an_exact_number_is_what_was_written(written, number):
    """A tenth is a tenth, and not the float beside it."""
    found = EPSILON.check(written)
    assert (type(found), found) == (Fraction, number)


@pytest.mark.parametrize(("parameter", "written", "said"), [
    # nobody reads that a number must lie in 2..None
    *((Parameter(name="p", type=float, **limits), value, f"parameter 'p' {said}$")
      for limits, value, said in (
        ({"minimum": 0, "maximum": 1}, 2.0, r"must lie in 0\.\.1, not 2\.0"),
        ({"minimum": 2}, 1.0, r"must be at least 2, not 1\.0"),
        ({"maximum": 5}, 6.0, r"must be at most 5, not 6\.0"),
        ({}, math.nan, "must be a number, not nan"),
    )),
    *((EPSILON, value, "parameter 'epsilon' must")
      for value in (True, "a", float("nan"), float("inf"), None, [1], "1/0")),
    (EPSILON, "-1/3", r"parameter 'epsilon' must lie in 0\.\.10, not -1/3"),
    (EPSILON, 11, r"parameter 'epsilon' must lie in 0\.\.10, not 11"),
    (BOUNDS, 5, "must be a mapping, one value for each column"),
    (BOUNDS, {1: [0, 1]}, "must be a mapping, one value for each column"),
    (BOUNDS, {"age": 5}, "parameter 'bounds' of 'age' must be a list of 2, not 5"),
    (BOUNDS, {"age": [1, 2, 3]}, "must be a list of 2"),
    (BOUNDS, {"age": [1, "x"]}, "parameter 'bounds' of 'age' must be a number"),
])  # fmt: skip
def test_what_a_parameter_cannot_be_is_refused(parameter, written, said):
    """Parameter and key are named, only limits that exist are said, and a value is repeated as written."""
    with pytest.raises(UserError, match=said):
        parameter.check(written)


def test_a_mapping_has_a_list_for_each_column():
    """Bounds of two columns, negative ones too."""
    bounds = bind((BOUNDS,), {"bounds": {"age": [17, 90], "gain": ["-1/2", 1.5]}})["bounds"]
    assert dict(bounds) == {"age": (Fraction(17), Fraction(90)), "gain": (Fraction(-1, 2), Fraction(3, 2))}
    assert plain(bounds) == {"age": ["17", "90"], "gain": ["-1/2", "3/2"]}
    assert shown(bounds) == "{age: [17, 90], gain: [-1/2, 3/2]}"
    with pytest.raises(TypeError):
        bounds["age"] = ()


def test_a_policy_holds_mappings_and_exact_texts():
    """They come back from its JSON form, and the digest does not change."""
    written = "remedy:\n  anonymizer: noisy\n  parameters: {epsilon: 1/2, bounds: {age: [17, 90.5]}}\n"
    policy = parse_policy(HEAD + written)
    given = policy.remedy.parameters
    assert bind((EPSILON, BOUNDS), given)["bounds"]["age"] == (Fraction(17), Fraction(181, 2))
    dumped = policy.model_dump(mode="json")
    assert dumped["remedy"]["parameters"] == {"epsilon": "1/2", "bounds": {"age": [17, 90.5]}}
    again = load_policy(dumped)
    assert again.digest == load_policy(again.model_dump(mode="json")).digest
    assert again.remedy == policy.remedy
