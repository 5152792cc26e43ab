"""Columns of dates: when something happened to a person is often known to others."""

from collections.abc import Sequence

from qidguard.sdk import ColumnFacts, DecidedBy, Role, RoleAssignment, RoleProposal, ValueType

CONFIDENCE = 0.45
"""Below every proposal of the lexicon: a name says more than a type."""


class Dates:
    """Proposes QID for columns that hold dates or times, whatever their name."""

    name = "dates"
    title = "columns whose values are dates are QIDs"

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return a proposal for each column of dates or timestamps.

        Example:
            >>> seen = ColumnFacts(name="seen", value_type=ValueType.DATE, records=8, distinct=5, missing=0)
            >>> Dates().propose([seen])[0].assignment.reason
            'its values are dates (event_date)'
        """
        return tuple(
            RoleProposal(
                assignment=RoleAssignment(
                    column=column.name,
                    role=Role.QUASI_IDENTIFIER,
                    decided_by=DecidedBy.CONTENT,
                    reason="its values are dates (event_date)",
                ),
                confidence=CONFIDENCE,
            )
            for column in columns
            if column.value_type in {ValueType.DATE, ValueType.TIMESTAMP}
        )
