"""The remedy: an anonymiser that the policy or a person names; its own claims count for nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymize.guard import guarded
from qidguard.anonymize.protocol import Anonymiser, PrivacyCost
from qidguard.anonymize.rehearsal import ChosenAttack
from qidguard.core.errors import PluginError, UserError
from qidguard.core.parameter import Arguments, bind

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.host import Host


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """An anonymiser with its arguments, ready to run, and the attacks to rehearse on what it makes."""

    anonymiser: Anonymiser
    arguments: Arguments
    owner: str
    attacks: tuple[ChosenAttack, ...] = ()

    def cost(self) -> PrivacyCost | None:
        """Return what a run spends of the privacy budget; None for an anonymiser that draws no noise."""
        ask = getattr(self.anonymiser, "privacy_cost", None)
        if ask is None:
            return None
        cost = guarded(self.owner, self.anonymiser.name, lambda: ask(self.arguments))
        if not isinstance(cost, PrivacyCost):
            raise PluginError(f"{self.owner}: its privacy_cost() returned no PrivacyCost; mend the plugin")
        return cost


def find_remedy(policy: "Policy", host: "Host") -> Remedy | None:
    """Return the policy's remedy, checked before anything is read; None where it names none."""
    written = policy.remedy
    if written is None:
        return None
    anonymiser = host.anonymiser(written.anonymiser)
    try:
        arguments = bind(anonymiser.parameters, written.parameters)
    except UserError as error:
        raise policy.error(f"{anonymiser.name}: {error}", "remedy", "parameters") from None
    attacks = []
    for at, name in enumerate(written.attacks):
        try:
            attacks += chosen_attacks((name,), host)
        except PluginError:
            raise
        except UserError as error:
            raise policy.error(str(error), "remedy", "attacks", at) from None
    return Remedy(
        anonymiser=anonymiser,
        arguments=arguments,
        owner=host.owner("anonymisers", anonymiser.name),
        attacks=_each_once(attacks),
    )


def chosen_remedy(
    policy: "Policy",
    host: "Host",
    method: str | None,
    parameters: Mapping[str, object],
    attacks: Sequence[str],
) -> Remedy:
    """Return the remedy that a person asks for; what is not said is as the policy has it.

    Args:
        policy: The policy.
        host: The plugins.
        method: The anonymiser's name; None takes the policy's.
        parameters: Its parameters, put beside or over the policy's where the anonymiser is the same.
        attacks: Attacks to rehearse beside the policy's.

    Raises:
        UserError: When there is no such anonymiser or attack, a parameter is wrong, or nobody names a method.
        PluginError: When a plugin that is broken or missing may offer it.
    """
    written = policy.remedy
    name = method or (written.anonymiser if written else None)
    if name is None:
        raise UserError(
            "No method is named; give one of those that qidguard plugins lists, or write a remedy in the"
            " policy."
        )
    anonymiser = host.anonymiser(name)
    said = dict(written.parameters) if written is not None and written.anonymiser == name else {}
    try:
        arguments = bind(anonymiser.parameters, said | dict(parameters))
    except UserError as error:
        raise UserError(f"{name}: {error}") from None
    names = (*(written.attacks if written is not None else ()), *attacks)
    return Remedy(
        anonymiser=anonymiser,
        arguments=arguments,
        owner=host.owner("anonymisers", name),
        attacks=_each_once(chosen_attacks(names, host)),
    )


def chosen_attacks(names: Sequence[str], host: "Host") -> list[ChosenAttack]:
    """Return attacks with their defaults; UserError for one that there is not, or that lacks a parameter."""
    found = []
    for name in names:
        attack = host.attack(name)
        try:
            arguments = bind(attack.parameters, {})
        except UserError as error:
            raise UserError(f"attack {name}: {error}") from None
        found.append(ChosenAttack(attack=attack, arguments=arguments, owner=host.owner("attacks", name)))
    return found


def _each_once(attacks: Sequence[ChosenAttack]) -> tuple[ChosenAttack, ...]:
    return tuple({chosen.attack.name: chosen for chosen in attacks}.values())
