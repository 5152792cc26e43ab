"""What the ledger knows of a data set: earlier releases, and those that a dead process left unfinished."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import InternalError
from qidguard.ledger import NewEntry
from qidguard.releasing.destination import ATTESTATION
from qidguard.releasing.earlier import EarlierRelease, KeyedHistory, classes_from, columns_from

if TYPE_CHECKING:
    from qidguard.engines.base import KeyedClasses, Snapshot
    from qidguard.ledger import Entry, Ledger, Reader
    from qidguard.releasing.job import Job

RELEASE_KINDS = frozenset({"releasing", "released", "abandoned"})


@dataclass(frozen=True, kw_only=True)
class Past:
    """The releases of a data set as the ledger has them.

    Args:
        begun: Every release that was promised and not abandoned, oldest first; whether it was confirmed or
            not, its content may be out.
        confirmed: The ids of releases that are known to be complete.
    """

    begun: tuple["Entry", ...]
    confirmed: frozenset[str]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the releases, oldest first."""
        return tuple(str(entry.payload["release_id"]) for entry in self.begun)

    @property
    def unfinished(self) -> tuple["Entry", ...]:
        """The releases that were promised and neither confirmed nor abandoned."""
        return tuple(e for e in self.begun if e.payload["audit_id"] not in self.confirmed)


def past_of(entries: Sequence["Entry"]) -> Past:
    """Return the past that entries of one data set tell."""
    confirmed = {str(e.payload["audit_id"]) for e in entries if e.kind == "released"}
    # what was seen to be complete is out, whatever else was said of it
    abandoned = {e.payload["audit_id"] for e in entries if e.kind == "abandoned"} - confirmed
    begun = [e for e in entries if e.kind == "releasing" and e.payload["audit_id"] not in abandoned]
    return Past(
        begun=tuple(sorted(begun, key=lambda e: e.sequence)),
        confirmed=frozenset(confirmed),
    )


def read_past(ledger: "Ledger", data_set: str) -> Past:
    """Return the past of a data set."""
    return past_of(list(ledger.entries(data_set=data_set, kinds=RELEASE_KINDS)))


def settle(job: "Job") -> tuple[str, ...]:
    """Finish what dead processes left: confirm a release that is complete, abandon one that is not.

    Returns:
        A sentence for each release that was settled, or that cannot be.
    """
    notes = []
    job.destination.sweep(job.data_set)
    for entry in read_past(job.ledger, job.data_set).unfinished:
        said = entry.payload
        release_id, token = str(said["release_id"]), str(said["token"])
        if said["destination"] != job.destination.label:
            continue  # only who writes to that place can tell
        if said["place"] != job.destination.identity():
            notes.append(
                f"Release {release_id} was promised to another folder that stood at"
                f" {job.destination.label!r}; it counts as published until a run finds that folder again."
            )
            continue
        found = job.destination.manifest_digest(job.data_set, release_id)
        if found == said["manifest_sha256"]:
            confirm(job, entry, is_recovered=True)
            notes.append(
                f"Release {release_id} was complete, but its run died before it said so; it is confirmed."
            )
        elif found is not None:
            notes.append(f"Release {release_id} is not what its run promised; check it with: qidguard verify")
        elif not job.destination.is_in_progress(job.data_set, token, entry.at, job.clock()):
            names = [str(file["name"]) for file in said["files"]]
            job.destination.clean(job.data_set, release_id, token, [ATTESTATION, *names])
            abandon(job, entry, "its run died before it was published")
            notes.append(f"Release {release_id} was cut off before it was published; it is abandoned.")
    return tuple(notes)


def confirm(job: "Job", entry: "Entry", *, is_recovered: bool = False) -> None:
    """Record that a promised release is complete."""
    more = {"address": entry.payload["address"], "is_recovered": is_recovered}
    _end(job, entry, "released", "abandoned", more)


def abandon(job: "Job", entry: "Entry", reason: str) -> None:
    """Record that a promised release was never published."""
    _end(job, entry, "abandoned", "released", {"reason": reason})


def history(job: "Job", snapshot: "Snapshot", past: Past) -> KeyedHistory:
    """Return the earlier releases beside the snapshot that is to be the next one."""
    entity = job.policy.roles.entity

    def now(qids: tuple[str, ...]) -> "KeyedClasses":
        return snapshot.keyed_classes({"now": qids}, entity, job.history_key, followed=follows(job, snapshot))

    earlier = () if job.policy.release.earlier_releases == "unrelated" else past.begun
    return KeyedHistory(
        earlier=[earlier_release(job, entry) for entry in earlier],
        now=now,
        columns_now=lambda: snapshot.keyed_columns(
            _published(job, snapshot),
            job.history_key,
            suppression_mark=job.policy.source.suppression_mark,
        ),
    )


def history_key_id(key: bytes) -> str:
    """Return what tells one history key from another, and nothing else of it."""
    return sha256(b"qidguard history key\0" + key).hexdigest()[:16]


def incomparable(job: "Job", snapshot: "Snapshot", past: Past, here: tuple[str, ...]) -> Iterator[str]:
    """Yield a sentence for whatever keeps earlier releases from being held against this one.

    ``here`` are the ids of the releases that stand at the destination.
    """
    if job.policy.release.earlier_releases == "unrelated":
        return
    mine = history_key_id(job.history_key)
    others = [e for e in past.begun if e.payload["history_key"] != mine]
    if others:
        yield (
            f"{len(others)} earlier releases of {job.data_set!r} were recorded under another history key, so"
            " they cannot be compared with this one; restore the file history.key that made them."
        )
    followed = follows(job, snapshot)
    if any(e.payload["follows"] != followed for e in past.begun):
        yield (
            f"Earlier releases of {job.data_set!r} follow people by other columns than this policy does, so"
            " they cannot be compared with it; keep roles.entity, or the QIDs and sensitive attributes where"
            " there is none, or write earlier_releases: unrelated under release."
        )
    unknown = [release_id for release_id in here if release_id not in past.ids]
    if unknown:
        yield (
            f"{len(unknown)} releases of {job.data_set!r} stand at the destination and not in this ledger,"
            f" the first is {unknown[0]}; use the ledger that made them, or write earlier_releases: unrelated"
            " under release."
        )


def follows(job: "Job", snapshot: "Snapshot") -> list[str]:
    """Return the columns by which persons are followed: the entity, or what the content of a record is."""
    if job.policy.roles.entity is not None:
        return [job.policy.roles.entity]
    return sorted(job.followed or snapshot.names)


def earlier_release(job: "Job", entry: "Entry") -> EarlierRelease:
    """Return what the ledger keeps of one release."""
    said: Any = entry.payload
    try:
        columns = columns_from(job.ledger.attachment(said["columns"]))
        return EarlierRelease(
            release_id=said["release_id"],
            load=lambda: classes_from(job.ledger.attachment(said["classes"])),
            qids={name: tuple(qids) for name, qids in said["qids"].items()},
            columns=columns,
        )
    except (KeyError, TypeError) as error:
        raise InternalError(
            f"The ledger's entry {entry.id} is not readable ({type(error).__name__}); run:"
            " qidguard history --check"
        ) from None


def _published(job: "Job", snapshot: "Snapshot") -> tuple[str, ...]:
    roles, dropped = job.policy.roles, set(job.policy.release.drop)
    hidden = {*roles.direct_identifiers, *dropped}
    if roles.entity is not None and roles.entity not in roles.insensitive:
        hidden.add(roles.entity)
    return tuple(name for name in snapshot.names if name not in hidden)


def _end(job: "Job", entry: "Entry", kind: str, other: str, more: dict[str, Any]) -> None:
    """Record how a promised release ended, unless that is recorded; never both ends of one."""
    audit_id = str(entry.payload["audit_id"])
    if job.ledger.entry(f"{kind}-{audit_id}") is not None:
        return

    def guard(reader: "Reader") -> None:
        if reader.entry(f"{other}-{audit_id}") is not None:
            raise InternalError(
                f"Release {entry.payload['release_id']} is recorded as {other}, so it cannot be {kind}; check"
                " it with: qidguard verify"
            )

    payload = {"audit_id": audit_id, "release_id": entry.payload["release_id"], **more}
    job.ledger.append(
        NewEntry(id=f"{kind}-{audit_id}", kind=kind, data_set=job.data_set, at=job.clock(), payload=payload),
        guard=guard,
    )
