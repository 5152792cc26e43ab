"""Quasi-identifiers by search: the columns of the best set, where a policy has a ``discovery`` section."""

from collections.abc import Sequence

from qidguard.sdk import (
    ColumnFacts,
    DecidedBy,
    DiscoveryTask,
    Recognizer,
    Role,
    RoleAssignment,
    RoleProposal,
    TableView,
)

LEAST, MOST = 0.5, 0.8
"""Confidence of a column that is in the best set only, and of one that is in every ranked set.

Below that of a sure name: what counts say is no knowledge of what outsiders hold.
"""


class Search:
    """Proposes quasi-identifier for each column of the best set."""

    name = "search"
    title = "columns of the set that a search finds best; asked by a policy's discovery section"

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return nothing: names and facts of single columns say nothing of sets."""
        del columns
        return ()

    def propose_from(
        self, table: TableView, columns: Sequence[ColumnFacts], discovery: DiscoveryTask
    ) -> tuple[RoleProposal, ...]:
        """Return a proposal for each column of the best set, with why it is in it.

        Confidence is 0.5 to 0.8: the more of the ten best sets have the column, the higher. NotMeasurable
        when the search did not end within its budget.
        """
        from qidguard.sdk import discover_in  # it loads what only a search needs

        found = discover_in(table, columns, discovery, must_finish=True)
        return tuple(
            RoleProposal(
                assignment=RoleAssignment(
                    column=column.facts.name,
                    role=Role.QUASI_IDENTIFIER,
                    decided_by=DecidedBy.STATISTICS,
                    reason=found.why(column.facts.name),
                ),
                confidence=round(LEAST + (MOST - LEAST) * column.share, 2),
            )
            for column in found.columns
            if column.is_found
        )


RECOGNIZERS: tuple[Recognizer, ...] = (Search(),)
"""All of them, by name."""
