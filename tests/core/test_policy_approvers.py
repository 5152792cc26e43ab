"""Approvers are told apart by name and by key."""

from typing import Any

import pytest

from qidguard.core.errors import PolicyError
from qidguard.policy import Policy, load_policy, parse_policy
from qidguard.policy.exceptions import EXAMPLE


def with_approvers(*approvers: dict[str, str]) -> Policy:
    """Return a policy with these approvers."""
    fields: dict[str, Any] = {"qidguard": 1, "name": "demo", "preset": "pdpc-sg-5"}
    fields["roles"] = {"quasi_identifiers": ["age"]}
    return load_policy({**fields, "exceptions": {"approvers": list(approvers)}})


def test_each_approver_is_one_person_with_one_key() -> None:
    """A name or a key that stands twice is refused on the line of the second."""
    other = "ed25519:HTaha0K+CEjxUYVKa3GBXbOG5ZT892hDeWA7a1hDE/s="
    one, two = {"name": "A. Roe", "key": EXAMPLE}, {"name": "B. Doe", "key": other}
    assert len(with_approvers(one, two).exceptions.approvers) == 2
    with pytest.raises(PolicyError, match="two approvers have this name"):
        with_approvers(one, {**two, "name": "A. Roe"})
    with pytest.raises(PolicyError, match="two approvers have this key"):
        with_approvers(one, {**two, "key": EXAMPLE})
    text = (
        "qidguard: 1\nname: p\npreset: pdpc-sg-5\nroles: {quasi_identifiers: [age]}\n"
        f"exceptions:\n  approvers:\n  - {{name: A, key: '{EXAMPLE}'}}\n  - name: B\n    key: '{EXAMPLE}'\n"
    )
    with pytest.raises(PolicyError) as caught:
        parse_policy(text, "p.yaml")
    said = "p.yaml line 9: two approvers have this key; each signs with a key of their own"
    assert str(caught.value) == said
