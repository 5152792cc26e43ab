"""In which releases of the ledger the persons of a table are found, within stated bounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.auditing.original import mark_of
from qidguard.core.naming import folded
from qidguard.core.spelling import Normalized, Spelling
from qidguard.releasing.context import UNKNOWN_DIGEST
from qidguard.releasing.history.earlier import classes_from
from qidguard.releasing.history.past import follows, history_key_id, of_persons
from qidguard.releasing.history.same_persons import (
    MOST_PERSONS,
    MOST_RELEASES,
    Kept,
    Likeness,
    TablePersons,
    are_of_same,
)

if TYPE_CHECKING:
    from qidguard.engines.base import KeyedClasses, Snapshot
    from qidguard.ledger import Reader, TypedEntry
    from qidguard.ledger.payloads import Releasing
    from qidguard.releasing.context import ReleaseContext

FOUND = (Likeness.CLASSES, Likeness.SOME, Likeness.PERSONS)
"""What makes another data set's releases count."""


@dataclass(frozen=True, kw_only=True)
class FoundPersons:
    """In which data sets the persons of a table are found, and what could not be looked at.

    Args:
        likeness: Folded name of a data set → what its releases have in common with the table at most.
        names: Folded name → the name as it was written.
        unread: Releases beyond the bounds of the comparison.
        foreign: Releases that were recorded under another history key.
    """

    likeness: Mapping[str, Likeness] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    unread: int = 0
    foreign: int = 0

    def among(self, *likeness: Likeness) -> tuple[str, ...]:
        """Return the names of the data sets with such a likeness, sorted."""
        return tuple(sorted(self.names[one] for one, found in self.likeness.items() if found in likeness))

    def beside(self, other: "FoundPersons") -> "FoundPersons":
        """Return what was found of either of two tables."""
        both = {**self.names, **other.names}
        nothing = Likeness.NOTHING
        return FoundPersons(
            likeness={
                one: max(self.likeness.get(one, nothing), other.likeness.get(one, nothing)) for one in both
            },
            names=both,
            unread=max(self.unread, other.unread),
            foreign=max(self.foreign, other.foreign),
        )


def search(
    context: "ReleaseContext",
    snapshot: "Snapshot",
    releases: "Iterable[TypedEntry[Releasing]]",
    source_sha256: str,
) -> FoundPersons:
    """Look for the persons of a table among those of releases, the newest first, within stated bounds."""
    releases = of_persons(releases)
    if not releases:
        return FoundPersons()
    entity, followed = context.policy.roles.entity, follows(context, snapshot)
    mark = mark_of(context.policy)
    persons = TablePersons(snapshot, entity=entity, followed=followed, key=context.history_key, mark=mark)
    mine = history_key_id(context.history_key)
    known = [entry for entry in releases if entry.payload.history_key == mine]
    likeness: dict[str, Likeness] = {}
    names: dict[str, str] = {}
    read = records = unread = 0
    for entry in sorted(known, key=lambda e: e.sequence, reverse=True):
        series, promised = folded(entry.data_set), entry.payload
        most = likeness.get(series, Likeness.NOTHING)
        if most is Likeness.PERSONS:
            continue
        if promised.source_sha256 == source_sha256 != UNKNOWN_DIGEST:
            most = Likeness.PERSONS
        elif read and (read >= MOST_RELEASES or records + promised.records > MOST_PERSONS):
            unread += 1
            continue
        else:
            read, records = read + 1, records + promised.records
            most = max(most, persons.are_among(_kept(context, entry)))
        if most is not Likeness.NOTHING:
            likeness[series], names[series] = most, entry.data_set
    return FoundPersons(likeness=likeness, names=names, unread=unread, foreign=len(releases) - len(known))


def meet(
    reader: "Reader",
    kept: "KeyedClasses",
    qids: Mapping[str, Iterable[str]],
    releases: "Iterable[TypedEntry[Releasing]]",
    *,
    is_entity: bool,
) -> bool:
    """Whether persons of a release are in others.

    Args:
        reader: What reads the ledger.
        kept: The release's keyed classes.
        qids: Combination's name → the columns of its classes.
        releases: The others.
        is_entity: Whether it follows persons by an entity.
    """
    combinations = {name: tuple(columns) for name, columns in qids.items()}
    return any(
        are_of_same(
            kept,
            combinations,
            classes_from(reader.attachment(one.payload.classes)),
            one.payload.qids,
            is_entity=is_entity and len(one.payload.follows) == 1,
        )
        for one in of_persons(releases)
    )


def _kept(context: "ReleaseContext", entry: "TypedEntry[Releasing]") -> Kept:
    promised = entry.payload
    return Kept(
        data_set=entry.data_set,
        follows=promised.follows,
        records=promised.records,
        load=lambda: classes_from(context.ledger.attachment(promised.classes)),
        qids=promised.qids,
        normalized=tuple(
            Normalized(column=column, spellings=tuple(map(Spelling, ways)))
            for column, ways in (promised.normalized or {}).items()
        ),
    )
