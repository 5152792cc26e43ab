"""One attempt on each target, and how often it succeeded."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Arguments, Attacked, AttackResult, Parameter
from qidguard_standard.attacks.attacked_table import AttackedTable, Persons
from qidguard_standard.attacks.finding import Wording, finding

KNOWN = Parameter(
    name="known",
    type=int,
    default=0,
    minimum=0,
    meaning="QIDs of a target that the attacker knows, drawn at random for each; 0, or more than there are, "
    "means all",
)
TARGETS = Parameter(
    name="targets",
    type=int,
    default=1000,
    minimum=0,
    meaning="largest number of persons who are attacked, drawn at random; 0 means all",
)


@dataclass(frozen=True, kw_only=True)
class Targets:
    """The persons who are attacked. The attacker knows some QIDs of one record of each.

    Args:
        persons: Shape (targets,), their numbers.
        records: Shape (targets,), the record of each that the attacker knows something of.
        known: For each the places of the QIDs that are known, ascending, at least one.
    """

    persons: NDArray[np.int64]
    records: NDArray[np.int64]
    known: tuple[tuple[int, ...], ...]

    @classmethod
    def drawn(
        cls, persons: Persons, *, qids: int, known: int, most: int, generator: np.random.Generator
    ) -> "Targets":
        """Draw targets without replacement; who is drawn depends on the seed and the order of the records."""
        records = persons.one_record_each(generator)
        if most and most < persons.count:
            records = records[np.sort(generator.choice(persons.count, most, replace=False))]
        everything = tuple(range(qids))
        if known in {0, qids} or known > qids:
            what = (everything,) * len(records)
        else:
            ranks = generator.random((len(records), qids)).argsort(axis=1, kind="stable")[:, :known]
            what = tuple(map(tuple, np.sort(ranks, axis=1).tolist()))
        return cls(persons=persons.of_record[records], records=records, known=what)

    def __len__(self) -> int:
        return len(self.records)


_STEP = 50
"""Attempts between two reports of progress."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One target, and what agrees with what the attacker knows of them.

    Args:
        record: The record that the attacker knows something of: its place in the original, or among the
            withheld.
        person: The target's number among the persons there.
        is_withheld: Whether the target is withheld.
        agreeing: The published records that agree.
    """

    record: int
    person: int
    is_withheld: bool
    agreeing: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class AttemptOutcome:
    """What came of one attempt.

    Args:
        success: 0..1.
        is_claim: Whether the attacker claimed to have found something.
        baseline: The success of who has not seen the QIDs, 0..1.
    """

    success: float
    is_claim: bool
    baseline: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """What came of the attempts on several people, as arrays of the shape (targets,).

    Args:
        success: 0..1.
        is_claim: Whether the attacker claimed something.
        baseline: 0..1.
    """

    success: NDArray[np.float64]
    is_claim: NDArray[np.bool_]
    baseline: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """What came of the attempts on people of the original, and on those withheld.

    Args:
        name: The attack.
        arguments: Its parameters.
        persons: Number of persons of the original.
        published: Of people of the original.
        control: Of people withheld; None where nobody was.
    """

    name: str
    arguments: Arguments
    persons: int
    published: Outcomes
    control: Outcomes | None

    def finding(self, wording: Wording) -> AttackResult:
        """Return the result of the attack."""
        return finding(
            attack=self.name,
            arguments=self.arguments,
            published=self.published.success,
            control=None if self.control is None else self.control.success,
            persons=self.persons,
            wording=wording,
        )


def attempts(
    name: str,
    table: AttackedTable,
    attacked: Attacked,
    arguments: Arguments,
    outcome: Callable[[Attempt], AttemptOutcome],
) -> Attempts:
    """Return what came of the attempts on people of the original, and on those withheld."""
    arms = [(table.persons, table.original(), False)]
    if attacked.withheld is not None and attacked.withheld.records:
        persons = Persons.of(attacked.withheld, attacked.task.entity)
        arms.append((persons, table.withheld(attacked.withheld), True))
    drawn = [
        Targets.drawn(
            persons,
            qids=max(1, len(table.qids)),
            known=arguments["known"],
            most=arguments["targets"],
            # what is drawn of the one group must not depend on the other
            generator=np.random.default_rng([attacked.task.seed, int(is_withheld)]),
        )
        for persons, _, is_withheld in arms
    ]
    total, done = sum(map(len, drawn)), 0
    results = []
    for (_, source, is_withheld), targets in zip(arms, drawn, strict=True):
        outcomes = []
        for record, person, known in zip(
            targets.records.tolist(), targets.persons.tolist(), targets.known, strict=True
        ):
            if not done % _STEP:
                attacked.task.progress.step(f"attack {name}", done, total)
            agreeing = table.agreeing(source, record, known if table.qids else ())
            outcomes.append(
                outcome(Attempt(record=record, person=person, is_withheld=is_withheld, agreeing=agreeing))
            )
            done += 1
        results.append(
            Outcomes(
                success=np.array([one.success for one in outcomes]),
                is_claim=np.array([one.is_claim for one in outcomes], dtype=np.bool_),
                baseline=np.array([one.baseline for one in outcomes]),
            )
        )
    attacked.task.progress.step(f"attack {name}", total, total)
    return Attempts(
        name=name,
        arguments=arguments,
        persons=table.persons.count,
        published=results[0],
        control=results[1] if len(results) > 1 else None,
    )
