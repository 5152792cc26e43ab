"""The ``remedy`` section: a method, its parameters and the attacks to rehearse."""

import jsonschema
import pytest

from qidguard import PolicyError
from qidguard.policy import parse_policy, policy_schema

TEXT = """qidguard: 1
name: p
roles: {quasi_identifiers: [age]}
thresholds: [{metric: k_anonymity, at_least: 5}]
"""


def test_attacks_are_a_list_of_names():
    """None where nothing is written; the schema knows the field."""
    written = parse_policy(TEXT + "remedy: {anonymizer: mondrian, attacks: [linkage, homogeneity]}\n")
    assert written.remedy.attacks == ("linkage", "homogeneity")
    assert parse_policy(TEXT + "remedy: {anonymizer: mondrian}\n").remedy.attacks == ()
    remedy = {"anonymizer": "mondrian", "attacks": ["linkage"]}
    schema = policy_schema()
    validator = jsonschema.Draft202012Validator({"$defs": schema["$defs"], **schema["properties"]["remedy"]})
    assert validator.is_valid(remedy)
    assert not validator.is_valid(remedy | {"attacks": "linkage"})


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("attacks: linkage", "line 7: remedy.attacks must be a list, not 'linkage'"),
        ("attacks: [5]", "line 7: remedy.attacks[0] must be text, not 5"),
        ("atacks: [linkage]", "line 7: there is no field remedy.atacks; did you mean 'attacks'?"),
    ],
)
def test_faults_name_their_line(written, said):
    """As everywhere in a policy."""
    with pytest.raises(PolicyError) as raised:
        parse_policy(TEXT + f"remedy:\n  anonymizer: mondrian\n  {written}\n")
    assert said in str(raised.value)


def test_when_it_is_applied_is_one_of_two_words():
    """To what misses a threshold, unless the policy says always; the schema knows both."""
    assert parse_policy(TEXT + "remedy: {anonymizer: mondrian}\n").remedy.when == "missed"
    assert parse_policy(TEXT + "remedy: {anonymizer: mondrian, when: always}\n").remedy.when == "always"
    with pytest.raises(PolicyError, match=r"remedy\.when must be .*, not 'never'"):
        parse_policy(TEXT + "remedy: {anonymizer: mondrian, when: never}\n")
    schema = policy_schema()
    validator = jsonschema.Draft202012Validator({"$defs": schema["$defs"], **schema["properties"]["remedy"]})
    assert validator.is_valid({"anonymizer": "mondrian", "when": "always"})
    assert not validator.is_valid({"anonymizer": "mondrian", "when": "never"})
