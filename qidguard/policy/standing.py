"""What a column is under a policy, before any table is seen."""

from qidguard.policy.fields import PolicyFields

SPOKEN = {
    "quasi_identifiers": "a QID",
    "sensitive": "sensitive",
    "direct_identifiers": "a direct identifier",
    "insensitive": "insensitive",
    "target": "the target",
    "treatment": "the treatment",
    "entity": "the entity",
    "weight": "the weight",
}
"""A field of ``roles`` → how a sentence calls its columns."""


def qids_of(policy: PolicyFields) -> set[str]:
    """Return every QID that the policy names, in its roles or a combination."""
    return {*policy.roles.qids, *(q for other in policy.combinations for q in other.quasi_identifiers)}


def role_field(policy: PolicyFields, column: str) -> str | None:
    """Return the field of ``roles`` that names a column first; None where none does."""
    return next((field for field, _, name in policy.roles.places() if name == column), None)


def may_become_a_qid(policy: PolicyFields, role: str | None) -> bool:
    """Whether a recognizer or a default may yet make a column of this role a QID."""
    may_become = policy.is_auto or policy.unnamed_columns == "quasi_identifier"
    return may_become and role in {None, "target", "treatment"}
