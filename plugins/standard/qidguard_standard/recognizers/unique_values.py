"""Columns in which no value repeats: each value names one record, so it may name a person."""

from collections.abc import Sequence

from qidguard.sdk import ColumnFacts, DecidedBy, Role, RoleAssignment, RoleProposal, ValueType

FEWEST_VALUES = {ValueType.TEXT: 20, ValueType.INTEGER: 100}
"""Fewer distinct values than this may be distinct by chance, amounts more easily than texts."""

CONFIDENCE = 0.4
"""Below every proposal of the lexicon: that values differ does not say what they are."""


class UniqueValues:
    """Proposes direct identifier for texts and whole numbers that never repeat."""

    name = "unique_values"
    title = "columns in which no value repeats are direct identifiers"

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return a proposal for each column whose values that are not missing are all distinct.

        Example:
            >>> key = ColumnFacts(name="x", value_type=ValueType.TEXT, records=30, distinct=28, missing=2)
            >>> UniqueValues().propose([key])[0].assignment.reason
            'all 28 values present are distinct (other_unique_id)'
        """
        return tuple(
            RoleProposal(
                assignment=RoleAssignment(
                    column=column.name,
                    role=Role.DIRECT_IDENTIFIER,
                    decided_by=DecidedBy.STATISTICS,
                    reason=f"all {column.distinct:,} values present are distinct (other_unique_id)",
                ),
                confidence=CONFIDENCE,
            )
            for column in columns
            if column.value_type in FEWEST_VALUES
            and column.distinct >= FEWEST_VALUES[column.value_type]
            and column.distinct == column.records - column.missing
        )
