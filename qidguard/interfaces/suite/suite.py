"""A policy as an expectation suite: plain values, as a project's file holds them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from qidguard.auditing.demands import Demand, demands
from qidguard.interfaces.suite.demand import Line, line_of, why_not_alone
from qidguard.interfaces.suite.embedded import batch_policy, policy_kwargs
from qidguard.policy.origin import value_digest

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy

GX_VERSION = "1.24.1"
"""The version of Great Expectations whose files these are; a suite names one."""
MARK = "qidguard"
"""The key in ``meta`` by which a suite, or one of its expectations, is known to come from a policy."""

WRITTEN = "written_sha256"
"""The key below it that holds the digest of an expectation as it was written."""

_OURS = UUID("5b0d6c1e-6f0a-4c52-9d0b-2b8d1f0c7a11")

Document = Mapping[str, Any]


def written_digest(type_: str, kwargs: Mapping[str, Any]) -> str:
    """Return what tells an expectation as it was written from one that somebody changed, hex."""
    return value_digest({"type": type_, "kwargs": dict(kwargs)})


def stable_id(*names: str) -> str:
    """Return an id that depends on names alone, so that a changed limit is one changed line in a review.

    Example:
        >>> stable_id("suite", "visits") == stable_id("suite", "visits")
        True
    """
    return str(uuid5(_OURS, "\n".join(names)))


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A suite and what a reader must know beside it.

    Args:
        document: The suite as a project's file holds it.
        notes: Which demands of the policy do not stand in it by themselves and why, one sentence each.
    """

    document: Document
    notes: tuple[str, ...]


def suite_of(
    policy: "Policy", name: str, host: "Host", *, has_history: bool = True, has_original: bool = True
) -> Suite:
    """Return the suite of a policy: one expectation for each demand, and the whole verdict last.

    Example:
        >>> from qidguard.policy import load_policy
        >>> from qidguard.host import load_host
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
        >>> suite = suite_of(load_policy(fields), "visits", load_host())
        >>> [expectation["type"] for expectation in suite.document["expectations"]][0]
        'expect_table_k_anonymity_to_be_at_least'
    """
    lines: list[Line] = []
    notes: dict[str, None] = {}
    approved: dict[str, Any] = {"policy": policy.name, "sha256": policy.digest}
    left_out: Mapping[str, str] = {}
    if not (has_history and has_original):
        policy, left_out = batch_policy(policy, host, has_history=has_history, has_original=has_original)
    if left_out:
        # what is judged is another policy than the reviewed file, and says so
        approved |= {"sha256": policy.digest, "reviewed_sha256": approved["sha256"]}
        approved |= {"left_to_the_release": list(left_out)}
    for metric, known in left_out.items():
        notes[f"{metric} is left to the release, which knows {known}."] = None
    for demand in _demands(policy, host):
        reason = why_not_alone(policy, demand)
        if reason:
            notes[f"{demand.question.metric.name} stands in the whole verdict alone: {reason}."] = None
        else:
            lines.append(line_of(policy, demand))
    if not policy.is_auto and policy.unnamed_columns == "block":
        lines.append(_columns(policy, approved["sha256"]))
    whole = "expect_table_to_meet_privacy_policy"
    lines.append(Line(type=whole, kwargs=policy_kwargs(policy), identity=(), meta=approved))
    document = {
        "expectations": list(_expectations(name, lines)),
        "id": stable_id("suite", name),
        "meta": {"great_expectations_version": GX_VERSION, MARK: approved},
        "name": name,
        "notes": policy.description or None,
    }
    return Suite(document=document, notes=tuple(notes))


def _demands(policy: "Policy", host: "Host") -> list[Demand]:
    """Return what the policy asks of columns that it names; every metric is checked all the same."""
    if policy.is_auto:
        demands(policy, ("any",), host)
        return []
    return demands(policy, policy.roles.qids, host)


def _columns(policy: "Policy", digest: str) -> Line:
    return Line(
        type="expect_table_columns_to_be_as_approved",
        kwargs={
            "columns": list(policy.decided_columns),
            "policy_name": policy.name,
            "policy_sha256": digest,
        },
        identity=(),
    )


def _expectations(suite: str, lines: list[Line]) -> Iterator[Document]:
    seen: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        identity = (line.type, *line.identity)
        seen[identity] += 1
        mark = line.meta or {WRITTEN: written_digest(line.type, line.kwargs)}
        expectation = {
            "id": stable_id("expectation", suite, *identity, str(seen[identity])),
            "kwargs": dict(line.kwargs),
            "meta": {MARK: dict(mark)},
            "severity": line.severity,
            "type": line.type,
        }
        yield expectation | ({"notes": line.notes} if line.notes else {})
