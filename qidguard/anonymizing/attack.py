"""Attacks: what somebody who holds the published table finds out of people, beside a control group."""

from dataclasses import dataclass
from typing import Protocol

from qidguard.anonymizing.protocol import AnonymizationTask, Records
from qidguard.core.parameter import Arguments, Parameter
from qidguard.core.versions import Changes


@dataclass(frozen=True, kw_only=True)
class Rate:
    """How often something succeeded, with its confidence interval.

    Args:
        successes: The expected number of successes, 0..trials; a guess among s counts 1/s.
        trials: Number of targets, ≥ 0.
        low: Lower end of the confidence interval, a share 0..1.
        high: Upper end, a share 0..1.
        confidence: The interval's level, a share such as 0.95.
    """

    successes: float
    trials: int
    low: float
    high: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not (0 <= self.successes <= self.trials and 0 <= self.low <= self.high <= 1):
            raise ValueError("a rate needs 0 ≤ successes ≤ trials and an interval within 0..1")

    @property
    def share(self) -> float:
        """Successes by trials, 0..1; 0 where nobody was attacked."""
        return self.successes / self.trials if self.trials else 0.0


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """What an attack found.

    Args:
        attack: The attack's name.
        arguments: Its arguments.
        published: The rate among people whose records the attacked table was made from.
        control: The rate of the same attack on people whose records were withheld: what the table tells of
            anybody, in it or not. None where the attack has no such people.
        excess: (published − control) / (1 − control), a share, below 0 where the control is above: the part
            of the success that is due to being in the table (Giomi et al. 2023). The published rate itself
            where there is no control.
        excess_low: Lower end of its confidence interval.
        excess_high: Upper end.
        people: Expected number of people of the whole published table for whom the attack succeeds.
        sentence: What was found, in one sentence with numbers.
    """

    attack: str
    arguments: Arguments
    published: Rate
    control: Rate | None
    excess: float
    excess_low: float
    excess_high: float
    people: float
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Attacked:
    """What is attacked.

    Args:
        changes: The original records that were anonymized, beside what was published of them.
        withheld: Records of the same source that were not given to the anonymizer: the control group.
            It has the same columns; codes are its own. None where nobody was withheld.
        task: Roles, combinations, seed and progress.
    """

    changes: Changes
    withheld: Records | None
    task: AnonymizationTask


class Attack(Protocol):
    """Attacks a published table, as evidence of what the transformation is worth."""

    @property
    def name(self) -> str:
        """A plain identifier."""

    @property
    def title(self) -> str:
        """One phrase for ``qidguard plugins``."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What may be set."""

    def attack(self, attacked: Attacked, arguments: Arguments) -> AttackResult:
        """Return what was found; NotMeasurable with the reason where the attack does not apply."""
