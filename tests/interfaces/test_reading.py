import pytest

from qidguard.core.errors import UserError
from qidguard.interfaces.reading import Reading, listed_names
from qidguard.policy import load_policy

POLICY = {
    "qidguard": 1,
    "name": "p",
    "source": {"delimiter": ";", "missing": ["?"], "trim": True},
    "roles": {"quasi_identifiers": ["age"]},
    "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
    "memory_limit": "1GB",
}


def test_the_command_line_wins_and_the_policy_fills_in():
    """What the command line does not say stays as the policy says."""
    policy = load_policy(POLICY)
    options = Reading(read={"delimiter": ","}, resources={}).options(policy)
    assert (options.delimiter, options.missing, options.is_trimmed) == (",", ("?",), True)
    settings = Reading(read={}, resources={"threads": 1}).settings(policy)
    assert (settings.threads, settings.memory_limit) == (1, policy.memory_limit)


@pytest.mark.parametrize(
    ("text", "names"),
    [("age,sex", ("age", "sex")), ('"a,b", c ', ("a,b", "c")), ("one", ("one",))],
)
def test_names_are_separated_by_commas(text, names):
    """A name with a comma in it stands in double quotes."""
    assert listed_names(text, "--columns") == names


@pytest.mark.parametrize("text", ["", ",", "a,,b", "a,"])
def test_an_empty_name_is_refused(text):
    """A column without a name cannot be meant."""
    with pytest.raises(UserError, match="--columns takes names"):
        listed_names(text, "--columns")
