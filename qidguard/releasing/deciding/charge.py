"""Charge the privacy budget before any noise is drawn; what was charged stays spent."""

from typing import TYPE_CHECKING

from qidguard.anonymizing.protocol import PrivacyCost
from qidguard.anonymizing.run import UnreachableError
from qidguard.budget import Budget, Spend, check_spend, exact_text, read_exact
from qidguard.core.naming import folded
from qidguard.ledger import TypedEntry, new_entry, read
from qidguard.ledger.payloads import Spent
from qidguard.releasing.history.series import data_sets_of

if TYPE_CHECKING:
    from qidguard.ledger import Reader
    from qidguard.releasing.context import ReleaseContext


def charge(context: "ReleaseContext", cost: PrivacyCost, source_sha256: str) -> None:
    """Record the cost of the remedy in one step with the check that the budget bears it.

    Raises:
        UnreachableError: When the policy sets no budget.
        BudgetError: When the budget does not bear it; nothing is recorded then.
        LedgerError: When it cannot be recorded.
    """
    limit = context.policy.privacy_budget
    remedy = context.remedy.anonymizer.name if context.remedy else ""
    if limit is None:
        raise UnreachableError(
            f"The remedy {remedy} draws noise, and the policy sets no privacy_budget; add one"
            " with its epsilon."
        )
    budget = Budget(epsilon=limit.epsilon, delta=limit.delta)
    wanted = Spend(epsilon=cost.epsilon, delta=cost.delta, rho=cost.rho)
    name = limit.population

    def guard(reader: "Reader") -> None:
        spent = [read(entry, Spent) for entry in reader.entries(kinds={"spent"})]
        names = data_sets_of(reader, context, source_sha256)
        of_data_set = [_spend(e) for e in spent if folded(e.data_set) in names]
        check_spend(budget, of_data_set, wanted, of=context.data_set)
        if name is not None:
            shared = [_spend(e) for e in spent if folded(e.payload.population or "") == folded(name)]
            check_spend(budget, shared, wanted, of=name)

    context.ledger.append(
        new_entry(
            Spent(
                audit_id=context.run_id,
                anonymizer=remedy,
                population=name,
                epsilon=exact_text(cost.epsilon),
                delta=exact_text(cost.delta),
                rho=exact_text(cost.rho),
                budget_epsilon=exact_text(budget.epsilon),
                budget_delta=exact_text(budget.delta),
            ),
            # one name for all attempts of a run: what is not published is not spent twice
            entry_id=f"spent-{context.run_id}",
            data_set=context.data_set,
            at=context.clock(),
        ),
        guard=guard,
    )


def _spend(entry: TypedEntry[Spent]) -> Spend:
    spent = entry.payload
    return Spend(epsilon=read_exact(spent.epsilon), delta=read_exact(spent.delta), rho=read_exact(spent.rho))
