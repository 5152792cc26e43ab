"""What fixed levels must be to the rest of the policy; each rule yields complaints."""

from collections.abc import Iterator, Mapping

from qidguard.policy.fields import PolicyFields
from qidguard.policy.origin import Complaint
from qidguard.policy.recoding import DROP, Level
from qidguard.policy.spelling import did_you_mean
from qidguard.policy.standing import SPOKEN, may_become_a_qid, qids_of, role_field


def remedy_rules(policy: PolicyFields) -> Iterator[Complaint]:
    """Fixed levels are of quasi-identifiers, and of hierarchies that the policy declares.

    Example:
        >>> from qidguard.policy import Policy
        >>> policy = Policy(qidguard=1, name="demo", preset="pdpc-sg-5", roles={"quasi_identifiers": ["age"]})
        >>> list(remedy_rules(policy))
        []
    """
    if policy.remedy is not None and policy.remedy.recode is not None:
        yield from recode_rules(policy, policy.remedy.recode)


def recode_rules(policy: PolicyFields, levels: Mapping[str, Level]) -> Iterator[Complaint]:
    """Yield a complaint for each column that cannot be published on its level."""
    qids = qids_of(policy)
    for column, level in levels.items():
        path = ("remedy", "recode", column)
        role = role_field(policy, column)
        if column not in qids and not may_become_a_qid(policy, role):
            is_what = f"is {SPOKEN[role]}" if role else "has no role"
            hint = did_you_mean(column, sorted(qids), is_listed=False)
            hint = hint or "remove it, or add the column to roles.quasi_identifiers"
            sentence = f"recode is for QIDs, and column {column!r} {is_what}; {hint}"
            yield Complaint(path=path, sentence=sentence)
        elif column in policy.roles.sensitive and level != 0:
            sentence = (
                f"recode changes no sensitive attribute, and the QID {column!r} is one, too; leave it out"
            )
            yield Complaint(path=path, sentence=sentence)
        elif level not in {0, DROP} and column not in policy.hierarchies:
            sentence = (
                f"recode puts column {column!r} on level {level}, and the policy declares no hierarchy of"
                " it; add one under hierarchies, or drop the column"
            )
            yield Complaint(path=path, sentence=sentence)
