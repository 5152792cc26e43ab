"""Attribute inference: the sensitive value that most of those who agree have is guessed."""

from typing import ClassVar

import numpy as np

from qidguard.sdk import Arguments, Attacked, AttackResult, Parameter
from qidguard_standard.attacks.attacked_table import AttackedTable
from qidguard_standard.attacks.attempt import Attempt, AttemptOutcome, attempts
from qidguard_standard.attacks.finding import Wording, finding
from qidguard_standard.attacks.parameters import KNOWN, SENSITIVE, TARGETS
from qidguard_standard.attacks.sensitive_values import SensitiveValues


class AttributeInference:
    """The attacker knows some QIDs of a person and guesses the sensitive value that most who agree have.

    Success: the chance that the guess is right, 1/s where the target's value is one of s that are equally
    frequent, else 0. Persons are counted, an entity once for each of its values. Where nobody agrees the
    guess is the most frequent value of the published table. Of several sensitive attributes each is guessed,
    and success is the share that is right. The right value is that of the record which the attacker knows.

    Baseline: the guess of who has not seen any QID, the most frequent value of the table; the sentence tells
    it. Control: withheld people, guessed in the same way. What the table tells of anybody, such as who earns
    more, succeeds there, too; what goes beyond it is due to being in the table.

    The interval is Wilson's, which is wide enough for chances, too (see ``success_rate``). NULL is a value of
    its own, in QIDs and in the sensitive attribute.

    Literature: Giomi et al. 2023, A unified framework for quantifying privacy risk in synthetic data (attack,
    baseline and control).
    """

    name: ClassVar[str] = "attribute_inference"
    title: ClassVar[str] = "the most frequent sensitive value among those who agree"
    parameters: ClassVar[tuple[Parameter, ...]] = (KNOWN, TARGETS, SENSITIVE)

    def attack(self, attacked: Attacked, arguments: Arguments) -> AttackResult:
        """Return how many guesses are right; NotMeasurable where there is no sensitive attribute."""
        table = AttackedTable.of(attacked)
        attributes = SensitiveValues.of(attacked, arguments["sensitive"])

        def outcome(attempt: Attempt) -> AttemptOutcome:
            success = baseline = 0.0
            for attribute in attributes:
                truth = attribute.truth(attempt.record, is_withheld=attempt.is_withheld)
                usual = attribute.most_frequent
                guess = _most_frequent(table, attribute, attempt) if len(attempt.agreeing) else usual
                success += (truth in guess) / max(1, len(guess))
                baseline += (truth in usual) / max(1, len(usual))
            return AttemptOutcome(
                success=success / len(attributes), is_claim=True, baseline=baseline / len(attributes)
            )

        published, control = attempts(self.name, table, attacked, arguments, outcome)
        baseline = float(published.baseline.mean()) if len(published.baseline) else 0.0
        return finding(
            attack=self.name,
            arguments=arguments,
            published=published.success,
            control=None if control is None else control.success,
            persons=table.persons.count,
            wording=Wording(
                success="have their sensitive value guessed right",
                notes=[f"the most frequent value of the table alone is right for {baseline:.1%}"],
            ),
        )


def _most_frequent(table: AttackedTable, attribute: SensitiveValues, attempt: Attempt) -> tuple[int, ...]:
    """Return the values that most of the agreeing persons have."""
    values = attribute.published[attempt.agreeing]
    if table.persons.has_entities:
        # an entity counts once for each of its values
        pairs = table.published[attempt.agreeing] * (int(values.max()) + 1) + values
        values = np.unique(pairs) % (int(values.max()) + 1)
    counts = np.bincount(values)
    return tuple(np.flatnonzero(counts == counts.max()).tolist())
