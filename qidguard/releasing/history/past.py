"""What the ledger knows of a data set: earlier releases, and those that a dead process left unfinished."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from qidguard.auditing.original import mark_of
from qidguard.core.errors import InternalError
from qidguard.core.naming import folded
from qidguard.core.versions import PublishedColumn
from qidguard.evidence.fields import ATTESTATION
from qidguard.ledger import IdTakenError, TypedEntry, new_entry, read
from qidguard.ledger.payloads import Abandoned, Released, Releasing
from qidguard.releasing.history.earlier import EarlierRelease, KeyedHistory
from qidguard.releasing.history.keyed_bytes import classes_from, columns_from

if TYPE_CHECKING:
    from qidguard.core.versions import History
    from qidguard.engines.base import KeyedClasses, Snapshot
    from qidguard.ledger import Entry, Reader
    from qidguard.releasing.context import ReleaseContext

RELEASE_KINDS = frozenset({"releasing", "released", "abandoned"})


@dataclass(frozen=True, kw_only=True)
class Past:
    """The releases of a data set as the ledger has them.

    Args:
        begun: Every release that was promised and not abandoned, oldest first; whether it was confirmed or
            not, its content may be out.
        confirmed: The ids of releases that are known to be complete.
        others: Folded names of other series, which count since the same persons are in them.
    """

    begun: tuple[TypedEntry[Releasing], ...]
    confirmed: frozenset[str]
    others: frozenset[str] = frozenset()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the releases, oldest first."""
        return tuple(entry.payload.release_id for entry in self.begun)

    @property
    def of_series(self) -> "tuple[TypedEntry[Releasing], ...]":
        """The releases of persons in the data set's own series, oldest first."""
        return tuple(e for e in of_persons(self.begun) if folded(e.data_set) not in self.others)

    @property
    def unfinished(self) -> tuple[TypedEntry[Releasing], ...]:
        """The releases that were promised and neither confirmed nor abandoned."""
        return tuple(e for e in self.begun if e.payload.audit_id not in self.confirmed)


def of_persons(releases: "Iterable[TypedEntry[Releasing]]") -> "tuple[TypedEntry[Releasing], ...]":
    """Return the releases of persons' records; those of new tables have none whom anybody could follow."""
    return tuple(entry for entry in releases if entry.payload.new_table is None)


def past_of(entries: Sequence["Entry"]) -> Past:
    """Return the past that entries of one data set tell."""
    confirmed = {read(e, Released).payload.audit_id for e in entries if e.kind == "released"}
    # what was seen to be complete is out, whatever else was said of it
    abandoned = {read(e, Abandoned).payload.audit_id for e in entries if e.kind == "abandoned"} - confirmed
    promised = (read(e, Releasing) for e in entries if e.kind == "releasing")
    begun = [promise for promise in promised if promise.payload.audit_id not in abandoned]
    return Past(
        begun=tuple(sorted(begun, key=lambda e: e.sequence)),
        confirmed=frozenset(confirmed),
    )


def read_past(reader: "Reader", *data_sets: str) -> Past:
    """Return the past of a data set, or of some together, however their names are spelled."""
    return past_of(
        [entry for name in data_sets for entry in reader.entries(data_set=name, kinds=RELEASE_KINDS)]
    )


def settle(context: "ReleaseContext") -> tuple[str, ...]:
    """Termination what dead processes left: confirm a release that is complete, abandon one that is not.

    Returns:
        A sentence for each release that was settled, or that cannot be.
    """
    notes = []
    context.place.sweep(context.data_set)
    for entry in read_past(context.ledger, context.data_set).unfinished:
        promised = entry.payload
        release_id, token = promised.release_id, promised.token
        if promised.destination != context.place.label:
            continue  # only who writes to that place can tell
        if promised.place != context.place.identity():
            notes.append(
                f"Release {release_id} was promised to another folder that stood at"
                f" {context.place.label!r}; it counts as published until a run finds that folder again."
            )
            continue
        # in this order: what a run that is no longer at work has made was there before it ended
        is_at_work = context.place.is_in_progress(entry.data_set, token, entry.at, context.clock())
        digest = context.place.manifest_digest(entry.data_set, release_id)
        if digest == promised.manifest_sha256:
            if confirm(context, entry, is_recovered=True):
                notes.append(
                    f"Release {release_id} was complete, but its run had not said so; it is confirmed."
                )
        elif digest is not None:
            notes.append(f"Release {release_id} is not what its run promised; check it with: qidguard verify")
        elif not is_at_work:
            names = [file.name for file in promised.files]
            context.place.clean(entry.data_set, release_id, token, [ATTESTATION, *names])
            abandon(context, entry, "its run died before it was published")
            notes.append(f"Release {release_id} was cut off before it was published; it is abandoned.")
    return tuple(notes)


def confirm(context: "ReleaseContext", promise: TypedEntry[Releasing], *, is_recovered: bool = False) -> bool:
    """Record that a promised release is complete, and return whether nobody else had done so.

    It is recorded also where somebody abandoned it: what is seen complete is out.
    """
    promised = promise.payload
    released = Released(
        audit_id=promised.audit_id,
        release_id=promised.release_id,
        address=promised.address,
        is_recovered=is_recovered,
    )
    return _end(context, promise, f"released-{promised.audit_id}", released)


def abandon(context: "ReleaseContext", promise: TypedEntry[Releasing], reason: str) -> bool:
    """Record that a promised release was never published, and return whether nobody else had done so."""
    promised = promise.payload

    def guard(reader: "Reader") -> None:
        if reader.entry(f"released-{promised.audit_id}") is not None:
            raise InternalError(
                f"Release {promised.release_id} is recorded as released, so it cannot be abandoned;"
                " check it with: qidguard verify"
            )

    abandoned = Abandoned(audit_id=promised.audit_id, release_id=promised.release_id, reason=reason)
    return _end(context, promise, f"abandoned-{promised.audit_id}", abandoned, guard)


def history(
    context: "ReleaseContext", snapshot: "Snapshot", past: Past, *, shared: "History | None" = None
) -> KeyedHistory:
    """Return the earlier releases beside the snapshot that is to be the next one.

    ``shared`` is what was returned for another snapshot beside the same past: it is not read again.
    """

    def now(qids: tuple[str, ...]) -> "KeyedClasses":
        return keyed_classes_of(context, snapshot, {"now": qids})

    def columns_now() -> tuple[PublishedColumn, ...]:
        return snapshot.keyed_columns(
            _published(context, snapshot),
            context.history_key,
            suppression_mark=context.policy.source.suppression_mark,
        )

    if isinstance(shared, KeyedHistory):
        return shared.beside(now=now, columns_now=columns_now)
    return KeyedHistory(
        earlier=[earlier_release(context, entry, past.others) for entry in of_persons(past.begun)],
        now=now,
        columns_now=columns_now,
        is_by_content=context.policy.roles.entity is None,
    )


def keyed_classes_of(
    context: "ReleaseContext", snapshot: "Snapshot", combinations: "Mapping[str, Sequence[str]]"
) -> "KeyedClasses":
    """Return the keyed classes of a table, with persons as its policy follows them."""
    policy = context.policy
    return snapshot.keyed_classes(
        combinations,
        policy.roles.entity,
        context.history_key,
        followed=follows(context, snapshot),
        normalized=policy.normalized,
        mark=mark_of(policy),
    )


def normalized_as(context: "ReleaseContext", columns: "Iterable[str]") -> dict[str, tuple[str, ...]] | None:
    """Return how texts of columns that records are followed by are one value; None where none is."""
    if context.policy.roles.entity is not None:
        return None
    followed = set(columns)
    ways = {
        one.column: tuple(sorted(way.value for way in one.spellings))
        for one in context.policy.normalized
        if one.column in followed
    }
    return ways or None


def history_key_id(key: bytes) -> str:
    """Return what tells one history key from another, and nothing else of it."""
    return sha256(b"qidguard history key\0" + key).hexdigest()[:16]


def follows(context: "ReleaseContext", snapshot: "Snapshot") -> list[str]:
    """Return the columns by which persons are followed: the entity, or what the content of a record is."""
    if context.policy.roles.entity is not None:
        return [context.policy.roles.entity]
    return sorted(context.followed or snapshot.names)


def earlier_release(
    context: "ReleaseContext", entry: TypedEntry[Releasing], others: frozenset[str] = frozenset()
) -> EarlierRelease:
    """Return what the ledger keeps of one release; ``others`` are folded names of other series."""
    promised = entry.payload
    return EarlierRelease(
        release_id=promised.release_id,
        load=lambda: classes_from(context.ledger.attachment(promised.classes)),
        qids=promised.qids,
        columns=columns_from(context.ledger.attachment(promised.columns)),
        is_other=folded(entry.data_set) in others,
    )


def _published(context: "ReleaseContext", snapshot: "Snapshot") -> tuple[str, ...]:
    roles, dropped = context.policy.roles, context.policy.dropped_columns
    hidden = {*roles.direct_identifiers, *dropped}
    if roles.entity is not None and roles.entity not in roles.insensitive:
        hidden.add(roles.entity)
    return tuple(name for name in snapshot.names if name not in hidden)


def _end(
    context: "ReleaseContext",
    promise: TypedEntry[Releasing],
    entry_id: str,
    end: Released | Abandoned,
    guard: "Callable[[Reader], None] | None" = None,
) -> bool:
    new = new_entry(end, entry_id=entry_id, data_set=promise.data_set, at=context.clock())
    try:
        context.ledger.append(new, guard=guard)
    except IdTakenError:
        # another run settled this release in other words; the id says whose end it is, and which
        return False
    return True
