"""Roles: what a column is to the people in the table, and who said so."""

from dataclasses import dataclass, replace
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
        is_also_sensitive: Whether a QID is a sensitive attribute, too, such as race in most policies. Only a
            QID keeps it: a sensitive attribute says it already, and a column that is open or never published
            as it is needs no word of it.

    Raises:
        TypeError: A field is of another type.
        ValueError: A column is called sensitive beside a role that contradicts it, such as a weight.

    Example:
        >>> race = RoleAssignment(
        ...     column="race",
        ...     role=Role.QUASI_IDENTIFIER,
        ...     decided_by=DecidedBy.LEXICON,
        ...     is_also_sensitive=True,
        ... )
        >>> race.is_sensitive, race.left_open("is it?").is_sensitive
        (True, False)
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
        if not self.is_also_sensitive or self.role is Role.QUASI_IDENTIFIER:
            return
        if self.role in _CONTRADICTS_SENSITIVE:
            raise ValueError(
                f"only a quasi-identifier can be sensitive beside its role, not {self.role.value}"
            )
        object.__setattr__(self, "is_also_sensitive", False)

    def left_open(self, reason: str | None = None) -> "RoleAssignment":
        """Return the same column with a role that a person has to decide, and why, where that is said.

        Example:
            >>> age = RoleAssignment(column="age", role=Role.SENSITIVE, decided_by=DecidedBy.LEXICON)
            >>> age.left_open("is it?").role
            <Role.UNCLASSIFIED: 'unclassified'>
        """
        why = self.reason if reason is None else reason
        return replace(self, role=Role.UNCLASSIFIED, reason=why)


_CONTRADICTS_SENSITIVE = {Role.INSENSITIVE, Role.TARGET, Role.TREATMENT, Role.WEIGHT}
