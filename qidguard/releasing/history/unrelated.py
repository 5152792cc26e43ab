"""Releases that are said to be of other people, held against the persons that the ledger knows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qidguard.core.naming import folded
from qidguard.releasing.context import UNKNOWN_DIGEST
from qidguard.releasing.history.earlier import classes_from
from qidguard.releasing.history.past import (
    RELEASE_KINDS,
    follows,
    history_key_id,
    of_persons,
    past_of,
)
from qidguard.releasing.history.same_persons import (
    MOST_PERSONS,
    MOST_RELEASES,
    Kept,
    Likeness,
    Persons,
    have_common,
)
from qidguard.releasing.history.series import data_sets_of

if TYPE_CHECKING:
    from qidguard.engines.base import KeyedClasses, Snapshot
    from qidguard.ledger import Reader, TypedEntry
    from qidguard.ledger.payloads import Releasing
    from qidguard.releasing.context import ReleaseContext


@dataclass(frozen=True, kw_only=True)
class Held:
    """What a table's persons in the ledger mean for its release.

    Args:
        reasons: Why it is blocked, one sentence each.
        notes: Sentences worth reading.
        known: The ids of the ledger's promises that were there by then.
    """

    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    known: frozenset[str]


def hold_against_ledger(
    context: "ReleaseContext", snapshot: "Snapshot", source_sha256: str, *, is_of_persons: bool = True
) -> Held:
    """Look for a table's persons in the ledger: in all releases where the policy calls them unrelated.

    Else its own series is judged by the policy, and other data sets are remarked on. Where no record is a
    person's, nobody is looked for.
    """
    reader = context.ledger.verified()
    own = data_sets_of(reader, context, source_sha256)
    all_of_them = past_of(list(reader.entries(kinds=RELEASE_KINDS))).begun
    known = frozenset(entry.id for entry in all_of_them)
    if not is_of_persons:
        return Held(reasons=(), notes=(), known=known)
    if context.policy.release.earlier_releases == "unrelated":
        found = search(context, snapshot, all_of_them, source_sha256)
        return Held(reasons=contradictions(context, found, own), notes=doubts(found), known=known)
    others = [entry for entry in all_of_them if folded(entry.data_set) not in own]
    found = search(context, snapshot, others, source_sha256)
    return Held(reasons=(), notes=remarks(found), known=known)


def meets_newer(reader: "Reader", kept: "KeyedClasses", known: frozenset[str]) -> bool:
    """Whether persons are in a release that was promised after those that are known."""
    begun = past_of(list(reader.entries(kinds=RELEASE_KINDS))).begun
    fresh = [e for e in of_persons(begun) if e.id not in known]
    return any(have_common(kept, classes_from(reader.attachment(e.payload.classes))) for e in fresh)


@dataclass(frozen=True, kw_only=True)
class Found:
    """In which data sets the persons of a table are found, and what could not be looked at.

    Args:
        data_sets: Names, sorted.
        unread: Releases beyond the bounds of the comparison.
        foreign: Releases that were recorded under another history key.
        partly: Data sets with which more records agree than chance makes agree, and fewer than half.
        numbered: Data sets with which nothing but row numbers agree.
    """

    data_sets: tuple[str, ...]
    unread: int
    foreign: int
    partly: tuple[str, ...] = ()
    numbered: tuple[str, ...] = ()


def search(
    context: "ReleaseContext",
    snapshot: "Snapshot",
    releases: "Sequence[TypedEntry[Releasing]]",
    source_sha256: str,
) -> Found:
    """Look for the persons of a table among those of releases, the newest first, within stated bounds."""
    releases = of_persons(releases)
    if not releases:
        return Found(data_sets=(), unread=0, foreign=0)
    entity, followed = context.policy.roles.entity, follows(context, snapshot)
    persons = Persons(snapshot, entity=entity, followed=followed, key=context.history_key)
    mine = history_key_id(context.history_key)
    known = [entry for entry in releases if entry.payload.history_key == mine]
    found: dict[str, str] = {}
    doubted: dict[Likeness, dict[str, str]] = {Likeness.SOME: {}, Likeness.NUMBERS: {}}
    read = records = unread = 0
    for entry in sorted(known, key=lambda e: e.sequence, reverse=True):
        if folded(entry.data_set) in found:
            continue
        if entry.payload.source_sha256 == source_sha256 != UNKNOWN_DIGEST:
            found[folded(entry.data_set)] = entry.data_set
            continue
        if read and (read >= MOST_RELEASES or records + entry.payload.records > MOST_PERSONS):
            unread += 1
            continue
        read, records = read + 1, records + entry.payload.records
        likeness = persons.are_among(_kept(context, entry))
        if likeness is Likeness.PERSONS:
            found[folded(entry.data_set)] = entry.data_set
        elif likeness is not Likeness.NOTHING:
            doubted[likeness][folded(entry.data_set)] = entry.data_set
    return Found(
        data_sets=tuple(sorted(found.values())),
        unread=unread,
        foreign=len(releases) - len(known),
        partly=tuple(sorted(doubted[Likeness.SOME].values())),
        numbered=tuple(sorted(doubted[Likeness.NUMBERS].values())),
    )


def contradictions(context: "ReleaseContext", found: Found, own: frozenset[str]) -> tuple[str, ...]:
    """Return why a policy that calls earlier releases unrelated is wrong; ``own`` are folded names."""
    if not found.data_sets:
        return ()
    entity = context.policy.roles.entity
    mine = all(folded(name) in own for name in found.data_sets)
    series = "" if mine else " and the same release.data_set for all of them"
    other = f"give other people other values of {entity!r}" if entity is not None else "name a roles.entity"
    sentence = (
        "The policy says earlier_releases: unrelated, and the ledger holds releases of the same persons:"
        f" {_listed(found.data_sets)}; set earlier_releases: judged under release{series}, with thresholds"
        " that limit what they reveal together (intersection_k_anonymity and differencing_k_anonymity), or,"
        f" if they are not the same, {other}."
    )
    return (sentence,)


def remarks(found: Found) -> tuple[str, ...]:
    """Return a sentence for releases of other data sets that a verdict over its own series does not see."""
    if not found.data_sets:
        return ()
    sentence = (
        f"The ledger holds releases of the same persons under other names: {_listed(found.data_sets)}; what"
        " they reveal together with this one is not judged. Give all of them one release.data_set, if they"
        " are versions of one table."
    )
    return (sentence,)


def doubts(found: Found) -> tuple[str, ...]:
    """Return a sentence for what could not be looked at although the policy calls it unrelated."""
    sentences = []
    if found.partly:
        sentences.append(
            "More records than chance makes agree are also in releases that the policy calls unrelated, and"
            f" fewer than half: {_listed(found.partly)}; nobody can tell whether they are of the same"
            " persons. Name a roles.entity."
        )
    if found.numbered:
        sentences.append(
            "The entity of this table is no more than row numbers, which other tables have as well, so nobody"
            f" can tell by it whether the persons of {_listed(found.numbered)} are the same. Name an entity"
            " that is a person's own in every table."
        )
    if found.unread:
        sentences.append(
            f"{found.unread:,} older releases of the ledger were not looked at for the same persons: the"
            f" newest {MOST_RELEASES:,} are, with {MOST_PERSONS:,} records together."
        )
    if found.foreign:
        sentences.append(
            f"{found.foreign:,} releases of the ledger were recorded under another history key, so nobody can"
            " tell whether they are of the same persons."
        )
    return tuple(sentences)


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more data sets" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def _kept(context: "ReleaseContext", entry: "TypedEntry[Releasing]") -> Kept:
    promised = entry.payload
    return Kept(
        data_set=entry.data_set,
        follows=promised.follows,
        records=promised.records,
        load=lambda: classes_from(context.ledger.attachment(promised.classes)),
        qids=promised.qids,
    )
