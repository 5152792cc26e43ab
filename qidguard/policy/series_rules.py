"""What a series, and what is said of others, must be to the rest of the policy; rules yield complaints."""

from collections.abc import Hashable, Iterable, Iterator, Mapping

from qidguard.core.naming import did_you_mean, folded
from qidguard.policy.fields import PolicyFields
from qidguard.policy.origin import Complaint
from qidguard.policy.recoding import DROP, Level
from qidguard.policy.release import ReleaseSettings

_HARMLESS = {None, "direct_identifiers", "insensitive"}
"""What a column of the series may also be: nothing that anybody measures."""


def unrelated_fields(release: ReleaseSettings) -> list[str]:
    """Return the fields that say that earlier releases of the policy's own data set are unrelated.

    Example:
        >>> unrelated_fields(ReleaseSettings(earlier_releases="unrelated"))
        ['earlier_releases']
    """
    fields = ["earlier_releases"] if release.earlier_releases == "unrelated" else []
    is_named = release.data_set is not None and release.why_unrelated(release.data_set) is not None
    return [*fields, "unrelated"] if is_named else fields


def unrelated_rules(policy: PolicyFields) -> Iterator[Complaint]:
    """A data set is said to be unrelated once.

    Example:
        >>> from qidguard.policy import Policy
        >>> policy = Policy(qidguard=1, name="demo", preset="pdpc-sg-5", roles={"quasi_identifiers": ["age"]})
        >>> list(unrelated_rules(policy))
        []
    """
    unrelated = policy.release.unrelated
    for at in repeated(folded(one.data_set) for one in unrelated):
        sentence = f"the data set {unrelated[at].data_set!r} is named twice; keep one of them"
        yield Complaint(path=("release", "unrelated", at, "data_set"), sentence=sentence)


def series_rules(policy: PolicyFields) -> Iterator[Complaint]:
    """A series follows persons over its releases, and publishes no column that tells of their stay.

    Example:
        >>> from qidguard.policy import Policy
        >>> policy = Policy(qidguard=1, name="demo", preset="pdpc-sg-5", roles={"quasi_identifiers": ["age"]})
        >>> list(series_rules(policy))
        []
    """
    series = policy.series
    if series is None:
        return
    if policy.roles.entity is None:
        sentence = "a series follows persons, and the policy names no roles.entity; name the person's column"
        yield Complaint(path=("series",), sentence=sentence)
    for field in unrelated_fields(policy.release):
        sentence = (
            "the policy has a series, and says that earlier releases are of other people; write"
            " earlier_releases: judged and do not name the series itself under unrelated, or leave series out"
        )
        yield Complaint(path=("release", field), sentence=sentence)
    qids = qids_of(policy)
    for field, column in series.places():
        role = "quasi_identifiers" if column in qids else role_field(policy, column)
        if role not in _HARMLESS:
            sentence = (
                f"column {column!r} is {field} of the series and so never published, and it is"
                f" {SPOKEN[str(role)]}, too; give the series a column of its own"
            )
            yield Complaint(path=("series", field), sentence=sentence)


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
    for column, level in levels.items():
        path = ("remedy", "recode", column)
        if sentence := why_no_qid(policy, column, "recode is"):
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


def why_no_qid(
    policy: PolicyFields,
    column: str,
    what: str,
    *,
    of: str = "QIDs",
    remedy: str = "remove it, or add the column to roles.quasi_identifiers",
    is_listed: bool = False,
) -> str:
    """Return that ``what`` is for QIDs, and what else a column is; empty where it is one or may become one.

    A recognizer or a default may yet make one of a column without a role, or of a target or treatment.
    """
    qids, role = qids_of(policy), role_field(policy, column)
    may_become = policy.is_auto or policy.unnamed_columns == "quasi_identifier"
    if column in qids or (may_become and role in {None, "target", "treatment"}):
        return ""
    is_what = f"is {SPOKEN[role]}" if role else "has no role"
    hint = did_you_mean(column, sorted(qids), is_listed=is_listed) or remedy
    return f"{what} for {of}, and column {column!r} {is_what}; {hint}"


def repeated(values: Iterable[Hashable]) -> Iterator[int]:
    """Yield the places of values that stood before.

    Example:
        >>> list(repeated("abca"))
        [3]
    """
    seen: set[Hashable] = set()
    for at, value in enumerate(values):
        if value in seen:
            yield at
        seen.add(value)
