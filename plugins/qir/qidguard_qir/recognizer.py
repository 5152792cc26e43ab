"""Quasi-identifiers by their risk, where a policy's ``discovery`` section names the strategy ``qir``."""

from collections.abc import Sequence

from qidguard.sdk import (
    ColumnFacts,
    DecidedBy,
    DiscoveryTask,
    Evidence,
    Recognizer,
    Role,
    RoleProposal,
    TableView,
)
from qidguard_qir.classification import classify
from qidguard_qir.thresholds import given_thresholds

STRATEGY = "qir"
"""The strategy that a policy names."""
GIVEN, PROPOSED = 0.6, 0.5
"""Confidence where a person gave the thresholds, and where they were proposed; risk is weak evidence."""


class RiskRecognizer:
    """Proposes quasi-identifier for the columns whose risk lies from β to α; silent without being asked."""

    name = "qir"
    title = (
        "columns whose re-identification risk lies between two thresholds; asked by discovery: strategy: qir"
    )
    strategies = (STRATEGY,)

    def propose(self, columns: Sequence[ColumnFacts]) -> tuple[RoleProposal, ...]:
        """Return nothing: the risk of a column says too little for a draft."""
        del columns
        return ()

    def propose_from(
        self, table: TableView, columns: Sequence[ColumnFacts], discovery: DiscoveryTask
    ) -> tuple[RoleProposal, ...]:
        """Return a proposal for each column in [β, α], with its risk and both thresholds as the reason.

        A column above α, or set apart as a direct identifier, is no quasi-identifier to QIR; it stays as it
        is, and blocks where nobody decided on it. NotMeasurable where no thresholds are given and the risks
        suggest none.
        """
        if discovery.strategy != STRATEGY:
            return ()
        alpha, beta = given_thresholds(discovery.parameters)
        found = classify(table, [facts.name for facts in columns], alpha=alpha, beta=beta)
        confidence = PROPOSED if found.thresholds.is_proposed else GIVEN
        source = f"thresholds {found.thresholds.reason}"
        return tuple(
            RoleProposal.of(
                name,
                Role.QUASI_IDENTIFIER,
                confidence,
                Evidence(by=DecidedBy.STATISTICS, sentence=found[name].why),
                Evidence(by=DecidedBy.STATISTICS, sentence=source),
            )
            for name in found.quasi_identifiers
        )


RECOGNIZERS: tuple[Recognizer, ...] = (RiskRecognizer(),)
"""All of them, by name."""
