"""Quasi-identifiers by search: the columns of the best set that a search finds."""

from collections.abc import Sequence

from qidguard import (
    ColumnFacts,
    DecidedBy,
    DiscoveryTask,
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
        """Return nothing: names and facts of single columns say nothing of sets.

        Args:
            columns: The table's columns.

        Returns:
            No proposal.

        Units:
            None.

        Raises:
            Nothing.

        Example:
            >>> Search().propose([])
            ()
        """
        del columns
        return ()

    def propose_from(
        self, table: TableView, columns: Sequence[ColumnFacts], discovery: DiscoveryTask
    ) -> tuple[RoleProposal, ...]:
        """Return a proposal for each column of the best set, with why it is in it.

        Args:
            table: The opened table.
            columns: The columns to search.
            discovery: How the policy wants it searched.

        Returns:
            Quasi-identifiers, decided by statistics, with confidence 0.5 to 0.8: the more of the ten best
            sets have the column, the higher.

        Units:
            Confidence is a share, 0..1.

        Raises:
            NotMeasurable: When the search did not end within its budget, or no set has a fitness.
            UserError: When an objective, a strategy or a parameter does not exist or does not fit.
            KeyboardInterrupt: On Ctrl-C.

        Example:
            >>> import pandas as pd, qidguard
            >>> with qidguard.audit(pd.DataFrame({"age": [30, 30, 41], "ward": ["a", "b", "a"]})) as audit:
            ...     task = DiscoveryTask(objective={"distinction": 1})
            ...     found = Search().propose_from(audit.table, audit.table.columns, task)
            >>> found[1].assignment.reason, found[1].confidence
            ('in 2 of the 3 best sets; raised distinction by 0.333', 0.7)
        """
        from qidguard import discover_in  # it loads what only a search needs

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
