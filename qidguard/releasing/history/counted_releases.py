"""Which releases of the ledger count as earlier ones of a table: those of its series, and of its persons.

Those of its own series count, and those of every other data set in which the same persons are found, but for
the data sets that the policy names under ``release.unrelated`` with a reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from qidguard.core.naming import folded
from qidguard.releasing.history.comparable import data_sets_of, listed, said_unrelated, unrelated
from qidguard.releasing.history.keyed_bytes import classes_from
from qidguard.releasing.history.past import RELEASE_KINDS, Past, of_persons, past_of
from qidguard.releasing.history.same_persons import (
    FOUND,
    MOST_PERSONS,
    MOST_RELEASES,
    FoundPersons,
    Likeness,
    meet,
    search,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from qidguard.engines.base import KeyedClasses, Snapshot
    from qidguard.ledger import Reader, TypedEntry
    from qidguard.ledger.payloads import Releasing
    from qidguard.releasing.context import ReleaseContext


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A data set that the policy calls unrelated, and whether persons of the table are found in it."""

    data_set: str
    reason: str
    is_found: bool


@dataclass(frozen=True, kw_only=True)
class CountedReleases:
    """The releases that count as earlier ones of a table.

    Args:
        past: These releases.
        reasons: Why the table is blocked, one sentence each.
        notes: Sentences worth reading.
        together: The other data sets in which its persons are found, and which count; sorted.
        alike: All others in which they are found, those that are called unrelated among them; sorted.
        accepted: The data sets that the policy calls unrelated, as it has them.
        found: In which data sets its persons are found.
    """

    past: Past
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    accepted: tuple[LeftOut, ...] = ()
    found: FoundPersons = field(default_factory=FoundPersons)


@dataclass(frozen=True, kw_only=True)
class LedgerReleases:
    """All releases of the ledger at one moment, beside a source.

    Args:
        every: All of them.
        own: Folded names of the data sets of the source's own series.
        source_sha256: The digest of the source.
    """

    every: Past
    own: frozenset[str]
    source_sha256: str

    @property
    def known(self) -> frozenset[str]:
        """The ids of the promises that were there."""
        return frozenset(entry.id for entry in self.every.begun)

    def beside(
        self, context: "ReleaseContext", snapshot: "Snapshot | None", already: FoundPersons | None = None
    ) -> CountedReleases:
        """Return which of them count for a table.

        Args:
            context: What was asked for.
            snapshot: Its records; None where none is a person's, so that nobody is looked for.
            already: What was found of another form of the table.
        """
        found = already or FoundPersons()
        if snapshot is not None:
            others = [
                entry
                for entry in self.every.begun
                if folded(entry.data_set) not in self.own or said_unrelated(context, entry.data_set)
            ]
            found = found.beside(search(context, snapshot, others, self.source_sha256))
        return self._counted(context, found)

    def _counted(self, context: "ReleaseContext", found: FoundPersons) -> CountedReleases:
        release = context.policy.release
        alike = {folded(name) for name in found.among(*FOUND)}
        others = {one for one in alike - self.own if not said_unrelated(context, one)}
        counted = others | {one for one in self.own if not said_unrelated(context, one)}
        past = replace(
            self.every,
            begun=tuple(entry for entry in self.every.begun if folded(entry.data_set) in counted),
            others=frozenset(others),
        )
        together = tuple(sorted(found.names[one] for one in others))
        reasons = (*contradictions(context, found, self.own), *without_reason(context, past, found))
        return CountedReleases(
            past=past,
            reasons=reasons,
            notes=(
                *told_together(context, together),
                *told_unrelated(context, found, self.own),
                *doubts(found),
            ),
            together=together,
            alike=tuple(sorted(found.names[one] for one in alike - self.own)),
            accepted=tuple(
                LeftOut(data_set=one.data_set, reason=one.reason, is_found=folded(one.data_set) in alike)
                for one in release.unrelated
            ),
            found=found,
        )


def ledger_releases(context: "ReleaseContext", reader: "Reader", source_sha256: str) -> LedgerReleases:
    """Return the releases of the ledger beside a source."""
    return LedgerReleases(
        every=past_of(list(reader.entries(kinds=RELEASE_KINDS))),
        own=data_sets_of(reader, context, source_sha256),
        source_sha256=source_sha256,
    )


def counted_beside(
    context: "ReleaseContext", promise: "TypedEntry[Releasing]", copy: "Snapshot"
) -> CountedReleases:
    """Return which other releases of the ledger count beside a published one.

    They are those that were found when either was released. Persons are looked for again where ``copy``, what
    is published, has the columns by which they are followed; else, where nobody had looked, by their hashes.
    """
    promised, reader = promise.payload, context.ledger.verified()
    ledger = ledger_releases(context, reader, promised.source_sha256)
    others = tuple(entry for entry in ledger.every.begun if entry.id != promise.id)
    ledger = replace(
        ledger, every=replace(ledger.every, begun=others), own=ledger.own | {folded(promise.data_set)}
    )
    if promised.new_table is not None:
        return ledger.beside(context, None)
    is_told = set(promised.follows) <= set(copy.names)
    told = {folded(name): name for name in promised.together or ()}
    for entry in of_persons(ledger.every.begun):
        names = {folded(name) for name in entry.payload.together or ()}
        is_alike = not is_told and promised.together is None and _have_common(context, promise, entry)
        if names & ledger.own or is_alike:
            told[folded(entry.data_set)] = entry.data_set
    found = FoundPersons(likeness=dict.fromkeys(told, Likeness.PERSONS), names=told)
    return ledger.beside(context, copy if is_told else None, found)


def _have_common(
    context: "ReleaseContext", promise: "TypedEntry[Releasing]", other: "TypedEntry[Releasing]"
) -> bool:
    mine, theirs = promise.payload, other.payload
    if folded(other.data_set) == folded(promise.data_set) or mine.history_key != theirs.history_key:
        return False
    kept = classes_from(context.ledger.attachment(mine.classes))
    return meet(context.ledger, kept, mine.qids, [other], is_entity=len(mine.follows) == 1)


def is_overtaken(
    context: "ReleaseContext",
    now: LedgerReleases,
    known: frozenset[str],
    reader: "Reader",
    table: "tuple[KeyedClasses, Mapping[str, Iterable[str]]] | None",
) -> bool:
    """Whether the ledger got a release since that a decision had to look at.

    Args:
        context: What was asked for.
        now: The releases that the ledger holds now.
        known: The ids of those that the decision knew.
        reader: What reads the ledger.
        table: The table's keyed classes and their columns; None where none of its records is a person's.
    """
    fresh = [entry for entry in now.every.begun if entry.id not in known]
    own = [entry for entry in fresh if folded(entry.data_set) in now.own]
    if any(not said_unrelated(context, entry.data_set) for entry in own):
        return True
    others = [e for e in fresh if e not in own and not said_unrelated(context, e.data_set)]
    is_entity = context.policy.roles.entity is not None
    return table is not None and meet(reader, *table, [*own, *others], is_entity=is_entity)


def contradictions(context: "ReleaseContext", found: FoundPersons, own: frozenset[str]) -> Iterator[str]:
    """Yield why a policy is wrong that calls releases of its own series, folded names, unrelated."""
    names = tuple(
        name
        for name in found.among(Likeness.PERSONS)
        if folded(name) in own and said_unrelated(context, name)
    )
    if not names:
        return
    entity = context.policy.roles.entity
    other = f"give other people other values of {entity!r}" if entity is not None else "name a roles.entity"
    yield (
        "The policy says that earlier releases of this data set are unrelated, and the ledger holds releases"
        f" of the same persons: {listed(names)}; set earlier_releases: judged under release and take"
        f" {'it' if len(names) == 1 else 'them'} out of unrelated, with thresholds that limit what they"
        " reveal together (intersection_k_anonymity and differencing_k_anonymity), or, if they are not the"
        f" same, {other}."
    )


def without_reason(context: "ReleaseContext", past: Past, found: FoundPersons) -> Iterator[str]:
    """Yield why ``earlier_releases: unrelated`` does not suffice, with the lines that do."""
    names = tuple(sorted({entry.data_set for entry in of_persons(past.begun)}))
    if context.policy.release.earlier_releases != "unrelated" or not names:
        return
    same = [name for name in names if folded(name) in found.names]
    told = f" (the same persons are in {listed(same)})" if same else ""
    yield (
        "The policy says earlier_releases: unrelated, which gives no reason, and the ledger holds releases of"
        f" {listed(names)}{told}; if they are of other people, or what they reveal together is"
        f" accepted, write under release, with the reasons: {unrelated(names)}; else set earlier_releases:"
        " judged, with thresholds that limit what they reveal together (intersection_k_anonymity and"
        " differencing_k_anonymity)."
    )


def told_together(context: "ReleaseContext", together: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for the other data sets whose releases count."""
    if together:
        yield (
            f"Persons of this table are also in releases of {listed(together)}, so these count as earlier"
            f" ones of {context.data_set!r}. Give all of them one release.data_set, if they are versions of"
            " one table, or name under release.unrelated, with a reason, whose records are of other people."
        )


def told_unrelated(context: "ReleaseContext", found: FoundPersons, own: frozenset[str]) -> Iterator[str]:
    """Yield a sentence for each data set that is called unrelated and has persons of the table, or may."""
    for name in found.among(*FOUND):
        reason = context.policy.release.why_unrelated(name)
        if reason is None:
            continue
        if folded(name) not in own:
            yield (
                f"Persons of this table are also in releases of {name!r}, which the policy calls unrelated:"
                f" {reason.rstrip('.')}. What they reveal together is not judged."
            )
        elif found.likeness[folded(name)] is not Likeness.PERSONS:
            yield (
                "More records than chance makes agree are also in releases that the policy calls unrelated,"
                f" and fewer than half: {name!r}; nobody can tell whether they are of the same persons. Name"
                " a roles.entity."
            )


def doubts(found: FoundPersons) -> Iterator[str]:
    """Yield a sentence for what could not be looked at."""
    numbered = found.among(Likeness.NUMBERS)
    if numbered:
        yield (
            "The entity of this table is no more than row numbers, which other tables have as well, so nobody"
            f" can tell by it whether the persons of {listed(numbered)} are the same. Name an entity"
            " that is a person's own in every table."
        )
    if found.unread:
        yield (
            f"{found.unread:,} older releases of the ledger were not looked at for the same persons: the"
            f" newest {MOST_RELEASES:,} are, with {MOST_PERSONS:,} records together."
        )
    if found.foreign:
        yield (
            f"{found.foreign:,} releases of the ledger were recorded under another history key, so nobody can"
            " tell whether they are of the same persons."
        )
