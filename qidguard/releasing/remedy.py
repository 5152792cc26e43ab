"""The remedy: an anonymiser that the policy names, run on the snapshot; its own claims count for nothing."""

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from qidguard.anonymize.protocol import Anonymiser, PrivacyCost, Task
from qidguard.anonymize.receipt import Receipt
from qidguard.anonymize.run import guarded, run_anonymiser
from qidguard.core.errors import PluginError, PolicyError, UserError
from qidguard.core.parameter import Arguments, bind

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.engines.base import Snapshot
    from qidguard.host import Host

MOST_COMBINATIONS = 20_000
"""Combinations of QIDs that an attacker who knows some of them makes an anonymiser look at."""


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """An anonymiser with its arguments, ready to run."""

    anonymiser: Anonymiser
    arguments: Arguments
    owner: str

    def cost(self) -> PrivacyCost | None:
        """Return what a run spends of the privacy budget; None for an anonymiser that draws no noise."""
        ask = getattr(self.anonymiser, "privacy_cost", None)
        if ask is None:
            return None
        cost = guarded(self.owner, self.anonymiser.name, lambda: ask(self.arguments))
        if not isinstance(cost, PrivacyCost):
            raise PluginError(f"{self.owner}: its privacy_cost() returned no PrivacyCost; mend the plugin")
        return cost

    def run(self, snapshot: "Snapshot", task: Task) -> "tuple[Snapshot, Receipt]":
        """Return the transformed snapshot and the receipt; UserError where the task cannot be met."""
        after, receipt, _ = run_anonymiser(self.anonymiser, snapshot, self.arguments, task, owner=self.owner)
        return after, receipt


def find_remedy(policy: "Policy", host: "Host") -> Remedy | None:
    """Return the policy's remedy, checked before anything is read; None where it names none."""
    if policy.remedy is None:
        return None
    name = policy.remedy.anonymiser
    anonymiser = host.anonymiser(name)
    try:
        arguments = bind(anonymiser.parameters, policy.remedy.parameters)
    except UserError as error:
        raise policy.error(f"{name}: {error}", "remedy", "parameters") from None
    return Remedy(anonymiser=anonymiser, arguments=arguments, owner=host.owner("anonymisers", name))


def task_of(policy: "Policy", qids: tuple[str, ...], seed: int) -> Task:
    """Return what the anonymiser has to reach: every set of QIDs that an attacker may know."""
    sets: dict[tuple[str, ...], None] = {}
    for combination in policy.all_combinations(qids):
        columns = tuple(combination.quasi_identifiers)
        attacker = combination.attacker
        if isinstance(attacker, str):
            sets[columns] = None
            continue
        if comb(len(columns), attacker.knows_any) > MOST_COMBINATIONS:
            raise PolicyError(
                f"any {attacker.knows_any} of {len(columns)} QIDs are more than {MOST_COMBINATIONS:,} sets"
                " for a remedy; name fewer QIDs"
            )
        sets |= dict.fromkeys(combinations(columns, attacker.knows_any))
    return Task(
        combinations=tuple(sets),
        entity=policy.roles.entity,
        sensitive=tuple(policy.roles.sensitive),
        seed=seed,
    )
