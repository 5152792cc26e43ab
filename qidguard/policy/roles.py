"""The ``roles`` section: what each column is to the people in the table."""

from collections.abc import Iterator

from pydantic import Field

from qidguard.policy.section import Section
from qidguard.policy.values import Columns, QuasiIdentifiers


class Roles(Section):
    """Which columns play which role.

    Example:
        >>> Roles(quasi_identifiers=["age", "sex"], entity="patient").named
        ('age', 'sex', 'patient')
    """

    quasi_identifiers: QuasiIdentifiers = Field(
        description="The columns that an attacker may know, or auto: what recognizers propose counts. QIDs,"
        " sensitive attributes and weights play their role; a direct identifier, a key of persons and an open"
        " question block until a person names the column. A column may be sensitive, too.",
        examples=[["age", "sex", "postcode"]],
    )
    sensitive: Columns = Field(
        default=(),
        description="The columns that nobody should learn of a person.",
        examples=[["diagnosis"]],
    )
    direct_identifiers: Columns = Field(
        default=(),
        description="The columns that name a person by themselves; they are never published.",
        examples=[["name", "ssn"]],
    )
    insensitive: Columns = Field(
        default=(),
        description="The columns that a person decided to be harmless.",
        examples=[["ward"]],
    )
    target: str | None = Field(
        default=None, description="The column that users of the data predict.", examples=["readmitted"]
    )
    treatment: str | None = Field(
        default=None, description="The column whose effect users study.", examples=["medication"]
    )
    entity: str | None = Field(
        default=None,
        description="The column whose distinct values are the persons; without it each record is one.",
        examples=["patient_id"],
    )
    weight: str | None = Field(
        default=None, description="The sampling-weight column.", examples=["sampling_weight"]
    )

    @property
    def is_auto(self) -> bool:
        """Whether recognizers choose the QIDs."""
        return self.quasi_identifiers == "auto"

    @property
    def qids(self) -> tuple[str, ...]:
        """The QIDs that are named; empty where recognizers choose them."""
        return () if isinstance(self.quasi_identifiers, str) else self.quasi_identifiers

    def places(self) -> Iterator[tuple[str, tuple[str | int, ...], str]]:
        """Return (field, path below the policy, column) for every column named here, in order."""
        for field in type(self).model_fields:
            given = self.qids if field == "quasi_identifiers" else getattr(self, field)
            if isinstance(given, tuple):
                yield from ((field, ("roles", field, at), column) for at, column in enumerate(given))
            elif given is not None:
                yield field, ("roles", field), given

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that has a role, once, in order."""
        return tuple(dict.fromkeys(column for _, _, column in self.places()))
