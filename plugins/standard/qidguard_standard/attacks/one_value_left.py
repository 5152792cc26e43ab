"""The attacker who is sure: all records that agree with the target leave one sensitive value."""

import numpy as np

from qidguard.sdk import Arguments, Attacked, AttackResult
from qidguard_standard.attacks.attacked_table import AttackedTable
from qidguard_standard.attacks.attempt import Attempt, AttemptOutcome, attempts
from qidguard_standard.attacks.finding import Wording, finding
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
