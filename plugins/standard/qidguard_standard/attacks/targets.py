"""Targets: the persons who are attacked, and what the attacker knows of each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qidguard_standard.attacks.persons import Persons


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
        """Draw targets without replacement; who is drawn depends on the seed and the order of the records.

        Args:
            persons: Who may be drawn.
            qids: Number of QIDs, ≥ 1.
            known: How many of them are known of each target; 0, or more than there are, means all.
            most: Largest number of targets; 0 means all persons.
            generator: Source of randomness.
        """
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
