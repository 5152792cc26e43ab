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


@pytest.mark.samples(6)
@pytest.mark.parametrize("change", [
    {}, {"roles": {"quasi_identifiers": "auto"}}, {"attacker": {"knows_any": 2}},
    {"preset": "ema-0070", "thresholds": None},
    {"review_by": "2027-05-01", "sampling_fraction": 1, "threads": 2, "memory_limit": "1.5 GiB"},
    {"source": {"delimiter": ";", "missing": ["?"], "header": True}},
    {"thresholds": [{"metric": "share_below_k", "at_most": 0.1, "parameters": {"k": 5}}]},
    {"population": {"path": "p.csv"}}, {"thresholds": [K5, {**K5, "on_miss": "warn"}]},
    {"release": {"data_set": "patients", "format": "csv", "drop": ["ward"], "keep_order": True}},
    {"release": {"signature": "required", "signers": [EXAMPLE], "earlier_releases": "unrelated"}},
    {"release": {"destination": "s3://bucket/x", "format": None}},
    {"release": {"unrelated": [{"data_set": "ward2", "reason": "persons of another hospital"}]}},
    {"release": None, "exceptions": None, "evidence": None, "remedy": None, "privacy_budget": None},
    {"remedy": {"anonymizer": "small_class_suppression", "parameters": {"k": 5}}},
    {"exceptions": {"approvers": [{"name": "A. Roe", "key": EXAMPLE}], "longest_days": 366}},
    {"privacy_budget": {"epsilon": 1}},
    {"series": {"came_on": "came"}, "roles": {"quasi_identifiers": ["age"], "entity": "person"}},
    {"series": None}, {"privacy_budget": {"epsilon": "1/3", "delta": 0, "population": "people"}},
    {"privacy_budget": {"epsilon": 0.1, "delta": "1e-6"}},
    {"evidence": {"title": "x", "data_as_of": "2026-01-01", "series": "single", "model": "internal"}},
    {"evidence": {"columns": {"age": "teaching"}}},
    {"accepted": [{"columns": ["year"], "tells": "age", "reason": "it is public", "by": "A. Roe"}]},
    {"accepted": [{"columns": ["year"], "tells": None, "reason": "it is public"}]}, {"accepted": None},
])  # fmt: skip
def test_schema_and_loader_accept_the_same_good_policies(change: dict[str, Any]) -> None:
    """What the editor shows as right loads."""
    policy = {**GOOD, **change}
    assert SCHEMA.is_valid(policy)
    assert load_policy(policy).name == "demo"


WRONG = {
    "qidguard": [2], "name": [""], "nam": ["x"],
    "roles": [
        {}, {"quasi_identifiers": []}, {"quasi_identifiers": "age"}, {"quasi_identifiers": ["age", 5]},
        {"quasi_identifiers": ["age", "age"]},
    ],
    "attacker": [{"knows_any": 0}, "some"], "preset": ["none-such"],
    "thresholds": [
        [{"metric": "k_anonymity"}], [{"metric": "k_anonymity", "at_least": 5, "at_most": 6}],
        [{"metric": "k_anonymity", "at_least": "5"}], [{"metric": "k_anonymity", "at_least": True}],
        {"metric": "k_anonymity", "at_least": 5}, [{"metric": "k", "at_least": 5, "parameters": {"k": [1]}}],
        [K5, {**K5, "on_miss": "ignore"}],
    ],
    "sampling_fraction": [0], "threads": [0], "memory_limit": ["lots"], "unnamed_columns": ["ignore"],
    "source": [{"format": "xlsx"}, {"delimiter": ";;"}], "population": [{}],
    "release": [
        {"data_set": "a/b"}, {"data_set": ".a"}, {"data_set": "a" * 101}, {"format": "duckdb"},
        {"drop": ["ward", "ward"]}, {"keep_order": "no"}, {"signature": True}, {"signers": ["ed25519:AAAA"]},
        {"signers": [EXAMPLE, EXAMPLE]}, {"signers": EXAMPLE}, {"earlier_releases": "none"},
        {"destination": ""}, {"destination": "s3://me:word@store/x"}, {"to": "x"},
        {"unrelated": ["ward"]}, {"unrelated": [{"data_set": "ward"}]},
        {"unrelated": [{"data_set": "a/b", "reason": "other people"}]},
        {"unrelated": [{"data_set": "ward", "reason": ""}]},
    ],
    "remedy": [{}, {"anonymizer": "a", "parameters": {"k": [[1]]}}],
    "exceptions": [
        {"longest_days": 0}, {"longest_days": 367}, {"approvers": [{"name": "A. Roe"}]},
        {"approvers": [{"name": "A. Roe", "key": EXAMPLE.lower()}]},
    ],
    "series": [{}, {"left_on": "left", "state": "private"}, {"left_on": 3}, {"state": ""}],
    "privacy_budget": [
        {}, {"epsilon": 0}, {"epsilon": "0/3"}, {"epsilon": "1/0"}, {"epsilon": True},
        {"epsilon": 1, "delta": 1}, {"epsilon": 1, "delta": "-1"},
    ],
    "evidence": [
        {"title": ""}, {"data_as_of": "2026"}, {"series": "many"}, {"model": "secret"},
        {"columns": {"age": ""}}, {"columns": ["age"]},
    ],
    "accepted": [
        [{"columns": ["year"]}], [{"columns": ["year"], "reason": "ok"}],
        [{"columns": ["a", "b", "c"], "tells": "age", "reason": "it is public"}],
        {"columns": ["year"], "reason": "it is public"},
    ],
}  # fmt: skip
"""A field → values that it cannot have."""


@pytest.mark.samples(6)
@pytest.mark.parametrize("change", [{field: value} for field, values in WRONG.items() for value in values])
def test_schema_and_loader_refuse_the_same_bad_policies(change: dict[str, Any]) -> None:
    """What the editor marks as wrong does not load either."""
    assert not SCHEMA.is_valid({**GOOD, **change})
    assert complaint({**GOOD, **change})


@pytest.mark.samples(7)
@pytest.mark.parametrize("section", [
    {"strategy": ""}, {"objective": []}, {"objective": {}}, {"objective": {"a": "b"}}, {"objective": ""},
    {"parameters": {"a": [1]}, "strategy": "b"}, {"seed": -1}, {"seed": 0.5}, {"budget_seconds": 0},
    {"largest": 0}, {"depth": 1}, "auto",
])  # fmt: skip
def test_schema_and_loader_refuse_the_same_discovery(section: object) -> None:
    """No strategy, objective, parameter or bound that one of them would take."""
    policy = fields({"quasi_identifiers": "auto"}, discovery=section)
    assert not SCHEMA.is_valid(policy)
    assert complaint(policy)


@pytest.mark.parametrize("section", [
    {"age": "automatic"}, {"age": {"intervals": []}}, {"age": {"intervals": ["5"]}}, {"age": {"cuts": [5]}},
    {"age": {"dates": ["week"]}}, {"age": {"prefix": [0]}}, {"age": {"auto": "best"}},
    {"age": {"ready": "icd99"}}, {"age": {"file": ""}}, {"age": {"file": "a.csv", "delimiter": ";;"}},
    {"age": {"unknown": 1}}, {"age": {"intervals": [5], "top": True}}, ["age"],
])  # fmt: skip
def test_schema_and_loader_refuse_the_same_hierarchies(section: object) -> None:
    """Each way to make a hierarchy, with a value that it cannot have."""
    policy = fields({"quasi_identifiers": ["age", "job"]}, hierarchies=section)
    assert not SCHEMA.is_valid(policy)
    assert complaint(policy)


@pytest.mark.parametrize(("more", "is_right"), [
    ({"attacks": ["linkage"]}, True), ({"attacks": "linkage"}, False),
    ({"when": "always"}, True), ({"when": "never"}, False),
])  # fmt: skip
def test_the_schema_knows_the_fields_of_a_remedy(more, is_right):
    """Attacks are a list of names, and the time is one of two words."""
    assert SCHEMA.is_valid({**GOOD, "remedy": {"anonymizer": "mondrian"} | more}) is is_right
