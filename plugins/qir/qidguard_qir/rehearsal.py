"""An installed anonymizer, rehearsed on a sample in memory: no release, no audit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from qidguard.sdk import Records, k_anonymity_task, rehearse
from qidguard_qir.gain import Gain, measure_gain

ANONYMIZER = "full_domain[search=greedy]"
"""The anonymizer where nobody names one.

The paper used ARX, which generalizes full domains: each value of a column to one level of its hierarchy. The
search for the best levels is greedy, since the proven optimum gives up at nine of Adult's ten QIDs.
"""


@dataclass(frozen=True, kw_only=True)
class RehearsedGain:
    """Anonymizes records with k as the limit, and measures what was won and lost.

    Args:
        label: The anonymizer, parameters in brackets as on the command line; one that needs a ``k`` gets it.
        entity: The column whose values are the persons; None where each record is one.
        host: The plugins; None takes the installed ones.
        seconds_left: Says how long a rehearsal may take, s; None sets no limit.
    """

    label: str = ANONYMIZER
    entity: str | None = None
    host: Any = field(default=None, repr=False)
    seconds_left: Callable[[], float | None] = field(default=lambda: None, repr=False)

    def __call__(self, records: Records, qids: tuple[str, ...], k: int, seed: int) -> Gain:
        """Return the gain over the anonymized columns; NotMeasurable where the anonymizer cannot reach k."""
        return self.over(records, qids, k, seed, (qids,))[0]

    def over(
        self, records: Records, qids: tuple[str, ...], k: int, seed: int, known: Sequence[tuple[str, ...]]
    ) -> tuple[Gain, ...]:
        """Return the gain over each of several sets of columns that an attacker may know."""
        task = k_anonymity_task(k, qids, entity=self.entity, seed=seed, host=self.host)
        done = rehearse(records, self.label, task, budget_seconds=self.seconds_left(), host=self.host)
        return tuple(
            measure_gain(
                records,
                done,
                done.kept,
                columns,
                entity=self.entity,
                hierarchies=done.changes.hierarchies,
                suppression_mark=task.suppression_mark,
            )
            for columns in known
        )
