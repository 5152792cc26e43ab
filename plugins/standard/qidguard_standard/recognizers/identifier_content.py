"""Columns whose values have the form of a direct identifier, where nobody tested them more closely."""

from collections.abc import Sequence

from qidguard.sdk import ColumnFacts, DecidedBy, Role, RoleAssignment, RoleProposal

CONFIDENCE = 0.85
"""Below a sure word of the lexicon and above an ambiguous one."""


class IdentifierContent:
    """Proposes direct identifier for columns of e-mail addresses, phone numbers, IBANs and the like.

    Where the host tested values, as the shape of a column says, the recognizer of content knows more: it
    weighs chance, dates and books against numbers of persons. This one is silent there.
    """

    name = "identifier_content"
    title = "columns whose values look like e-mail addresses, phone, bank or national numbers"

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return a proposal for each column whose values look like a direct identifier.

        Example:
            >>> from qidguard.sdk import Look, ValueType
            >>> seen = (Look(kind="IBANs", share=1.0),)
            >>> facts = ColumnFacts(
            ...     name="x", value_type=ValueType.TEXT, records=8, distinct=5, missing=0, identifiers=seen
            ... )
            >>> IdentifierContent().propose([facts])[0].assignment.reason
            '100 % of its values look like IBANs'
        """
        return tuple(
            RoleProposal(
                assignment=RoleAssignment(
                    column=column.name,
                    role=Role.DIRECT_IDENTIFIER,
                    decided_by=DecidedBy.CONTENT,
                    reason=f"{column.identifiers[0].share:.0%}".replace("%", " %")
                    + f" of its values look like {column.identifiers[0].kind}",
                ),
                confidence=CONFIDENCE,
            )
            for column in columns
            if column.identifiers and column.shape is None
        )
