"""What an acceptance must be to the rest of the policy; each rule yields complaints."""

from collections.abc import Iterator

from qidguard.policy.accepted import Acceptance
from qidguard.policy.fields import PolicyFields
from qidguard.policy.origin import Complaint, FieldPath
from qidguard.policy.spelling import did_you_mean
from qidguard.policy.standing import SPOKEN, may_become_a_qid, qids_of, role_field


def accepted_rules(policy: PolicyFields) -> Iterator[Complaint]:
    """What is accepted is published, accepted once, and tells a QID.

    Example:
        >>> from qidguard.policy import Policy
        >>> policy = Policy(qidguard=1, name="demo", preset="pdpc-sg-5", roles={"quasi_identifiers": ["age"]})
        >>> list(accepted_rules(policy))
        []
    """
    seen: set[tuple[frozenset[str], str | None]] = set()
    for at, accepted in enumerate(policy.accepted):
        path: FieldPath = ("accepted", at)
        key = (frozenset(accepted.columns), accepted.tells)
        if key in seen:
            yield Complaint(path=path, sentence=f"{accepted.text} is accepted twice; keep one of them")
        seen.add(key)
        for position, column in enumerate(accepted.columns):
            why = _unpublished(policy, column)
            if why:
                sentence = f"column {column!r} is accepted, but {why} and so never published; remove it here"
                yield Complaint(path=(*path, "columns", position), sentence=sentence)
        yield from _told(policy, accepted, path)


def _told(policy: PolicyFields, accepted: Acceptance, path: FieldPath) -> Iterator[Complaint]:
    """Two columns are accepted for the QID that they tell, and no column for telling itself."""
    if accepted.tells is None:
        if len(accepted.columns) > 1:
            sentence = "two columns are accepted for what they tell together; write the QID as tells"
            yield Complaint(path=path, sentence=sentence)
        return
    qids, role = qids_of(policy), role_field(policy, accepted.tells)
    if accepted.tells in accepted.columns:
        sentence = f"column {accepted.tells!r} cannot tell itself; name the column that tells it"
        yield Complaint(path=(*path, "tells"), sentence=sentence)
    elif accepted.tells not in (*qids, *_moved(policy)) and not may_become_a_qid(policy, role):
        is_what = f"is {SPOKEN[role]}" if role else "has no role"
        hint = did_you_mean(accepted.tells, sorted(qids)) or "name the quasi-identifier that is told"
        sentence = f"tells is for a QID, and column {accepted.tells!r} {is_what}; {hint}"
        yield Complaint(path=(*path, "tells"), sentence=sentence)


def _unpublished(policy: PolicyFields, column: str) -> str:
    """Return why a column is never published; empty where it is."""
    if column in policy.release.drop:
        return "the policy drops it"
    if policy.series is not None and column in policy.series.columns:
        return "it is a column of the series"
    return "it is a direct identifier" if column in policy.roles.direct_identifiers else ""


def _moved(policy: PolicyFields) -> list[str]:
    """Return every date that is moved, as ``table.column``."""
    return [f"{name}.{column}" for name, table in policy.tables.items() for column in table.dates]
