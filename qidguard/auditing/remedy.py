"""The remedy: an anonymizer that the policy or a person names; its own claims count for nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.anonymizing.protocol import Anonymizer, PrivacyCost
from qidguard.anonymizing.rehearsal import ChosenAttack
from qidguard.core.choice import Choice
from qidguard.core.errors import PluginError, UserError
from qidguard.core.guard import PluginCode
from qidguard.core.parameter import Arguments, bind

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """An anonymizer with its arguments, ready to run, and the attacks to rehearse on what it makes."""

    anonymizer: Anonymizer
    arguments: Arguments
    owner: str
    attacks: tuple[ChosenAttack, ...] = ()

    def cost(self) -> PrivacyCost | None:
        """Return what a run spends of the privacy budget; None for an anonymizer that draws no noise."""
        ask = getattr(self.anonymizer, "privacy_cost", None)
        if ask is None:
            return None
        with PluginCode(self.owner, f"anonymizer {self.anonymizer.name!r}"):
            cost = ask(self.arguments)
        if not isinstance(cost, PrivacyCost):
            raise PluginError(
                f"{self.owner}: its privacy_cost() returned {type(cost).__name__}, not PrivacyCost; mend the"
                " plugin"
            )
        return cost

    def draws_values(self) -> bool:
        """Whether what it publishes is drawn by the seed: who guesses that takes the draws back."""
        ask = getattr(self.anonymizer, "draws_values", None)
        if ask is None:
            return False
        with PluginCode(self.owner, f"anonymizer {self.anonymizer.name!r}"):
            return bool(ask(self.arguments))


def find_remedy(policy: "Policy", host: "Host") -> Remedy | None:
    """Return the policy's remedy, checked before anything is read; None where it names none."""
    written = policy.remedy
    if written is None:
        return None
    try:
        named = Choice.read(written.anonymizer, "anonymizer")
        parameters = named.parameters_with(written.parameters, "anonymizer")
    except UserError as error:
        raise policy.error(str(error), "remedy", "anonymizer") from None
    anonymizer = host.anonymizer(named.name)
    try:
        arguments = bind(anonymizer.parameters, parameters)
    except UserError as error:
        field = "anonymizer" if named.parameters else "parameters"
        raise policy.error(f"{anonymizer.name}: {error}", "remedy", field) from None
    attacks = []
    for at, name in enumerate(written.attacks):
        try:
            attacks += chosen_attacks((name,), host)
        except PluginError:
            raise
        except UserError as error:
            raise policy.error(str(error), "remedy", "attacks", at) from None
    return Remedy(
        anonymizer=anonymizer,
        arguments=arguments,
        owner=host.owner("anonymizers", anonymizer.name),
        attacks=_each_once(attacks),
    )


def chosen_remedy(
    policy: "Policy",
    host: "Host",
    anonymizer: str | None,
    parameters: Mapping[str, object],
    attacks: Sequence[str],
) -> Remedy:
    """Return the remedy that a person asks for; what is not said is as the policy has it.

    Args:
        policy: The policy.
        host: The plugins.
        anonymizer: Its name, perhaps with parameters in brackets; None takes the policy's.
        parameters: Its parameters, put beside or over the policy's where the anonymizer is the same.
        attacks: Attacks to rehearse beside the policy's.

    Raises:
        UserError: When there is no such anonymizer or attack, a parameter is wrong, or nobody names a method.
        PluginError: When a plugin that is broken or missing may offer it.
    """
    written = policy.remedy
    if anonymizer is None and written is None:
        raise UserError(
            "No anonymizer is named; give one of those that qidguard plugins lists, or write a remedy in the"
            " policy."
        )
    of_policy = None if written is None else Choice.read(written.anonymizer, "remedy")
    asked = of_policy if anonymizer is None else Choice.read(anonymizer, "anonymizer")
    assert asked is not None  # noqa: S101 - one of the two is named
    given = parameters if anonymizer is None else asked.parameters_with(parameters, "anonymizer")
    chosen = host.anonymizer(asked.name)
    kept: dict[str, object] = {}
    if written is not None and of_policy is not None and of_policy.name == asked.name:
        kept = of_policy.parameters_with(written.parameters, "remedy")
    try:
        arguments = bind(chosen.parameters, {**kept, **given})
    except UserError as error:
        raise UserError(f"{asked.name}: {error}") from None
    names = (*(written.attacks if written is not None else ()), *attacks)
    return Remedy(
        anonymizer=chosen,
        arguments=arguments,
        owner=host.owner("anonymizers", asked.name),
        attacks=_each_once(chosen_attacks(names, host)),
    )


def chosen_attacks(names: Sequence[str], host: "Host") -> list[ChosenAttack]:
    """Return attacks; UserError for one that there is not, or whose parameters are wrong."""
    attacks = []
    for written in names:
        chosen = Choice.read(written, "attack")
        attack = host.attack(chosen.name)
        try:
            arguments = bind(attack.parameters, chosen.parameters)
        except UserError as error:
            raise UserError(f"attack {chosen.name}: {error}") from None
        attacks.append(
            ChosenAttack(attack=attack, arguments=arguments, owner=host.owner("attacks", chosen.name))
        )
    return attacks


def _each_once(attacks: Sequence[ChosenAttack]) -> tuple[ChosenAttack, ...]:
    return tuple({chosen.attack.name: chosen for chosen in attacks}.values())
