"""Simulate a series: an anonymizer makes one release after the other, in memory, and each is measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qidguard.core.errors import NotMeasurable
from qidguard.core.progress import SILENT, Progress
from qidguard.planning.figures import KeptSeries, ReleaseFigures
from qidguard.planning.followed import NOT_SHOWN, Followed, Together, classes_of_persons
from qidguard.trials.rehearsing import rehearse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.anonymizing.protocol import AnonymizationTask, Records
    from qidguard.anonymizing.rehearsed_table import RehearsedTable
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.host import Host
    from qidguard.planning.keeping import Keeping
    from qidguard.planning.stream import Present, Stream

LOSS = "ncp"
"""The metric by which ways are held beside one another."""


def _without(_: "Records") -> "Mapping[str, Hierarchy]":
    return {}


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """A stream of persons, and what every release of it has to reach.

    Args:
        stream: The persons.
        task: What an anonymizer is asked to reach; its earlier releases are filled in.
        k: Persons in the smallest joint class.
        host: The plugins.
        hierarchies: Binds the hierarchies to the records of a release, whose codes are their own.
    """

    stream: "Stream"
    task: "AnonymizationTask"
    k: int
    host: "Host"
    hierarchies: "Callable[[Records], Mapping[str, Hierarchy]]" = field(default=_without, repr=False)

    def kept(self, keeping: "Keeping", heard: Progress = SILENT) -> KeptSeries:
        """Return what one way of keeping the series comes to, release by release.

        An anonymizer that cannot make a release ends the series with its reason.
        """
        followed = Followed(self.stream.persons)
        releases: list[ReleaseFigures] = []
        total = self.stream.releases
        for now in self.stream.follow():
            heard.step(f"planning: {keeping.label}", now.number, total)
            try:
                releases.append(self._release(keeping, followed, now))
            except NotMeasurable as reason:
                return KeptSeries(
                    keeping=keeping, releases=tuple(releases), reason=f"release {now.number + 1}: {reason}"
                )
        heard.step(f"planning: {keeping.label}", total, total)
        return KeptSeries(keeping=keeping, releases=tuple(releases))

    def alone(self, method: str, heard: Progress = SILENT) -> tuple[float, ...]:
        """Return the loss of each release where nobody looks at the others, 0..1.

        Raises:
            NotMeasurable: When the method cannot make one.
        """
        losses = []
        for now in self.stream.follow():
            heard.step("planning: each release alone", now.number, self.stream.releases)
            records, _ = now.records(np.flatnonzero(now.present))
            losses.append(_loss(self._made(records, method)))
        heard.step("planning: each release alone", self.stream.releases, self.stream.releases)
        return tuple(losses)

    def _made(self, records: "Records", method: str, **more: object) -> "RehearsedTable":
        task = replace(self.task, hierarchies=self.hierarchies(records), **more)  # type: ignore[arg-type]
        return rehearse(records, method, task, host=self.host)

    def _release(self, keeping: "Keeping", followed: Followed, now: "Present") -> ReleaseFigures:
        records, person = now.records(followed.given(now))
        earlier = followed.earlier(now, person, is_exit_known=keeping.is_exit_known)
        made = self._made(records, str(keeping.method), earlier=earlier)
        classes = made.classes(self.task.quasi_identifiers)
        shown = classes_of_persons(person[made.kept], classes, self.stream.persons)
        followed.wait(now)
        before, was_shown = followed.joint.copy(), followed.is_in_last.copy()
        together = followed.publish(shown, self.k)
        return _figures(now, followed, shown != NOT_SHOWN, _Last(before, was_shown), (made, together))


@dataclass(frozen=True)
class _Last:
    """Joint classes before a release, and whom the last one showed."""

    joint: "NDArray[np.int64]"
    is_shown: "NDArray[np.bool_]"

    def left_out(
        self, present: "NDArray[np.bool_]", shown: "NDArray[np.bool_]"
    ) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Return who of the present is shown no more: of groups that go on, and of groups that do not."""
        out = self.is_shown & present & ~shown
        goes_on = np.isin(self.joint, np.unique(self.joint[self.is_shown & shown]))
        return out & goes_on, out & ~goes_on


def _figures(
    now: "Present",
    followed: Followed,
    shown: "NDArray[np.bool_]",
    last: _Last,
    made: "tuple[RehearsedTable, Together]",
) -> ReleaseFigures:
    table, together = made
    stale = shown & ~now.present
    waiting = now.present & ~followed.is_shown
    companions, dissolved = last.left_out(now.present, shown)
    return ReleaseFigures(
        release=now.number + 1,
        present=int(now.present.sum()),
        published=int(shown.sum()),
        fresh=int((now.present & shown).sum()),
        stale=int(stale.sum()),
        oldest=int(now.gone[stale].max(initial=0)),
        waiting=int(waiting.sum()),
        longest=int(followed.waited[waiting].max(initial=0)),
        companions=int(companions.sum()),
        dissolved=int(dissolved.sum()),
        ncp=_loss(table),
        smallest=together.smallest,
        intersection=together.intersection,
        differencing=together.differencing,
        isolated=together.isolated,
        seconds=table.seconds,
    )


def _loss(made: "RehearsedTable") -> float:
    """Return the loss of what is published: a record that is not loses 1 in every cell, and counts for none.

    NotMeasurable where the metric says why it has no number.
    """
    (measured,) = made.measure(LOSS)
    if measured.value is None:
        raise NotMeasurable(measured.reason or f"{LOSS} has no number")
    records, kept = len(made.kept), int(made.kept.sum())
    return max(0.0, float((measured.value * records - (records - kept)) / kept))
