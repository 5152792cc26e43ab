"""What is said of values that differ only as they are written: counts by kind, never a value."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.core.role import Role, RoleAssignment
from qidguard.core.spelling import Normalized, Variants
from qidguard.core.verdict import Block

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.policy import Policy

_LOOKED_AT = frozenset({Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.TARGET, Role.TREATMENT})
_MEASURED = frozenset({Role.SENSITIVE, Role.TARGET, Role.TREATMENT})


def spelling_notes(
    table: "Table", assignments: Sequence[RoleAssignment], policy: "Policy | None" = None
) -> tuple[str, ...]:
    """Return a sentence for each QID and sensitive column whose values differ from others only in writing."""
    count = getattr(table, "variants", None)
    if count is None:
        return ()
    roles = {a.column: a.role for a in assignments if a.role in _LOOKED_AT}
    declared = {} if policy is None else {one.column: one for one in policy.normalized}
    variants: tuple[Variants, ...] = count(tuple(roles))
    return tuple(_sentence(v, declared.get(v.column), roles[v.column] in _MEASURED) for v in variants)


def not_normalized(table: "Table", policy: "Policy") -> list[Block]:
    """Return a block where the policy takes values as one and the engine does not know how."""
    if not policy.normalized or getattr(table, "variants", None) is not None:
        return []
    sentence = (
        f"The policy's source.normalize cannot be followed by the engine {policy.engine!r}, which tells all"
        " values apart; use the engine duckdb, or take normalize away."
    )
    return [Block(rule="normalize", sentence=sentence)]


def _sentence(variants: Variants, declared: Normalized | None, is_measured: bool) -> str:  # noqa: FBT001 - private
    held = variants.words
    if declared is None:
        end = (
            "they count as different. If they are one value, declare it under source: normalize."
            if is_measured
            else "classes are counted by what is published, where a reader may take them as one."
        )
        return f"{held}; {end}"
    left = [str(s) for s, _ in variants.by_spelling if s not in declared.spellings]
    taken = ", ".join(declared.spellings)
    rest = f"; {', '.join(left)} still count as different" if left else ""
    return f"{held}; they are measured as one by {taken}{rest}. What is published stays as it is written."
