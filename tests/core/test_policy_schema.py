"""The JSON Schema of policies agrees with the loader."""

from typing import Any

import jsonschema
import pytest

from qidguard.core.errors import PolicyError
from qidguard.core.policy import PRESETS, load_policy, policy_schema

GOOD: dict[str, Any] = {
    "qidguard": 1,
    "name": "demo",
    "roles": {"quasi_identifiers": ["age", "sex"], "sensitive": None, "entity": "id"},
    "thresholds": [{"metric": "k_anonymity", "at_least": 5, "at_most": None}],
}


def is_valid(policy: dict[str, Any]) -> bool:
    """Whether the schema accepts ``policy``."""
    validator = jsonschema.Draft202012Validator(
        policy_schema(), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    return bool(validator.is_valid(policy))


def test_the_schema_is_a_schema_and_the_same_each_time() -> None:
    """It is valid by its own dialect, lists the presets, and is deterministic."""
    jsonschema.Draft202012Validator.check_schema(policy_schema())
    assert policy_schema() == policy_schema()
    assert policy_schema()["properties"]["preset"]["anyOf"][0]["enum"] == list(PRESETS)


def test_every_field_is_described() -> None:
    """An editor can show what each field means, and each example in it is a good one."""
    schema = policy_schema()
    for section in (schema, *schema["$defs"].values()):
        assert section["additionalProperties"] is False
        assert ">>>" not in section["description"]
        for name, field in section["properties"].items():
            assert field["description"].endswith("."), name
            validator = jsonschema.Draft202012Validator({"$defs": schema["$defs"], **field})
            for example in field.get("examples", []):
                assert validator.is_valid(example), name


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"roles": {"quasi_identifiers": "auto"}},
        {"attacker": {"knows_any": 2}},
        {"preset": "ema-0070", "thresholds": None},
        {"review_by": "2027-05-01", "sampling_fraction": 1, "threads": 2, "memory_limit": "1.5 GiB"},
        {"source": {"delimiter": ";", "missing": ["?"], "header": True}},
        {"thresholds": [{"metric": "share_below_k", "at_most": 0.1, "parameters": {"k": 5}}]},
        {"population": {"path": "p.csv"}},
    ],
)
def test_schema_and_loader_accept_the_same_good_policies(change: dict[str, Any]) -> None:
    """What the editor shows as right loads."""
    policy = {**GOOD, **change}
    assert is_valid(policy)
    assert load_policy(policy).name == "demo"


@pytest.mark.parametrize(
    "change",
    [
        {"qidguard": 2},
        {"name": ""},
        {"nam": "x"},
        {"roles": {}},
        {"roles": {"quasi_identifiers": []}},
        {"roles": {"quasi_identifiers": "age"}},
        {"roles": {"quasi_identifiers": ["age", 5]}},
        {"roles": {"quasi_identifiers": ["age", "age"]}},
        {"attacker": {"knows_any": 0}},
        {"attacker": "some"},
        {"preset": "none-such"},
        {"thresholds": [{"metric": "k_anonymity"}]},
        {"thresholds": [{"metric": "k_anonymity", "at_least": 5, "at_most": 6}]},
        {"thresholds": [{"metric": "k_anonymity", "at_least": "5"}]},
        {"thresholds": [{"metric": "k_anonymity", "at_least": True}]},
        {"thresholds": {"metric": "k_anonymity", "at_least": 5}},
        {"thresholds": [{"metric": "k", "at_least": 5, "parameters": {"k": [1]}}]},
        {"sampling_fraction": 0},
        {"threads": 0},
        {"memory_limit": "lots"},
        {"unnamed_columns": "ignore"},
        {"source": {"format": "xlsx"}},
        {"source": {"delimiter": ";;"}},
        {"population": {}},
    ],
)
def test_schema_and_loader_refuse_the_same_bad_policies(change: dict[str, Any]) -> None:
    """What the editor marks as wrong does not load either."""
    policy = {**GOOD, **change}
    assert not is_valid(policy)
    with pytest.raises(PolicyError):
        load_policy(policy)
