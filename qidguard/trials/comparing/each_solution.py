"""An anonymizer of which each solution is taken in turn; it runs once for all of them."""

from dataclasses import replace
from typing import Any

from qidguard.anonymizing.protocol import AnonymizationTask, Anonymizer, Records
from qidguard.anonymizing.solutions import Solution, Solutions
from qidguard.core.parameter import Arguments


class EachSolution:
    """Asks an anonymizer for several solutions and gives the one whose label is set; first all of them.

    Args:
        anonymizer: The anonymizer.
    """

    def __init__(self, anonymizer: Anonymizer) -> None:
        self._anonymizer = anonymizer
        self._given: list[tuple[Records, Any]] = []
        self.label: str | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._anonymizer, name)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the solutions, that which it would take first; none where it has one only."""
        given = self._given[0][1] if self._given else None
        if not isinstance(given, Solutions):
            return ()
        own = given.solutions[given.chosen].label
        return (own, *(one.label for one in given.solutions if one.label != own))

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Any:
        """Return the solution with the label; where there is none, as of other records, all of them."""
        given = next((answer for known, answer in self._given if known is records), None)
        if given is None:
            given = self._anonymizer.anonymize(records, arguments, replace(task, wants_several=True))
            self._given = [*self._given[:1], (records, given)]
        if self.label is None or not isinstance(given, Solutions):
            return given
        found: list[Solution] = [one for one in given.solutions if one.label == self.label]
        return found[0].anonymized if found else given
