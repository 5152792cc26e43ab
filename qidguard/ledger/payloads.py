"""What each kind of entry says, in a type of its own; ``payload_json`` reads and writes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final, Generic, TypeVar

from qidguard.ledger.listed import (
    AcceptedColumns,
    AdviceTold,
    FiguresReadBack,
    IsolatedTold,
    ListedOutside,
    ListedThreshold,
    NoisedTold,
    PrivacyTold,
    ToldQid,
)


def _later(default: Any) -> Any:
    """Return a field that is always written, and that entries from before it was thought of lack."""
    return field(default=default, metadata={"is_written": True})


def _where_any() -> Any:
    """Return a field that is written only where there is something to say."""
    return field(default=None, metadata={"is_written": False})


class Payload:
    """What an entry of some kind says; ``PAYLOADS`` lists the kinds."""


@dataclass(frozen=True, kw_only=True)
class PolicyUsed:
    """A policy that was judged by; the last two are what a suite's file says of its review."""

    name: str | None
    sha256: str | None
    preset: str | None
    approved_sha256: str | None = None
    reviewed_sha256: str | None = None


@dataclass(frozen=True, kw_only=True)
class Excepted:
    """An exception as it stands in a verdict that it let through."""

    id: str
    by: str
    key_id: str
    reason: str
    expires: date
    thresholds: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RecordedVerdict(Payload):
    """What every recorded verdict says; figures and versions are None where they were not kept yet."""

    audit_id: str
    outcome: str
    exit_code: int
    source: str
    records: int | None
    entities: int | None
    missed: tuple[str, ...]
    blocks: tuple[str, ...]
    exceptions: tuple[Excepted, ...]
    by: Mapping[str, str]
    figures: tuple[ListedThreshold, ...] | None = _later(None)
    undone: tuple[ToldQid, ...] | None = _where_any()
    read_backs: tuple[FiguresReadBack, ...] | None = _where_any()
    outside_qids: ListedOutside | None = _where_any()  # noqa: RUF009 - it makes a field
    accepted: tuple[AcceptedColumns, ...] | None = _where_any()
    noised: tuple[NoisedTold, ...] | None = _where_any()
    new_table: str | None = _where_any()
    isolated: tuple[IsolatedTold, ...] | None = _where_any()
    advice: AdviceTold | None = _where_any()  # noqa: RUF009 - it makes a field
    versions: Mapping[str, str] | None = _later(None)


@dataclass(frozen=True, kw_only=True)
class Audited(RecordedVerdict):
    """A release was judged; ``record`` is the digest of the attached record."""

    release_id: str
    source_sha256: str
    destination: str
    policy: PolicyUsed
    record: str


@dataclass(frozen=True, kw_only=True)
class Checked(RecordedVerdict):
    """A table, or what is published already, was judged, and nothing was to be published."""

    release_id: str | None
    policy: PolicyUsed | None
    record: str | None


@dataclass(frozen=True, kw_only=True)
class Failed(Payload):
    """A run ended before its verdict."""

    audit_id: str
    release_id: str | None
    source: str
    policy: PolicyUsed
    error: str
    exit_code: int
    by: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Spent(Payload):
    """Privacy budget was spent, by a guarantee: exact numbers as ``budget.exact_text`` writes them."""

    audit_id: str
    anonymizer: str
    population: str | None
    epsilon: str
    delta: str
    rho: str
    budget_epsilon: str
    budget_delta: str
    privacy: PrivacyTold | None = field(default=None, metadata={"is_written": False})


@dataclass(frozen=True, kw_only=True)
class PromisedFile:
    """A data file of a release."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Releasing(Payload):
    """A release is about to be published; ``classes`` and ``columns`` are digests of attachments.

    ``new_table`` is what its records are where none of them is a person's; None where they are the source's.
    ``state`` is the digest of what was kept privately for the next release of its series. ``together`` are
    the other data sets in which its persons were found; None where nobody looked. ``normalized`` has, of the
    columns by which records are followed without an entity, the ways in which texts were taken as one value.
    """

    audit_id: str
    release_id: str
    destination: str
    address: str
    token: str
    place: str
    files: tuple[PromisedFile, ...]
    manifest_sha256: str
    attestation_sha256: str
    policy_sha256: str
    source_sha256: str
    options_sha256: str
    outcome: str
    exceptions: tuple[str, ...]
    key_id: str | None
    history_key: str
    follows: tuple[str, ...]
    qids: Mapping[str, tuple[str, ...]]
    classes: str
    columns: str
    records: int
    new_table: str | None = _where_any()
    state: str | None = _where_any()
    together: tuple[str, ...] | None = _where_any()
    normalized: Mapping[str, tuple[str, ...]] | None = _where_any()


@dataclass(frozen=True, kw_only=True)
class Released(Payload):
    """A promised release is complete; another run than its own may have seen that."""

    audit_id: str
    release_id: str
    address: str
    is_recovered: bool


@dataclass(frozen=True, kw_only=True)
class Abandoned(Payload):
    """A promised release was never published."""

    audit_id: str
    release_id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Withdrawn(Payload):
    """A release is no longer out there."""

    audit_id: str
    release_id: str
    address: str
    reason: str
    by: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class ExceptionMade(Excepted, Payload):
    """An approver let thresholds pass; only the signed envelope counts."""

    audit_id: str
    envelope: str
    recorded_by: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Revoked(Payload):
    """An exception holds no longer."""

    exception_id: str
    reason: str
    by: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Accepted(Payload):
    """Somebody takes the ledger for sound although a machine could not tell; its head, and what was seen."""

    reason: str
    sequence: int
    hash: str
    seen_sequence: int | None
    seen_hash: str | None
    by: Mapping[str, str]


PAYLOADS: Final[Mapping[str, type[Payload]]] = {
    "audited": Audited,
    "checked": Checked,
    "failed": Failed,
    "spent": Spent,
    "releasing": Releasing,
    "released": Released,
    "abandoned": Abandoned,
    "exception": ExceptionMade,
    "revoked": Revoked,
    "withdrawn": Withdrawn,
    "accepted": Accepted,
}
"""Every kind of entry with the type of what it says.

A new kind comes with a migration, so that an older qidguard says that it is older.
"""

P_co = TypeVar("P_co", bound=Payload, covariant=True)


@dataclass(frozen=True, kw_only=True)
class TypedEntry(Generic[P_co]):
    """An entry of the ledger with what it says, in the type of its kind.

    Args:
        sequence: Its place in the ledger.
        id: Its id.
        data_set: The data set that it is about.
        at: When it happened, UTC.
        hash: Its hash, hex.
        payload: What it says.
    """

    sequence: int
    id: str
    data_set: str
    at: datetime
    hash: str
    payload: P_co
