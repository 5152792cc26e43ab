"""Parameters may be exact numbers, lists, and mappings with a value for each column."""

from fractions import Fraction

import pytest

from qidguard import PolicyError, UserError
from qidguard.core.parameter import Parameter, bind, plain, shown
from qidguard.policy import load_policy, parse_policy

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


@pytest.mark.parametrize("written", [True, "a", float("nan"), float("inf"), None, [1], "1/0"])
def test_what_is_no_number_is_refused(written):
    """By the parameter's name."""
    with pytest.raises(UserError, match="parameter 'epsilon' must"):
        EPSILON.check(written)


@pytest.mark.parametrize(("written", "said"), [("-1/3", "-1/3"), (11, "11")])
def test_limits_hold_for_exact_numbers(written, said):
    """The value is repeated as it was meant."""
    with pytest.raises(UserError, match=rf"parameter 'epsilon' must lie in 0..10, not {said}"):
        EPSILON.check(written)


def test_a_mapping_has_a_list_for_each_column():
    """Bounds of two columns, negative ones too."""
    bounds = bind((BOUNDS,), {"bounds": {"age": [17, 90], "gain": ["-1/2", 1.5]}})["bounds"]
    assert dict(bounds) == {
        "age": (Fraction(17), Fraction(90)),
        "gain": (Fraction(-1, 2), Fraction(3, 2)),
    }
    assert plain(bounds) == {"age": ["17", "90"], "gain": ["-1/2", "3/2"]}
    assert shown(bounds) == "{age: [17, 90], gain: [-1/2, 3/2]}"
    with pytest.raises(TypeError):
        bounds["age"] = ()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (5, "must be a mapping, one value for each column"),
        ({1: [0, 1]}, "must be a mapping, one value for each column"),
        ({"age": 5}, "parameter 'bounds' of 'age' must be a list of 2, not 5"),
        ({"age": [1, 2, 3]}, "must be a list of 2"),
        ({"age": [1, "x"]}, "parameter 'bounds' of 'age' must be a number"),
    ],
)
def test_another_form_is_refused(written, said):
    """The parameter and the key are named."""
    with pytest.raises(UserError, match=said):
        BOUNDS.check(written)


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


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{bounds: {1: [0, 1]}}", "line 7: a key of remedy.parameters.bounds must be text"),
        ("{bounds: {age: [[0], 1]}}", "remedy.parameters.bounds must hold numbers, text, true or false"),
        ("{epsilon: .inf}", "remedy.parameters must be a finite number"),
        ("{epsilon: null}", "remedy.parameters.epsilon must hold numbers, text, true or false, not empty"),
    ],
)
def test_a_fault_in_a_policy_names_its_field(written, said):
    """As everywhere in a policy."""
    with pytest.raises(PolicyError) as raised:
        parse_policy(HEAD + f"remedy:\n  anonymizer: noisy\n  parameters: {written}\n")
    assert said in str(raised.value)
