"""Roles: what a column is to the people in the table, and who said so."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a column is to the people in the table."""

    DIRECT_IDENTIFIER = "direct_identifier"
    QUASI_IDENTIFIER = "quasi_identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"
    TARGET = "target"
    TREATMENT = "treatment"
    ENTITY = "entity"
    WEIGHT = "weight"
    UNCLASSIFIED = "unclassified"


class DecidedBy(StrEnum):
    """Who gave a column its role."""

    PERSON = "person"
    LEXICON = "lexicon"
    CONTENT = "content"
    STATISTICS = "statistics"
    NOBODY = "nobody"


@dataclass(frozen=True, kw_only=True)
class RoleAssignment:
    """One column's role with who decided it and why (no values of the table in ``reason``).

    Args:
        column: The column.
        role: What it is.
        decided_by: Who says so.
        reason: Why.
        is_also_sensitive: Whether a QID is a sensitive attribute, too, such as race in most policies.
    """

    column: str
    role: Role
    decided_by: DecidedBy
    reason: str = ""
    is_also_sensitive: bool = False

    @property
    def is_sensitive(self) -> bool:
        """Whether nobody should learn its values of a person, whatever else it is."""
        return self.role is Role.SENSITIVE or self.is_also_sensitive

    def __post_init__(self) -> None:
        # a recognizer may be written without a type checker, and a role that is only text equals no role
        for field, kind in (("column", str), ("role", Role), ("decided_by", DecidedBy), ("reason", str)):
            if not isinstance(getattr(self, field), kind):
                raise TypeError(f"a role assignment's {field} must be {kind.__name__}")
        if self.is_also_sensitive and self.role is not Role.QUASI_IDENTIFIER:
            raise ValueError(
                f"only a quasi-identifier can be sensitive beside its role, not {self.role.value}"
            )
