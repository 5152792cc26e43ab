"""The JSON Schema of policies agrees with the loader."""

from typing import Any

import jsonschema
import pytest

from policy_texts import K5, complaint, fields
from qidguard.policy import PRESETS, load_policy, policy_schema
from qidguard.policy.exceptions import EXAMPLE

GOOD = fields(
    {"quasi_identifiers": ["age", "sex"], "sensitive": None, "entity": "id"},
    thresholds=[{**K5, "at_most": None}],
)
SCHEMA = jsonschema.Draft202012Validator(
    policy_schema(), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
)


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


@pytest.mark.parametrize("change", [
    {}, {"preset": "ema-0070", "thresholds": None}, {"attacker": {"knows_any": 2}},
    {"review_by": "2027-05-01", "sampling_fraction": 1, "threads": 2, "memory_limit": "1.5 GiB"},
    {"source": {"delimiter": ";", "missing": ["?"], "header": True}}, {"population": {"path": "p.csv"}},
    {"release": {"destination": "s3://bucket/x", "format": None}},
    {"release": None, "exceptions": None, "evidence": None, "remedy": None, "privacy_budget": None},
    {"series": None, "accepted": None},
    {"accepted": [{"columns": ["year"], "tells": None, "reason": "it is public"}]},
    {"remedy": {"anonymizer": "mondrian", "attacks": ["linkage"], "when": "always"}},
])  # fmt: skip
def test_schema_and_loader_accept_the_same_good_policies(change: dict[str, Any]) -> None:
    """What the editor shows as right loads; tests/core/test_policy_round_trip.py draws other fields."""
    policy = {**GOOD, **change}
    assert SCHEMA.is_valid(policy)
    assert load_policy(policy).name == "demo"


WRONG = {
    "name": [""], "preset": ["none-such"], "threads": [0], "population": [{}],
    "thresholds": [K5, [K5, {**K5, "on_miss": "ignore"}]],
    "release": [
        {"signers": ["ed25519:AAAA"]}, {"destination": ""}, {"destination": "s3://me:word@store/x"},
        {"unrelated": ["ward"]}, {"unrelated": [{"data_set": "ward"}]},
        {"unrelated": [{"data_set": "a/b", "reason": "other people"}]},
        {"unrelated": [{"data_set": "ward", "reason": ""}]},
    ],
    "exceptions": [{"approvers": [{"name": "A. Roe", "key": EXAMPLE.lower()}]}],
    "series": [{"left_on": 3}, {"state": ""}],
    "privacy_budget": [{"epsilon": "0/3"}, {"epsilon": 1, "delta": "-1"}],
    "evidence": [{"title": ""}],
    "accepted": [
        [{"columns": ["year"]}], [{"columns": ["year"], "reason": "ok"}],
        [{"columns": ["a", "b", "c"], "tells": "age", "reason": "it is public"}],
        {"columns": ["year"], "reason": "it is public"},
    ],
    "hierarchies": [
        *({"age": {"intervals": widths}} for widths in ([], ["5"])), {"age": {"cuts": [5]}},
        {"age": {"dates": ["week"]}}, {"age": {"prefix": [0]}}, {"age": {"auto": "best"}},
        {"age": {"file": ""}}, {"age": {"file": "a.csv", "delimiter": ";;"}},
        {"age": {"intervals": [5], "top": True}}, ["age"],
    ],
}  # fmt: skip
"""A field → values that it cannot have, beside those of tests/core/test_policy_faults.py."""


@pytest.mark.parametrize("change", [{field: value} for field, values in WRONG.items() for value in values])
def test_schema_and_loader_refuse_the_same_bad_policies(change: dict[str, Any]) -> None:
    """What the editor marks as wrong does not load either."""
    assert not SCHEMA.is_valid({**GOOD, **change})
    assert complaint({**GOOD, **change})
