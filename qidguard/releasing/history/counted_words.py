"""What is said of releases that count, that are called unrelated, and that could not be looked at."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.core.naming import folded
from qidguard.releasing.history.comparable import listed, said_unrelated
from qidguard.releasing.history.found import FOUND
from qidguard.releasing.history.past import of_persons
from qidguard.releasing.history.same_persons import MOST_PERSONS, MOST_RELEASES, Likeness

if TYPE_CHECKING:
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.history.found import Found
    from qidguard.releasing.history.past import Past


def contradictions(context: "ReleaseContext", found: "Found", own: frozenset[str]) -> tuple[str, ...]:
    """Return why a policy is wrong that calls releases of its own series, folded names, unrelated."""
    names = tuple(
        name
        for name in found.among(Likeness.PERSONS)
        if folded(name) in own and said_unrelated(context, name)
    )
    if not names:
        return ()
    entity = context.policy.roles.entity
    other = f"give other people other values of {entity!r}" if entity is not None else "name a roles.entity"
    sentence = (
        "The policy says that earlier releases of this data set are unrelated, and the ledger holds releases"
        f" of the same persons: {listed(names)}; set earlier_releases: judged under release and take"
        f" {'it' if len(names) == 1 else 'them'} out of unrelated, with thresholds that limit what they"
        " reveal together (intersection_k_anonymity and differencing_k_anonymity), or, if they are not the"
        f" same, {other}."
    )
    return (sentence,)


def without_reason(context: "ReleaseContext", past: "Past", found: "Found") -> tuple[str, ...]:
    """Return why ``earlier_releases: unrelated`` does not suffice, with the lines that do."""
    names = tuple(sorted({entry.data_set for entry in of_persons(past.begun)}))
    if context.policy.release.earlier_releases != "unrelated" or not names:
        return ()
    same = [name for name in names if folded(name) in found.names]
    lines = ", ".join(f"{{data_set: {name}, reason: …}}" for name in names)
    sentence = (
        "The policy says earlier_releases: unrelated, which gives no reason, and the ledger holds releases of"
        f" {listed(names)}{_same_persons(same)}; if they are of other people, or what they reveal together is"
        f" accepted, write under release, with the reasons: unrelated: [{lines}]; else set earlier_releases:"
        " judged, with thresholds that limit what they reveal together (intersection_k_anonymity and"
        " differencing_k_anonymity)."
    )
    return (sentence,)


def _same_persons(names: Sequence[str]) -> str:
    return f" (the same persons are in {listed(names)})" if names else ""


def told_together(context: "ReleaseContext", together: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for the other data sets whose releases count."""
    if not together:
        return ()
    sentence = (
        f"Persons of this table are also in releases of {listed(together)}, so these count as earlier ones of"
        f" {context.data_set!r}. Give all of them one release.data_set, if they are versions of one table, or"
        " name under release.unrelated, with a reason, whose records are of other people."
    )
    return (sentence,)


def told_unrelated(context: "ReleaseContext", found: "Found", own: frozenset[str]) -> tuple[str, ...]:
    """Return a sentence for each data set that is called unrelated and has persons of the table, or may."""
    sentences = []
    for name in found.among(*FOUND):
        reason = context.policy.release.why_unrelated(name)
        if reason is None:
            continue
        if folded(name) not in own:
            sentences.append(
                f"Persons of this table are also in releases of {name!r}, which the policy calls unrelated:"
                f" {reason.rstrip('.')}. What they reveal together is not judged."
            )
        elif found.likeness[folded(name)] is not Likeness.PERSONS:
            sentences.append(
                "More records than chance makes agree are also in releases that the policy calls unrelated,"
                f" and fewer than half: {name!r}; nobody can tell whether they are of the same persons. Name"
                " a roles.entity."
            )
    return tuple(sentences)


def doubts(found: "Found") -> tuple[str, ...]:
    """Return a sentence for what could not be looked at."""
    sentences = []
    numbered = found.among(Likeness.NUMBERS)
    if numbered:
        sentences.append(
            "The entity of this table is no more than row numbers, which other tables have as well, so nobody"
            f" can tell by it whether the persons of {listed(numbered)} are the same. Name an entity"
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
