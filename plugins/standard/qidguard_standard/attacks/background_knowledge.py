"""Background knowledge: homogeneity, once values that a person does not have are struck out."""

from typing import ClassVar

from qidguard.sdk import Arguments, Attacked, AttackResult, Parameter
from qidguard_standard.attacks.one_value_left import one_value_left
from qidguard_standard.attacks.parameters import KNOWN, SENSITIVE, TARGETS


class BackgroundKnowledge:
    """The attacker knows some QIDs of a person and some sensitive values that the person does not have.

    Success: of the values of all who agree one is left, and it is the target's. The knowledge is the worst
    there is: values that stand among those who agree, so that with j of them every class of at most j + 1
    values falls. With j = 0 it is homogeneity. A table keeps this attacker out where it is distinct
    (j + 2)-diverse in every class.

    Control: the same for withheld people, the attacker knowing as many values that they do not have. The more
    values are known, the more the control succeeds, too, since little is left to find out.

    The interval is Wilson's. NULL is a value of its own, in QIDs and in the sensitive attribute.

    Literature: Machanavajjhala et al. 2007, l-Diversity: privacy beyond k-anonymity, sections 2 and 4; Giomi
    et al. 2023 (control).
    """

    name: ClassVar[str] = "background_knowledge"
    title: ClassVar[str] = "one sensitive value left after others are struck out"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        KNOWN,
        TARGETS,
        SENSITIVE,
        Parameter(
            name="excluded",
            type=int,
            default=1,
            minimum=0,
            meaning="sensitive values of which the attacker knows that the target does not have them",
        ),
    )

    def attack(self, attacked: Attacked, arguments: Arguments) -> AttackResult:
        """Return for how many persons the sensitive value is told; NotMeasurable where there is none."""
        return one_value_left(
            self.name,
            attacked,
            arguments,
            excluded=arguments["excluded"],
            success="have their sensitive value told once as many others as are known (at most "
            f"{arguments['excluded']:,}) are struck out",
        )
