"""The attacks that somebody names to be rehearsed, found among the plugins."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.anonymizing.rehearsal import ChosenAttack
from qidguard.core.choice import Choice
from qidguard.core.errors import PluginError, UserError
from qidguard.core.parameter import bind

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy


def attacks_of(policy: "Policy", host: "Host") -> tuple[ChosenAttack, ...]:
    """Return the attacks that the policy's remedy names."""
    attacks = []
    for at, name in enumerate(() if policy.remedy is None else policy.remedy.attacks):
        try:
            attacks += chosen_attacks((name,), host)
        except PluginError:
            raise
        except UserError as error:
            raise policy.error(str(error), "remedy", "attacks", at) from None
    return each_once(attacks)


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


def each_once(attacks: Sequence[ChosenAttack]) -> tuple[ChosenAttack, ...]:
    """Return the attacks without those that are named again."""
    return tuple({chosen.attack.name: chosen for chosen in attacks}.values())
