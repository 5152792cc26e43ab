"""What the ledger says is out there, and that a release is out there no longer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from errno import ELOOP
from pathlib import Path
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.core.system import open_plain, why
from qidguard.evidence.home import Home
from qidguard.evidence.private_file import write_new
from qidguard.evidence.withdrawal import FORMAT, NOTICE_SUFFIX, Notice
from qidguard.ledger import TypedEntry, new_entry, read
from qidguard.ledger.payloads import Audited, Checked, Released, Releasing, Withdrawn
from qidguard.releasing.context import RunOptions, responsible
from qidguard.releasing.history.past import RELEASE_KINDS, Past, past_of, read_past
from qidguard.releasing.opening import opened_ledger
from qidguard.releasing.result import Outcome

if TYPE_CHECKING:
    from qidguard.evidence.ed25519 import SigningKey
    from qidguard.ledger import Ledger


@dataclass(frozen=True, kw_only=True)
class Published:
    """One published release.

    Args:
        data_set: The data set.
        release_id: The release's own name.
        address: Where it is.
        released_at: When it was published, ISO text in UTC.
    """

    data_set: str
    release_id: str
    address: str
    released_at: str


def published(ledger: "Ledger", data_set: str | None = None) -> tuple[Published, ...]:
    """Return the releases that were published, by data set and then oldest first.

    One that was withdrawn does not count. A release whose run died before it could say how it ended counts:
    its content may be out.

    Args:
        ledger: The ledger.
        data_set: Those of one data set; None takes all.

    Returns:
        The releases.

    Units:
        Moments in UTC.

    Raises:
        LedgerError: When the ledger cannot be read, or is no continuation of what this machine has seen.

    Example:
        >>> import tempfile
        >>> from qidguard.ledger import open_ledger
        >>> with tempfile.TemporaryDirectory() as folder, open_ledger(f"{folder}/ledger.db") as ledger:
        ...     published(ledger)
        ()
    """
    entries = list(ledger.entries(data_set=data_set, kinds={*RELEASE_KINDS, "withdrawn"}))
    gone = {read(e, Withdrawn).payload.audit_id for e in entries if e.kind == "withdrawn"}
    releases = []
    for name in sorted({entry.data_set for entry in entries}):
        past = past_of([entry for entry in entries if entry.data_set == name])
        releases += [_published(entry) for entry in past.begun if entry.payload.audit_id not in gone]
    return tuple(releases)


def is_recorded(
    options: RunOptions,
    *,
    audit_id: str,
    outcome: str,
    data_set: str,
    release_id: str | None,
    address: str | None = None,
    is_release: bool = False,
) -> bool:
    """Whether the ledger says the same of a verdict as somebody who brings it: it is a verified chain.

    Args:
        options: Where the ledger is, and what started the run; a verdict of another origin counts only where
            it passed and was published.
        audit_id: The verdict's name.
        outcome: ``passed``, ``passed_by_exception`` or ``blocked``.
        data_set: The data set.
        release_id: The release that it is about; None for none.
        address: Where it is said to be published or written; None for nowhere.
        is_release: Whether it is of a release: one that passed is out at the address then, and not withdrawn.

    Returns:
        Whether it is so.

    Raises:
        LedgerError: When the ledger cannot be read, or is no continuation of what this machine has seen.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as home:
        ...     is_recorded(
        ...         {"home": home}, audit_id="audit-1", outcome="passed", data_set="ward", release_id=None
        ...     )
        False
    """
    is_passed = outcome != Outcome.BLOCKED
    home, now = Home.at(options.get("home")), datetime.now(UTC)
    with opened_ledger(home, options.get("ledger"), now) as ledger:
        entry = ledger.entry(audit_id)
        if entry is None or entry.kind not in {"audited", "checked"} or entry.data_set != data_set:
            return False
        is_release_judged = entry.kind == "audited"
        said = (read(entry, Audited) if is_release_judged else read(entry, Checked)).payload
        if (said.outcome, said.release_id) != (outcome, release_id):
            return False
        is_own = all(said.by.get(part) == value for part, value in options.get("origin", {}).items())
        if not is_own and not (is_passed and address is not None and is_release_judged):
            return False
        return not (is_release and is_passed) or _is_out(ledger, data_set, (audit_id, release_id, address))


def _is_out(ledger: "Ledger", data_set: str, sought: tuple[str, str | None, str | None]) -> bool:
    """Whether the ledger says that this release was published there, and not that it was withdrawn."""
    entries = list(ledger.entries(data_set=data_set, kinds={"released", "withdrawn"}))
    released = [read(entry, Released).payload for entry in entries if entry.kind == "released"]
    withdrawn = {read(entry, Withdrawn).payload.audit_id for entry in entries if entry.kind == "withdrawn"}
    found = [(made.audit_id, made.release_id, made.address) for made in released]
    return sought in found and sought[0] not in withdrawn


def promise_of(past: Past, data_set: str, release_id: str) -> TypedEntry[Releasing]:
    """Return the ledger's promise of a release; UserError when there is none."""
    for entry in past.begun:
        if entry.payload.release_id == release_id:
            return entry
    raise UserError(f"The ledger knows no release {release_id!r} of {data_set!r}; see: qidguard history")


def _published(entry: TypedEntry[Releasing]) -> Published:
    return Published(
        data_set=entry.data_set,
        release_id=entry.payload.release_id,
        address=entry.payload.address,
        released_at=entry.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


LONGEST_REASON = 2_000
"""Characters of a reason, which is published in a notice."""


@dataclass(frozen=True, kw_only=True)
class TakenBack:
    """A release that was withdrawn.

    Args:
        address: The address from which it was withdrawn.
        notice: Where the notice stands; None where it could not be left.
        notes: What whoever verifies the files does not learn, or cannot rely on; one sentence each.
    """

    address: str
    notice: str | None
    notes: tuple[str, ...] = ()


def withdraw(
    ledger: "Ledger",
    data_set: str,
    release_id: str,
    *,
    reason: str,
    now: datetime,
    origin: Mapping[str, str] | None = None,
    key: "SigningKey | None" = None,
) -> TakenBack:
    """Record that a release was taken back, so that nightly re-audits no longer look for it.

    A notice with names, day and reason is left beside the release, for whoever verifies it without the
    ledger. No file is removed. What was once published stays known, so later releases are still held against
    it. Withdrawn once more, the ledger says what it said, and a notice that is gone is left again.

    Args:
        ledger: The ledger.
        data_set: The data set.
        release_id: The release.
        reason: Why; it is published with the notice, so it names nobody.
        now: The moment.
        origin: What started it.
        key: The key that signs releases; a notice that nobody signed is a doubt to who finds it, no more.

    Returns:
        From where it was withdrawn, and where the notice stands.

    Raises:
        UserError: When there is no such release, or no reason, or a long one.
        LedgerError: When it cannot be recorded.
    """
    if not reason.strip():
        raise UserError("A withdrawal needs a reason; give it with --reason.")
    if len(reason) > LONGEST_REASON:
        raise UserError(
            f"The reason of a withdrawal has at most {LONGEST_REASON:,} characters, not {len(reason):,};"
            " shorten it."
        )
    promise = promise_of(read_past(ledger, data_set), data_set, release_id)
    promised = promise.payload
    withdrawn = Withdrawn(
        audit_id=promised.audit_id,
        release_id=release_id,
        address=promised.address,
        reason=reason,
        by=responsible(origin),
    )
    entry_id = f"withdrawn-{promised.audit_id}"
    entry = ledger.entry(entry_id)
    if entry is None:
        entry = ledger.append(new_entry(withdrawn, entry_id=entry_id, data_set=promise.data_set, at=now))
    return _noticed(promise, read(entry, Withdrawn), key)


def _noticed(
    promise: TypedEntry[Releasing], withdrawal: TypedEntry[Withdrawn], key: "SigningKey | None"
) -> TakenBack:
    """Leave the notice of what the ledger says, and say what it lacks."""
    promised = promise.payload
    notice = Notice(
        format=FORMAT,
        data_set=promise.data_set,
        release_id=promised.release_id,
        manifest_sha256=promised.manifest_sha256,
        withdrawn_at=withdrawal.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        reason=withdrawal.payload.reason,
    )
    try:
        place = leave_notice(promised.address, notice, key)
    except UserError as error:
        return TakenBack(address=promised.address, notice=None, notes=(str(error),))
    unsigned = (
        "Nobody signed the notice, so whoever finds it cannot rely on it; remove it and withdraw the release"
        " once more with the key that signs releases."
    )
    return TakenBack(address=promised.address, notice=place, notes=(unsigned,) if key is None else ())


def leave_notice(address: str, notice: Notice, key: "SigningKey | None") -> str:
    """Write the notice beside the folder at an address, and return where it stands.

    One that says the same with the same signature stays.

    Raises:
        UserError: When it cannot be written, or another one stands there; the ledger holds the withdrawal all
            the same.
    """
    content = notice.sealed(key)
    place = address.rstrip("/") + NOTICE_SUFFIX
    try:
        there = _left(place, content)
    except Exception as error:  # noqa: BLE001 - every protocol has errors of its own, and their text may hold secrets
        raise UserError(
            f"The withdrawal is recorded, and its notice {place!r} cannot be written ({why(error)}); whoever"
            " verifies the files without the ledger does not learn of it."
        ) from None
    if there != content:
        raise UserError(
            f"The withdrawal is recorded, and another notice stands at {place!r}, which is left as it is;"
            " remove it and withdraw the release once more to have it say this with this signature."
        )
    return place


def _left(place: str, content: bytes) -> bytes:
    """Write a file where there is none, and return what stands there."""
    if "://" not in place:
        path = Path(place)
        if path.parent.is_symlink():
            raise OSError(ELOOP, "a link stands in the place of its folder")
        try:
            write_new(path, content, mode=0o644)
        except FileExistsError:
            with open_plain(path) as file:
                return file.read(len(content) + 1)
        return content
    import fsspec

    system, path_there = fsspec.core.url_to_fs(place)
    if not system.exists(path_there):
        system.pipe_file(path_there, content)
    found: bytes = system.cat_file(path_there, start=0, end=len(content) + 1)
    return found
