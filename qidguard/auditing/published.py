"""Which columns would be published of a table that was audited."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.core.report import ColumnReport
from qidguard.core.role import Role

if TYPE_CHECKING:
    from qidguard.policy import Policy


def never_published(columns: Sequence[ColumnReport], policy: "Policy") -> dict[str, str]:
    """Return column → why it is never published."""
    dropped = {}
    for column in columns:
        name, role = column.facts.name, column.assignment.role
        if name in policy.roles.direct_identifiers or role is Role.DIRECT_IDENTIFIER:
            dropped[name] = "direct identifier"
        elif name in policy.dropped_columns:
            is_of_series = name not in policy.release.drop
            dropped[name] = "column of the series" if is_of_series else "dropped by the policy"
        elif name == policy.roles.entity and name not in policy.roles.insensitive:
            dropped[name] = "entity"
        elif role is Role.UNCLASSIFIED:
            dropped[name] = "unclassified"
    return dropped
