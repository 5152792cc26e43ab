"""Policies of a few lines, and what is said against a policy."""

from collections.abc import Mapping
from typing import Any

import pytest

from qidguard.core.errors import PolicyError
from qidguard.policy import load_policy, parse_policy

TEXT = """\
qidguard: 1
name: demo
roles:
  quasi_identifiers:
    - age
    - sex
  sensitive: [disease]
thresholds:
  - metric: k_anonymity
    at_least: 5
"""
K5: dict[str, Any] = {"metric": "k_anonymity", "at_least": 5}


def head(roles: str = "{quasi_identifiers: [age, sex]}") -> str:
    """Return a policy of four lines, to which sections are added."""
    return f"qidguard: 1\nname: demo\nroles: {roles}\nthresholds: [{{metric: k_anonymity, at_least: 5}}]\n"


def fields(roles: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return the fields of such a policy."""
    roles = roles or {"quasi_identifiers": ["age", "sex"]}
    return {"qidguard": 1, "name": "demo", "roles": roles, "thresholds": [K5], **more}


def complaint(policy: str | Mapping[str, Any], *source: str) -> str:
    """Return what is said against a policy's text, or its fields; nothing of pydantic's shows in it."""
    with pytest.raises(PolicyError) as caught:
        parse_policy(policy, *source) if isinstance(policy, str) else load_policy(policy)
    said = str(caught.value)
    assert "pydantic" not in said
    assert "input_value" not in said
    return said
