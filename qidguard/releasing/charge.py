"""Charge the privacy budget before any noise is drawn; what was charged stays spent."""

from typing import TYPE_CHECKING

from qidguard.anonymize.protocol import PrivacyCost
from qidguard.anonymize.run import UnreachableError
from qidguard.budget import Budget, Spend, check_spend, exact_text, read_exact
from qidguard.ledger import NewEntry

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Reader
    from qidguard.releasing.job import Job


def charge(job: "Job", cost: PrivacyCost) -> None:
    """Record the cost of the remedy in one step with the check that the budget bears it.

    Raises:
        UnreachableError: When the policy sets no budget.
        BudgetError: When the budget does not bear it; nothing is recorded then.
        LedgerError: When it cannot be recorded.
    """
    limit = job.policy.privacy_budget
    remedy = job.remedy.anonymiser.name if job.remedy else ""
    if limit is None:
        raise UnreachableError(
            f"The remedy {remedy} draws noise, and the policy sets no privacy_budget; add one"
            " with its epsilon."
        )
    budget = Budget(epsilon=limit.epsilon, delta=limit.delta)
    wanted = Spend(epsilon=cost.epsilon, delta=cost.delta, rho=cost.rho)
    name = limit.population

    def guard(reader: "Reader") -> None:
        spent = list(reader.entries(kinds={"spent"}))
        of_data_set = [_spend(e) for e in spent if e.data_set == job.data_set]
        check_spend(budget, of_data_set, wanted, of=job.data_set)
        if name is not None:
            shared = [_spend(e) for e in spent if e.payload["population"] == name]
            check_spend(budget, shared, wanted, of=name)

    job.ledger.append(
        NewEntry(
            # one name for all attempts of a run: what is not published is not spent twice
            id=f"spent-{job.run_id}",
            kind="spent",
            data_set=job.data_set,
            at=job.clock(),
            payload={
                "audit_id": job.run_id,
                "anonymiser": remedy,
                "population": name,
                "epsilon": exact_text(cost.epsilon),
                "delta": exact_text(cost.delta),
                "rho": exact_text(cost.rho),
                "budget_epsilon": exact_text(budget.epsilon),
                "budget_delta": exact_text(budget.delta),
            },
        ),
        guard=guard,
    )


def _spend(entry: "Entry") -> Spend:
    said = entry.payload
    return Spend(**{name: read_exact(str(said[name])) for name in ("epsilon", "delta", "rho")})
