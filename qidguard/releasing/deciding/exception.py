"""Exceptions: recorded, signed and expiring leave to publish although named thresholds are missed."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from qidguard.core.noised import noised_text
from qidguard.core.report import AuditReport
from qidguard.core.statistic import Number
from qidguard.core.verdict import Bound, Limit, ThresholdResult
from qidguard.evidence.dsse import signer_of, unseal
from qidguard.evidence.fields import ApprovalTold
from qidguard.evidence.keys import PublicKey, parse_public_key
from qidguard.ledger import read
from qidguard.ledger.payloads import Excepted, ExceptionMade, Revoked
from qidguard.rendering.document import noised_document

if TYPE_CHECKING:
    from qidguard.ledger import Entry, Reader
    from qidguard.policy import Policy
    from qidguard.releasing.context import ReleaseContext
    from qidguard.releasing.deciding.concerned import Concerned

FORMAT = "qidguard-exception/2"
FIRST_FORMAT = "qidguard-exception/1"
"""It named neither a source nor persons; such an exception is listed, and lets nothing through any more."""

NO_DIGEST = "none"
"""What stands for the digest of a source that can be read only once; nothing can be bound to it."""

PAYLOAD_TYPE = "application/vnd.qidguard.exception+json"


@dataclass(frozen=True, kw_only=True)
class Waived:
    """One threshold that an exception covers, down to the figure that was accepted.

    Args:
        metric: The metric's name.
        combination: The QID combination's name.
        sensitive: The sensitive attribute, or None.
        arguments: The metric's arguments, as JSON.
        bound: Which side of the limit is allowed.
        limit: The limit in the metric's unit.
        accepts: The figure that was accepted; a worse one is not covered.
        persons: How many persons it concerned; more are not covered. None in an exception of the first form.
        is_everybody: Whether nobody can tell whom the figure spares, so that these are all of the table.
        noised: How the figure read QIDs with noise, as JSON; empty where none had any. A figure that reads
            them otherwise, or has noise on others, is another one.
    """

    metric: str
    combination: str
    sensitive: str | None
    arguments: str
    bound: str
    limit: Number
    accepts: Number
    persons: int | None = None
    is_everybody: bool = False
    noised: str = ""

    @property
    def demand(self) -> str:
        """What the policy asks for, such as ``k_anonymity ≥ 5``."""
        sign = "≥" if self.bound == Bound.AT_LEAST else "≤"
        of = f" of {self.sensitive}" if self.sensitive is not None else ""
        place = "" if self.combination == "default" else f" over {self.combination}"
        return f"{self.metric}{of}{place} {sign} {self.limit:g}{_without(self.noised)}"

    @property
    def text(self) -> str:
        """The threshold on one line, such as ``k_anonymity ≥ 5 (accepted: 3)``."""
        return f"{self.demand} (accepted: {self.accepts:g})"

    @property
    def bound_to(self) -> str:
        """What an exception for it is bound to, beside the policy: source, figure and persons."""
        figure = f"this source, a figure no worse than {self.accepts:g}"
        if self.persons is None:
            return figure
        if self.is_everybody:
            return (
                f"{figure}, and no more than the {self.persons:,} persons of the table, since nobody can tell"
                " whom this figure spares"
            )
        return f"{figure}, and no more than the {self.persons:,} persons concerned"

    def is_about(self, result: ThresholdResult) -> bool:
        """Whether it is the same threshold."""
        mine = (self.metric, self.combination, self.sensitive, self.arguments, self.noised)
        return (*mine, self.bound, self.limit) == threshold_key(result)

    def grown(self, result: ThresholdResult, persons: int | None) -> Iterator[str]:
        """Yield what grew since the threshold was let through; what nobody can count may have grown."""
        value, accepted = result.measurement.value, Limit(bound=result.limit.bound, value=self.accepts)
        if value is None or result.measurement.is_fault:
            yield f"{self.demand} can no longer be measured"
        elif not accepted.is_met_by(value):
            yield f"the figure of {self.metric} is {value:g}, worse than the accepted {self.accepts:g}"
        if self.persons is None or persons is None or persons > self.persons:
            counted = f"{persons:,}" if persons is not None else "an unknown number of"
            accepted_persons = f"{self.persons:,}" if self.persons is not None else "no number"
            yield f"it concerns {counted} persons, more than the accepted {accepted_persons}"


@dataclass(frozen=True, kw_only=True)
class Approval:
    """A valid exception: who let which thresholds of which source pass, why, and until when.

    ``source_sha256`` is None in an exception of the first form, which lets nothing through any more.
    """

    id: str
    by: str
    key_id: str
    reason: str
    expires: date
    waived: tuple[Waived, ...]
    source_sha256: str | None = None

    @property
    def excepted(self) -> Excepted:
        """It as the ledger carries it in what it let through."""
        return Excepted(
            id=self.id,
            by=self.by,
            key_id=self.key_id,
            reason=self.reason,
            expires=self.expires,
            thresholds=tuple(waived.text for waived in self.waived),
        )

    def document(self) -> dict[str, Any]:
        """Return it as the internal record carries it."""
        listed = {"expires": self.expires.isoformat(), "thresholds": list(self.excepted.thresholds)}
        return {**vars(self.excepted), **listed}

    def told(self) -> ApprovalTold:
        """Return it as manifests and attestations carry it: with the limits, without the figures."""
        demands = [waived.demand for waived in self.waived]
        return ApprovalTold.of({**self.document(), "thresholds": demands})


def valid_approvals(
    entries: Sequence["Entry"], policy: "Policy", data_set: str, today: date
) -> list[Approval]:
    """Return the exceptions of the ledger that hold today for this data set under exactly this policy.

    An exception whose signature is not an approver's of the policy, that is revoked, expired, longer than
    the policy allows, or made for another policy or data set is none.
    """
    revoked = {read(entry, Revoked).payload.exception_id for entry in entries if entry.kind == "revoked"}
    approvers = {parse_public_key(approver.key): approver.name for approver in policy.exceptions.approvers}
    approvals = []
    for entry in entries:
        if entry.kind != "exception" or entry.id in revoked:
            continue
        approval = _approval(entry, approvers, policy, data_set, today)
        if approval is not None:
            approvals.append(approval)
    return approvals


def _approval(
    entry: "Entry", approvers: Mapping[PublicKey, str], policy: "Policy", data_set: str, today: date
) -> Approval | None:
    try:
        envelope = unseal(read(entry, ExceptionMade).payload.envelope.encode("ascii"), PAYLOAD_TYPE)
        key = signer_of(envelope, approvers)
        signed = json.loads(envelope.payload)
        expires = date.fromisoformat(signed["expires"])
        made = datetime.fromisoformat(signed["made_at"]).astimezone(UTC).date()
        is_mine = (
            signed["format"] in {FORMAT, FIRST_FORMAT}
            and signed["id"] == entry.id
            and signed["data_set"] == data_set
            and signed["policy_sha256"] == policy.digest
            and made <= today <= expires <= made + timedelta(days=policy.exceptions.longest_days)
        )
        if not is_mine:
            return None
        return approval_signed(signed, by=approvers[key], key_id=key.id)
    except (ValueError, KeyError, TypeError, OverflowError):
        return None  # what cannot be read with certainty excuses nothing


def approval_signed(signed: Mapping[str, Any], *, by: str, key_id: str) -> Approval:
    """Return the exception that an approver signed."""
    is_first = signed["format"] == FIRST_FORMAT
    source = None if is_first else str(signed["source_sha256"])
    if not is_first and any(type(waived["persons"]) is not int for waived in signed["thresholds"]):
        raise ValueError("it says of no number of persons how many it lets pass")
    return Approval(
        id=signed["id"],
        by=by,
        key_id=key_id,
        reason=str(signed["reason"]),
        expires=date.fromisoformat(signed["expires"]),
        waived=tuple(Waived(**threshold) for threshold in signed["thresholds"]),
        source_sha256=source,
    )


@dataclass(frozen=True, kw_only=True)
class Covering:
    """The exceptions that together let everything pass; where none do, why those that are there do not."""

    approvals: tuple[Approval, ...] = ()
    doubts: tuple[str, ...] = ()


def approvals_of(context: "ReleaseContext", reader: "Reader") -> list[Approval]:
    """Return the exceptions of a ledger that hold today for this data set under exactly this policy."""
    entries = list(reader.entries(data_set=context.data_set, kinds={"exception", "revoked"}))
    return valid_approvals(entries, context.policy, context.data_set, context.today)


def approvals_for(
    context: "ReleaseContext",
    report: AuditReport,
    concerned: "Sequence[Concerned | None]",
    source_sha256: str,
    *,
    signed_by: str | None = None,
) -> Covering:
    """Return the exceptions that cover everything that is missed; none where something else blocks.

    Who signs releases cannot also let them through.

    Args:
        context: What was asked for.
        report: The audit.
        concerned: Whom each threshold concerns; None where nobody knows, which no exception covers.
        source_sha256: The digest of the source that was judged.
        signed_by: The id of the key that signed what is published already.
    """
    verdict = report.verdict
    if verdict is None or verdict.is_passed or verdict.blocks:
        return Covering()
    approvals = approvals_of(context, context.ledger)
    if not approvals:
        return Covering()
    own = None if context.key is None else context.key.public.id
    signers = {own, signed_by, *(parse_public_key(text).id for text in context.policy.release.signers)}
    missed = [
        (result, None if whom is None else whom.persons)
        for result, whom in zip(verdict.thresholds, concerned, strict=True)
        if result.is_blocking
    ]
    return covering(missed, approvals, source_sha256, signers)


def covering(
    missed: "Sequence[tuple[ThresholdResult, int | None]]",
    approvals: Sequence[Approval],
    source_sha256: str,
    release_keys: Collection[str | None],
) -> Covering:
    """Return the approvals that together cover every missed threshold, with its persons, or why not."""
    used: dict[str, Approval] = {}
    doubts: dict[str, None] = {}
    for result, persons in missed:
        for approval in approvals:
            waived = next((w for w in approval.waived if w.is_about(result)), None)
            if waived is None:
                continue
            doubt = _doubt(approval, list(waived.grown(result, persons)), source_sha256, release_keys)
            if doubt is None:
                used[approval.id] = approval
                break
            doubts[doubt] = None
        else:
            return Covering(doubts=tuple(doubts))
    return Covering(approvals=tuple(used.values()))


def _doubt(
    approval: Approval, grown: list[str], source_sha256: str, release_keys: Collection[str | None]
) -> str | None:
    """Return why an exception for this very threshold does not let it pass; None where it does."""
    called, anew = f"Exception {approval.id} lets nothing through", "a new exception is needed"
    if approval.key_id in release_keys:
        return (
            f"{called}: it is signed by key {approval.key_id[:12]}…, which signs releases; have an approver"
            " sign with another key."
        )
    if approval.source_sha256 is None:
        return f"{called}: it was made by an older qidguard and names neither source nor persons; {anew}."
    if approval.source_sha256 != source_sha256 or source_sha256 == NO_DIGEST:
        grown = [f"the source is another one ({source_sha256[:12]}…)", *grown]
    return f"{called}: {'; '.join(grown)}; {anew}." if grown else None


def _without(noised: str) -> str:
    left_out = json.loads(noised)["left_out"] if noised else ()
    return f" without {', '.join(left_out)} (noise)" if left_out else ""


def threshold_key(result: ThresholdResult) -> tuple[Any, ...]:
    """Return what tells a threshold from others: what is measured over which columns, and its limit."""
    figure, limit = result.measurement, result.limit
    arguments = json.dumps(dict(figure.arguments), sort_keys=True)
    noised = "" if figure.noised is None else noised_text(noised_document(figure.noised))
    asked = (figure.metric, limit.combination, figure.sensitive, arguments, noised)
    return (*asked, limit.bound.value, limit.value)


def told_key(told: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the same of a threshold as an audit's document lists it."""
    arguments = json.dumps(told["arguments"], sort_keys=True)
    noised = noised_text(told["noised"]) if told.get("noised") else ""
    asked = (told["metric"], told["combination"], told["sensitive"], arguments, noised)
    return (*asked, told["bound"], told["limit"])
