"""Exceptions: recorded, signed and expiring leave to publish although named thresholds are missed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from qidguard.core.statistic import Number
from qidguard.core.verdict import Bound, Limit, ThresholdResult
from qidguard.evidence.dsse import unseal
from qidguard.evidence.keys import parse_public_key

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.ledger import Entry

FORMAT = "qidguard-exception/1"
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
    """

    metric: str
    combination: str
    sensitive: str | None
    arguments: str
    bound: str
    limit: Number
    accepts: Number

    @property
    def text(self) -> str:
        """The threshold on one line, such as ``k_anonymity ≥ 5 (accepted: 3)``."""
        sign = "≥" if self.bound == Bound.AT_LEAST else "≤"
        of = f" of {self.sensitive}" if self.sensitive is not None else ""
        place = "" if self.combination == "default" else f" over {self.combination}"
        return f"{self.metric}{of}{place} {sign} {self.limit:g} (accepted: {self.accepts:g})"

    def covers(self, result: ThresholdResult) -> bool:
        """Whether this lets a missed threshold pass: the same threshold, and no worse a figure."""
        value = result.measurement.value
        if value is None or result.measurement.is_fault:
            return False
        mine = (self.metric, self.combination, self.sensitive, self.arguments, self.bound, self.limit)
        accepted = Limit(bound=result.limit.bound, value=self.accepts)
        return mine == _threshold_key(result) and accepted.is_met_by(value)


@dataclass(frozen=True, kw_only=True)
class Approval:
    """A valid exception: who let which thresholds pass, why, and until when."""

    id: str
    by: str
    key_id: str
    reason: str
    expires: date
    waived: tuple[Waived, ...]

    def document(self) -> dict[str, Any]:
        """Return it as manifests, attestations and records carry it."""
        return {
            "id": self.id,
            "by": self.by,
            "key_id": self.key_id,
            "reason": self.reason,
            "expires": self.expires.isoformat(),
            "thresholds": [waived.text for waived in self.waived],
        }


def valid_approvals(
    entries: Sequence["Entry"], policy: "Policy", data_set: str, today: date
) -> list[Approval]:
    """Return the exceptions of the ledger that hold today for this data set under exactly this policy.

    An exception whose signature is not an approver's of the policy, that is revoked, expired, longer than
    the policy allows, or made for another policy or data set is none.
    """
    revoked = {entry.payload.get("exception_id") for entry in entries if entry.kind == "revoked"}
    approvers = {
        (key := parse_public_key(approver.key)).id: (approver.name, key)
        for approver in policy.exceptions.approvers
    }
    found = []
    for entry in entries:
        if entry.kind != "exception" or entry.id in revoked:
            continue
        approval = _approval(entry, approvers, policy, data_set, today)
        if approval is not None:
            found.append(approval)
    return found


def _approval(
    entry: "Entry", approvers: dict[str, Any], policy: "Policy", data_set: str, today: date
) -> Approval | None:
    try:
        envelope = unseal(str(entry.payload["envelope"]).encode("ascii"), PAYLOAD_TYPE)
        signed_by = next(
            (
                approvers[key_id]
                for key_id, signature in envelope.signatures
                if key_id in approvers
                and approvers[key_id][1].is_signature_of(signature, envelope.signed_bytes)
            ),
            None,
        )
        if signed_by is None:
            return None
        said = json.loads(envelope.payload)
        expires = date.fromisoformat(said["expires"])
        made = datetime.fromisoformat(said["made_at"]).astimezone(UTC).date()
        is_mine = (
            said["format"] == FORMAT
            and said["id"] == entry.id
            and said["data_set"] == data_set
            and said["policy_sha256"] == policy.digest
            and made <= today <= expires <= made + timedelta(days=policy.exceptions.longest_days)
        )
        if not is_mine:
            return None
        name, key = signed_by
        return Approval(
            id=entry.id,
            by=name,
            key_id=key.id,
            reason=str(said["reason"]),
            expires=expires,
            waived=tuple(Waived(**threshold) for threshold in said["thresholds"]),
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        return None  # what cannot be read with certainty excuses nothing


def covering(missed: Sequence[ThresholdResult], approvals: Sequence[Approval]) -> tuple[Approval, ...] | None:
    """Return the approvals that together cover every missed threshold; None where one is not covered."""
    used: dict[str, Approval] = {}
    for result in missed:
        approval = next((a for a in approvals if any(w.covers(result) for w in a.waived)), None)
        if approval is None:
            return None
        used[approval.id] = approval
    return tuple(used.values())


def _threshold_key(result: ThresholdResult) -> tuple[str, str, str | None, str, str, Number]:
    figure = result.measurement
    arguments = json.dumps(dict(figure.arguments), sort_keys=True)
    return (
        figure.metric,
        result.limit.combination,
        figure.sensitive,
        arguments,
        result.limit.bound.value,
        result.limit.value,
    )
