"""The discovery section: what it holds, what it refuses, and that schema and loader agree on it."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from qidguard.core.errors import PolicyError
from qidguard.policy import DiscoverySettings, draft_policy, load_policy, parse_policy, policy_schema

TEXT = """\
qidguard: 1
name: demo
roles: {quasi_identifiers: auto}
thresholds: [{metric: k_anonymity, at_least: 5}]
"""
FIELDS: dict[str, Any] = {
    "qidguard": 1,
    "name": "demo",
    "roles": {"quasi_identifiers": "auto"},
    "thresholds": [{"metric": "k_anonymity", "at_least": 5}],
}
FULL = """\
discovery:
  strategy: evolutionary
  objective: {distinction: 5, separation: -0.5}
  parameters: {population: 20}
  seed: 7
  budget_seconds: 30.5
  largest: 4
  prefer_known: false
"""
NAMES = st.text("abcdefgh_", min_size=1, max_size=12)
SECTIONS = st.fixed_dictionaries(
    {},
    optional={
        "objective": NAMES
        | st.dictionaries(
            NAMES, st.floats(-1e9, 1e9).filter(bool) | st.integers(1, 9), min_size=1, max_size=3
        ),
        "seed": st.integers(0, 10**15),
        "budget_seconds": st.floats(1e-3, 1e9) | st.integers(1, 99),
        "largest": st.integers(1, 300),
        "prefer_known": st.booleans(),
    },
) | st.fixed_dictionaries(
    {"strategy": NAMES, "parameters": st.dictionaries(NAMES, st.booleans() | st.integers(-9, 9), max_size=3)}
)


def is_valid(section: object) -> bool:
    """Whether the schema accepts a policy with this section."""
    validator = jsonschema.Draft202012Validator(policy_schema())
    return bool(validator.is_valid({**FIELDS, "discovery": section}))


def test_a_full_section_gives_typed_fields() -> None:
    """Every field arrives as it was written."""
    found = parse_policy(TEXT + FULL).discovery
    assert found == DiscoverySettings(
        strategy="evolutionary",
        objective={"distinction": 5, "separation": -0.5},
        parameters={"population": 20},
        seed=7,
        budget_seconds=30.5,
        largest=4,
        prefer_known=False,
    )


def test_nothing_is_searched_unless_somebody_writes_it() -> None:
    """A policy has no section by default, an empty heading is none, and no draft has one."""
    assert parse_policy(TEXT).discovery is None
    assert parse_policy(TEXT + "discovery:\n").discovery is None
    assert "discovery" not in draft_policy([])


def test_an_empty_section_asks_for_the_defaults() -> None:
    """The strategy follows from the table, the objective recognizes, the seed is 0, and there is no bound."""
    found = parse_policy(TEXT + "discovery: {}\n").discovery
    assert found is not None
    assert found.model_dump() == {
        "strategy": None,
        "objective": "recognition",
        "parameters": {},
        "seed": 0,
        "budget_seconds": None,
        "largest": None,
        "prefer_known": None,
    }


@settings(max_examples=examples(60), derandomize=True, database=None)
@given(SECTIONS)
def test_a_section_comes_back_from_json_as_it_was(section: dict[str, Any]) -> None:
    """The policy's JSON form loads to an equal policy with an equal digest, and the schema accepts it."""
    policy = load_policy({**FIELDS, "discovery": section})
    again = load_policy(json.loads(policy.model_dump_json()))
    assert (again, again.digest) == (policy, policy.digest)
    assert is_valid(section)


@pytest.mark.parametrize(("text", "expected"), [
    ("discovery: yes", "line 5: discovery must be a mapping, not 'yes'"),
    ("discovery:\n  stategy: greedy",
     "line 6: there is no field discovery.stategy; did you mean 'strategy'?"),
    ("discovery:\n  strategy: ''", "line 6: discovery.strategy must not be empty"),
    ("discovery:\n  objective: [a]",
     "line 6: discovery.objective must be the name of an objective, or metrics with"),
    ("discovery:\n  objective: {}", "line 6: discovery.objective must weigh at least one metric"),
    ("discovery:\n  objective:\n    distinction: much",
     "line 7: discovery.objective.distinction must be a number, not 'much'"),
    ("discovery:\n  objective: {a: .inf}", "line 6: discovery.objective.a must be a finite number"),
    ("discovery:\n  objective: {a: 0}",
     "line 6: discovery.objective weighs every metric with 0, so no set would be better than another"),
    ("discovery:\n  seed: -1", "line 6: discovery.seed must be at least 0, not -1"),
    ("discovery:\n  seed: 1.5", "line 6: discovery.seed must be a whole number, not 1.5"),
    ("discovery:\n  budget_seconds: 0", "line 6: discovery.budget_seconds must be above 0, not 0"),
    ("discovery:\n  budget_seconds: true", "line 6: discovery.budget_seconds must be a number, not true"),
    ("discovery:\n  largest: 0", "line 6: discovery.largest must be at least 1, not 0"),
    ("discovery:\n  parameters: {population: 5}",
     "line 5: discovery has parameters but no strategy they belong to; name one"),
    ("discovery:\n  strategy: greedy\n  parameters: {a: [1]}",
     "line 7: discovery.parameters.a must be a number, text, true or false, not a list"),
])  # fmt: skip
def test_faults_name_their_line_and_the_remedy(text: str, expected: str) -> None:
    """Each refusal says the field, the value and what to write."""
    with pytest.raises(PolicyError) as caught:
        parse_policy(TEXT + text + "\n", "p.yaml")
    assert f"p.yaml {expected}" in str(caught.value)
    assert "pydantic" not in str(caught.value)


@pytest.mark.samples(7)
@pytest.mark.parametrize("section", [
    {"strategy": ""}, {"objective": []}, {"objective": {}}, {"objective": {"a": "b"}}, {"objective": ""},
    {"parameters": {"a": [1]}, "strategy": "b"}, {"seed": -1}, {"seed": 0.5}, {"budget_seconds": 0},
    {"largest": 0}, {"depth": 1}, "auto",
])  # fmt: skip
def test_schema_and_loader_refuse_the_same_sections(section: object) -> None:
    """What an editor marks as wrong does not load either."""
    assert not is_valid(section)
    with pytest.raises(PolicyError):
        load_policy({**FIELDS, "discovery": section})
