"""The attackers who are sure: all records that agree with a person leave one sensitive value.

The attacker who is sure: all records that agree with the target leave one sensitive value.

Homogeneity: all records that agree with a person have one sensitive value.

Background knowledge: homogeneity, once values that a person does not have are struck out.
"""

from typing import ClassVar

import numpy as np

from qidguard.sdk import Arguments, Attacked, AttackResult, Parameter
from qidguard_standard.attacks.attacked_table import AttackedTable
from qidguard_standard.attacks.attempt import Attempt, AttemptOutcome, attempts
from qidguard_standard.attacks.finding import Wording, finding
from qidguard_standard.attacks.parameters import KNOWN, SENSITIVE, TARGETS
from qidguard_standard.attacks.sensitive_values import SensitiveValues


def one_value_left(
    name: str, attacked: Attacked, arguments: Arguments, *, excluded: int, success: str
) -> AttackResult:
    """Return for how many targets one sensitive value is left, and is theirs."""
    table = AttackedTable.of(attacked)
    attributes = SensitiveValues.of(attacked, arguments["sensitive"])

    def outcome(attempt: Attempt) -> AttemptOutcome:
        is_claim = is_right = False
        for attribute in attributes:
            truth = attribute.truth(attempt.record, is_withheld=attempt.is_withheld)
            values = np.unique(attribute.published[attempt.agreeing])
            is_there = bool((values == truth).any())
            # of the values that are not the target's the attacker strikes out as many as they know of
            left = max(0, len(values) - is_there - excluded) + is_there
            is_claim |= left == 1
            is_right |= left == 1 and is_there
        return AttemptOutcome(success=float(is_right), is_claim=is_claim)

    published, control = attempts(name, table, attacked, arguments, outcome)
    claims = int(published.is_claim.sum())
    wrong = claims - int(published.success.sum())
    return finding(
        attack=name,
        arguments=arguments,
        published=published.success,
        control=None if control is None else control.success,
        persons=table.persons.count,
        wording=Wording(
            success=success, notes=[f"one value was left for {claims:,}, and it was wrong for {wrong:,}"]
        ),
    )


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
