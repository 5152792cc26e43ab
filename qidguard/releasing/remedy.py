"""The remedy: an anonymiser that the policy names, run on the snapshot; its own claims count for nothing."""

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

from qidguard.anonymize.protocol import Anonymised, Anonymiser, PrivacyCost, Task
from qidguard.core.errors import NotMeasurable, PluginError, PolicyError, QidguardError, UserError
from qidguard.core.parameter import Arguments, bind

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.engines.base import Snapshot
    from qidguard.host import Host

MOST_COMBINATIONS = 20_000
"""Combinations of QIDs that an attacker who knows some of them makes an anonymiser look at."""


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What the remedy did, in counts.

    Args:
        anonymiser: Its name.
        owner: The plugin that offers it, with its version.
        arguments: What the policy set, and the defaults.
        seed: The seed, kept in the internal record only; None for what draws noise.
        records_before: Records of the source.
        records_after: Records that are left.
        suppressed_by: Combination → records suppressed on its behalf.
    """

    anonymiser: str
    owner: str
    arguments: Arguments
    seed: int | None
    records_before: int
    records_after: int
    suppressed_by: dict[str, int]


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
        cost: Any = self._guarded(lambda: ask(self.arguments))
        if not isinstance(cost, PrivacyCost):
            raise PluginError(f"{self.owner}: its privacy_cost() returned no PrivacyCost; mend the plugin")
        return cost

    def run(self, snapshot: "Snapshot", task: Task) -> "tuple[Snapshot, Receipt]":
        """Return the transformed snapshot and the receipt; UserError where the task cannot be met."""
        try:
            done: Any = self._guarded(lambda: self.anonymiser.anonymize(snapshot, self.arguments, task))
        except NotMeasurable as reason:
            raise UnreachableError(
                f"The remedy {self.anonymiser.name} cannot make the policy hold: {reason}"
            ) from None
        kept = self._checked(done, snapshot.records)
        if not kept.any():
            raise UnreachableError(
                f"The remedy {self.anonymiser.name} would suppress every record; coarsen the"
                " quasi-identifiers."
            )
        after = snapshot.keep(kept)
        receipt = Receipt(
            anonymiser=self.anonymiser.name,
            owner=self.owner,
            arguments=self.arguments,
            seed=task.seed,
            records_before=snapshot.records,
            records_after=after.records,
            suppressed_by={str(k): int(v) for k, v in done.suppressed_by.items()},
        )
        return after, receipt

    def _checked(self, done: Any, records: int) -> Any:
        import numpy as np

        kept: Any = getattr(done, "kept", None)
        is_mask = isinstance(kept, np.ndarray) and kept.dtype == np.bool_ and kept.shape == (records,)
        if not isinstance(done, Anonymised) or not is_mask:
            raise PluginError(
                f"{self.owner}: anonymiser {self.anonymiser.name!r} returned no mask over the {records:,}"
                " records; mend the plugin"
            )
        return kept

    def _guarded(self, call: Any) -> Any:
        try:
            return call()
        except (NotMeasurable, QidguardError, MemoryError):
            raise
        except (Exception, SystemExit, GeneratorExit) as error:  # noqa: BLE001 - a plugin may raise anything
            raise PluginError(
                f"{self.owner}: anonymiser {self.anonymiser.name!r} failed with {type(error).__name__}; mend"
                " the plugin"
            ) from None


class UnreachableError(UserError):
    """The remedy cannot make the policy hold; nothing is published."""


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
