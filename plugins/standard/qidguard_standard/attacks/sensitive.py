"""Attacks on sensitive attributes: whoever agrees with a person tells their value, by chance or for sure."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Arguments, Attacked, AttackResult, NotMeasurable, Parameter
from qidguard_standard.attacks.attacked_table import AttackedTable, same_values
from qidguard_standard.attacks.attempt import KNOWN, TARGETS, Attempt, AttemptOutcome, attempts
from qidguard_standard.attacks.finding import Wording

SENSITIVE = Parameter(
    name="sensitive",
    type=str,
    default="",
    meaning="the sensitive attribute that is to be learned; empty means each of them",
)


@dataclass(frozen=True, kw_only=True)
class SensitiveValues:
    """One sensitive attribute; NULL is a value of its own, with the code 0.

    Args:
        name: The attribute.
        published: Shape (published records,), the original's code of each value; a value that the original
            lacks has a code of its own.
        original: Shape (records,).
        withheld: Shape (withheld records,), −1 for a value that the original lacks; None where nobody was
            withheld.
        most_frequent: The codes that the most published records have, at least one where there are records.
    """

    name: str
    published: NDArray[np.int64]
    original: NDArray[np.int64]
    withheld: NDArray[np.int64] | None
    most_frequent: tuple[int, ...]

    @classmethod
    def of(cls, attacked: Attacked, asked: str) -> "tuple[SensitiveValues, ...]":
        """Return the asked attribute, or each of the policy's; NotMeasurable where none is published."""
        names = (asked,) if asked else attacked.task.sensitive
        missing = [
            name
            for name in names
            if name not in attacked.changes.before.names or name not in attacked.changes.after.names
        ]
        if missing:
            raise NotMeasurable(
                f"The sensitive attribute {missing[0]!r} does not stand in the original and the published "
                "table; name one that does."
            )
        if not names:
            raise NotMeasurable(
                "The attack is on a sensitive attribute, and the policy names none; name one there or set "
                "the parameter sensitive."
            )
        return tuple(cls._one(attacked, name) for name in names)

    @classmethod
    def _one(cls, attacked: Attacked, name: str) -> "SensitiveValues":
        before, after = attacked.changes.before.column(name), attacked.changes.after.column(name)
        same = same_values(after, before)
        new = np.flatnonzero(same < 0)
        same[new] = len(before.texts) + np.arange(len(new))
        published = same[after.codes]
        withheld = None
        if attacked.withheld is not None:
            control = attacked.withheld.column(name)
            withheld = same_values(control, before)[control.codes]
        counts = np.bincount(published, minlength=1)
        return cls(
            name=name,
            published=published,
            original=before.codes.astype(np.int64),
            withheld=withheld,
            most_frequent=tuple(np.flatnonzero((counts == counts.max()) & (counts > 0)).tolist()),
        )

    def truth(self, record: int, *, is_withheld: bool) -> int:
        """Return the code of a target's own value."""
        if is_withheld:
            if self.withheld is None:
                raise ValueError("nobody was withheld")
            return int(self.withheld[record])
        return int(self.original[record])


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

        tried = attempts(self.name, table, attacked, arguments, outcome)
        usual = tried.published.baseline
        baseline = float(usual.mean()) if len(usual) else 0.0
        return tried.finding(
            Wording(
                success="have their sensitive value guessed right",
                notes=[f"the most frequent value of the table alone is right for {baseline:.1%}"],
            )
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

    tried = attempts(name, table, attacked, arguments, outcome)
    claims = int(tried.published.is_claim.sum())
    wrong = claims - int(tried.published.success.sum())
    notes = [f"one value was left for {claims:,}, and it was wrong for {wrong:,}"]
    return tried.finding(Wording(success=success, notes=notes))


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
