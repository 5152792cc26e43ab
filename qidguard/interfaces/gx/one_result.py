"""The parts of one expectation's validation result."""

from collections.abc import Mapping
from typing import Any

WHOLE = "expect_table_to_meet_privacy_policy"
OURS = frozenset(
    {
        WHOLE,
        "expect_table_columns_to_be_as_approved",
        "expect_table_k_anonymity_to_be_at_least",
        "expect_table_l_diversity_to_be_at_least",
        "expect_table_privacy_metric_to_be_within",
        "expect_table_reidentification_risk_to_be_at_most",
        "expect_table_share_at_risk_to_be_at_most",
        "expect_table_t_closeness_to_be_at_most",
    }
)
"""The types of the expectations on privacy."""

MARK = "qidguard"
"""The key in ``meta`` by which a suite, or its whole verdict, is known to come from a policy."""


def type_of(one: Any) -> str:
    """Return the type of the expectation, in snake_case."""
    return str(one.expectation_config.type)


def details_of(one: Any) -> Mapping[str, Any]:
    """Return the details; none where the result was cut down to a boolean."""
    return mapping((one.result or {}).get("details"))


def has_raised(one: Any) -> bool:
    """Return whether the library caught an exception, of the expectation or of one of its metrics."""
    caught = mapping(one.exception_info)
    return any(mapping(info).get("raised_exception") for info in (caught, *caught.values()))


def mark_of(holder: Any) -> Mapping[str, Any]:
    """Return what the ``meta`` of a suite or an expectation says of the policy it comes from."""
    return mapping(mapping(holder.meta).get(MARK))


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}
