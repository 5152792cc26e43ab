"""Linkage: whose record is it, told from some of the quasi-identifiers?"""

from typing import ClassVar

from qidguard.sdk import Arguments, Attacked, AttackResult, NotMeasurable, Parameter
from qidguard_standard.attacks.attacked_table import AttackedTable
from qidguard_standard.attacks.attempt import KNOWN, TARGETS, Attempt, AttemptOutcome, attempts
from qidguard_standard.attacks.finding import Wording


class Linkage:
    """The attacker knows some QIDs of a person and names one of the published persons who agree with them.

    Success is the chance that it is the right one: 1/s where the target is among s persons who agree, else 0
    (a suppressed person, or one whose cells no longer cover them, is never found). With entities persons are
    counted, not records, and any published record of the target will do. With all QIDs known and classes that
    do not overlap it is the prosecutor's average risk.

    Control: withheld people are attacked alike. Whoever is named for one of them is somebody else, so they
    give 0 successes, with Wilson's upper bound: a link is due to being in the table and to nothing else. What
    they show is how far the attacker may trust a match: the sentence says for how many of them somebody would
    have been named all the same. ``most_agreeing`` makes the attacker careful: nobody is named where more
    persons than that agree.

    The interval is Wilson's, which is wide enough for chances, too (see ``success_rate``). NULL is a value; a
    person without any known value that a published cell covers is not found.

    Literature: Giomi et al. 2023, A unified framework for quantifying privacy risk in synthetic data (main
    attack and control); Domingo-Ferrer & Torra 2001 (linkage by distance, where cells are no generalization).
    """

    name: ClassVar[str] = "linkage"
    title: ClassVar[str] = "linkage by some of the quasi-identifiers"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        KNOWN,
        TARGETS,
        Parameter(
            name="most_agreeing",
            type=int,
            default=0,
            minimum=0,
            meaning="largest number of agreeing persons of whom the attacker still names one; 0 means any",
        ),
    )

    def attack(self, attacked: Attacked, arguments: Arguments) -> AttackResult:
        """Return how many persons are linked; NotMeasurable where nobody knows whose each record is."""
        if attacked.changes.kept is None:
            raise NotMeasurable(
                "Whether a link is right is known only where each published record's original is; "
                "attack a table that was made from its original here."
            )
        table = AttackedTable.of(attacked)
        most = arguments["most_agreeing"]

        def outcome(attempt: Attempt) -> AttemptOutcome:
            persons = table.count_persons(attempt.agreeing)
            is_claim = persons > 0 and (not most or persons <= most)
            is_right = (
                is_claim and not attempt.is_withheld and table.has_person(attempt.agreeing, attempt.person)
            )
            return AttemptOutcome(success=1 / persons if is_right else 0.0, is_claim=is_claim)

        tried = attempts(self.name, table, attacked, arguments, outcome)
        notes = []
        if tried.control is not None:
            is_claim = tried.control.is_claim
            named = float(is_claim.mean()) if len(is_claim) else 0.0
            notes.append(f"somebody would be named, wrongly, for {named:.1%} of the withheld")
        return tried.finding(Wording(success="are expected to be linked to their own record", notes=notes))
