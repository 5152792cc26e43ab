"""Charge the privacy budget before any noise is drawn; what was charged stays spent."""

from typing import TYPE_CHECKING, cast

from qidguard.budget import Budget, BudgetError, Spend, check_spend, exact_text, read_exact
from qidguard.core.errors import UnreachableError
from qidguard.core.exact import short_text
from qidguard.core.naming import folded
from qidguard.core.privacy import ProtectedUnit
from qidguard.core.privacy_document import privacy_document, read_privacy
from qidguard.core.progress import tell
from qidguard.ledger import LedgerError, TypedEntry, new_entry, read
from qidguard.ledger.payloads import Spent
from qidguard.releasing.history.comparable import data_sets_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qidguard.anonymizing.receipt import Receipt
    from qidguard.core.privacy import PrivacyGuarantee
    from qidguard.ledger import Reader
    from qidguard.ledger.listed import PrivacyTold
    from qidguard.releasing.context import ReleaseContext


def charge(context: "ReleaseContext", privacy: "PrivacyGuarantee", source_sha256: str) -> None:
    """Record what the remedy guarantees and costs in one step with the check that the budget bears it.

    Raises:
        UnreachableError: When the policy sets no budget, or asks for the protection of persons and records
            are protected.
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
    if limit.unit == "person" and privacy.unit is not ProtectedUnit.PERSON:
        raise UnreachableError(
            f"The policy's privacy_budget protects persons, and the remedy {remedy} protects records; set its"
            " unit, or let the budget protect records."
        )
    cost = privacy.cost
    budget = Budget(epsilon=limit.epsilon, delta=limit.delta)
    wanted = Spend(epsilon=cost.epsilon, delta=cost.delta, rho=cost.rho)
    name = limit.population

    def guard(reader: "Reader") -> None:
        spent = [read(entry, Spent) for entry in reader.entries(kinds={"spent"})]
        names = data_sets_of(reader, context, source_sha256)
        of_data_set = [entry for entry in spent if folded(entry.data_set) in names]
        held = [(context.data_set, of_data_set)]
        if name is not None:
            held.append((name, [e for e in spent if folded(e.payload.population or "") == folded(name)]))
        for of, entries in held:
            if limit.unit == "person":
                _check_unit(entries, of)
            check_spend(budget, [_spend(entry) for entry in entries], wanted, of=of)

    told = f"charging {cost.text} to the privacy budget, which stays charged if the result is blocked"
    tell(
        context.progress,
        f"The remedy {remedy} draws noise: {cost.text} is to be charged to the privacy budget of"
        f" {context.data_set} (ε = {short_text(budget.epsilon)} in all) before it draws, and stays charged if"
        " the result is blocked.",
    )
    with context.step(told):
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
                    privacy=cast("PrivacyTold", privacy_document(privacy)),
                ),
                # one name for all attempts of a run: what is not published is not spent twice
                entry_id=f"spent-{context.run_id}",
                data_set=context.data_set,
                at=context.clock(),
            ),
            guard=guard,
        )


def charged(receipt: "Receipt | None") -> tuple[str, ...]:
    """Return a sentence on what a decision charged, passed or blocked."""
    if receipt is None or receipt.privacy is None:
        return ()
    cost = receipt.privacy.cost.text
    return (f"{cost} was charged to the privacy budget, and stays charged whatever comes of the result.",)


def _check_unit(entries: "Sequence[TypedEntry[Spent]]", of: str) -> None:
    """Refuse to add up what protects persons and what protects records.

    A person may have any number of records, which entries do not tell.
    """
    other = [e for e in entries if e.payload.privacy is None or e.payload.privacy["unit"] != "person"]
    if other:
        times = "1 earlier charge" if len(other) == 1 else f"{len(other):,} earlier charges"
        raise BudgetError(
            f"The policy's privacy_budget protects persons, and {times} of {of!r} ({other[0].id}) protected"
            " records: what they cost a person with several records is not known; let the budget protect"
            " records, or release what no such noise was drawn for"
        )


def _spend(entry: TypedEntry[Spent]) -> Spend:
    """Return what an entry says was spent; LedgerError where its guarantee comes to something else."""
    spent = entry.payload
    told = Spend(epsilon=read_exact(spent.epsilon), delta=read_exact(spent.delta), rho=read_exact(spent.rho))
    if spent.privacy is None:  # of a version that recorded none
        return told
    try:
        cost = read_privacy(spent.privacy).cost
    except ValueError as fault:
        raise LedgerError(f"entry {entry.id!a} of the ledger cannot be trusted: {fault}") from None
    if (cost.epsilon, cost.delta, cost.rho) != (told.epsilon, told.delta, told.rho):
        raise LedgerError(
            f"entry {entry.id!a} of the ledger charges {told.text}, and its guarantee costs {cost.text}"
        )
    return told
