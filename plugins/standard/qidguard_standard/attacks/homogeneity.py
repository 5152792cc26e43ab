"""Homogeneity: all records that agree with a person have one sensitive value."""

from typing import ClassVar

from qidguard.sdk import Arguments, Attacked, AttackResult, Parameter
from qidguard_standard.attacks.one_value_left import one_value_left
from qidguard_standard.attacks.parameters import KNOWN, SENSITIVE, TARGETS


class Homogeneity:
    """The attacker knows some QIDs of a person and is sure where all who agree have one sensitive value.

    Success: there is one value, and it is the target's (that of the record that the attacker knows). Of
    several sensitive attributes one is enough. A class of one person counts, as does a person who was
    suppressed and whose value others betray all the same. The attacker who names nothing has no success.

    Control: the same for withheld people, of whom the table holds no record: how often a value that is the
    same in a class holds for anybody like them. What is left is due to being in the table.

    The interval is Wilson's. NULL is a value of its own, in QIDs and in the sensitive attribute.

    Literature: Machanavajjhala et al. 2007, l-Diversity: privacy beyond k-anonymity, section 2; Giomi et al.
    2023 (control).
    """

    name: ClassVar[str] = "homogeneity"
    title: ClassVar[str] = "one sensitive value among all who agree"
    parameters: ClassVar[tuple[Parameter, ...]] = (KNOWN, TARGETS, SENSITIVE)

    def attack(self, attacked: Attacked, arguments: Arguments) -> AttackResult:
        """Return for how many persons the sensitive value is told; NotMeasurable where there is none."""
        return one_value_left(
            self.name, attacked, arguments, excluded=0, success="have their sensitive value told for sure"
        )
