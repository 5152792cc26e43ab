"""A release that is run again under a name that is taken: the same one is announced, another is a mistake."""

from qidguard.core.errors import UserError
from qidguard.evidence.verify import verify_release
from qidguard.ledger import TypedEntry
from qidguard.ledger.payloads import Releasing
from qidguard.releasing.context import UNKNOWN_DIGEST, ReleaseContext
from qidguard.releasing.deciding.decide import approvals_of
from qidguard.releasing.history.past import read_past
from qidguard.releasing.publishing.promise import BeingPublishedError
from qidguard.releasing.result import Outcome, Release


def repeated(context: ReleaseContext) -> Release | None:
    """Return the release that is there under this name already; UserError where it is another one."""
    for entry in read_past(context.ledger, context.data_set).begun:
        promised = entry.payload
        if promised.release_id != context.release_id:
            continue
        _check_not_withdrawn(context, promised)
        _check_same(context, entry)
        _check_in_force(context, promised)
        return Release(
            data_set=entry.data_set,
            release_id=context.release_id,
            audit_id=promised.audit_id,
            outcome=Outcome(promised.outcome),
            report=None,
            address=promised.address,
            key_id=promised.key_id,
            is_repeated=True,
        )
    return None


def _check_not_withdrawn(context: ReleaseContext, promised: Releasing) -> None:
    """Raise UserError where a recorded release was taken back."""
    if context.ledger.entry(f"withdrawn-{promised.audit_id}") is not None:
        raise UserError(
            f"Release {context.release_id!r} of {context.data_set!r} was withdrawn, so it is not announced"
            " again; choose another name."
        )


def _check_in_force(context: ReleaseContext, promised: Releasing) -> None:
    """Raise UserError where what let a recorded release through holds no longer."""
    held = {approval.id for approval in approvals_of(context)}
    if not set(promised.exceptions) <= held:
        raise UserError(
            f"Release {context.release_id!r} of {context.data_set!r} was let through by an exception that no"
            " longer holds; withdraw it, or choose another name."
        )


def _check_same(context: ReleaseContext, entry: TypedEntry[Releasing]) -> None:
    """Raise UserError unless a recorded release is of this source and policy, and stands there whole."""
    promised = entry.payload
    digest = context.engine.source_digest(context.source, context.read)
    mine = (context.place.label, context.policy.digest, digest, context.options_digest)
    theirs = (promised.destination, promised.policy_sha256, promised.source_sha256, promised.options_sha256)
    named = f"Release {context.release_id!r} of {context.data_set!r}"
    if mine != theirs or digest == UNKNOWN_DIGEST:
        raise UserError(
            f"{named} was made from another source, policy or for another destination, or nobody can tell;"
            " choose another name."
        )
    # in this order: what a run that is no longer at work has made was there before it ended
    is_at_work = context.place.is_in_progress(entry.data_set, promised.token, entry.at, context.clock())
    found = context.place.manifest_digest(entry.data_set, context.release_id)
    if found is None and is_at_work:
        raise BeingPublishedError.of(context)
    if found != promised.manifest_sha256:
        raise UserError(
            f"{named} was recorded, but what stands at {promised.address!r} is not it; check it with:"
            " qidguard verify"
        )
    keys = () if context.key is None else (context.key.public,)
    verification = verify_release(promised.address, keys=keys, is_unsigned_allowed=promised.key_id is None)
    if verification.faults:
        raise UserError(
            f"{named} is no longer what was published: {verification.faults[0].rstrip('.')}; look into it."
        )
