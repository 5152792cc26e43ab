"""What a series, and what is said of others, must be to the rest of the policy; rules yield complaints."""

from collections.abc import Iterator

from qidguard.core.naming import folded
from qidguard.policy.fields import PolicyFields
from qidguard.policy.origin import Complaint
from qidguard.policy.release import Release
from qidguard.policy.standing import SPOKEN, qids_of, role_field

_HARMLESS = {None, "direct_identifiers", "insensitive"}
"""What a column of the series may also be: nothing that anybody measures."""


def unrelated_fields(release: Release) -> list[str]:
    """Return the fields that say that earlier releases of the policy's own data set are unrelated.

    Example:
        >>> unrelated_fields(Release(earlier_releases="unrelated"))
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
    seen: set[str] = set()
    for at, one in enumerate(policy.release.unrelated):
        if folded(one.data_set) in seen:
            sentence = f"the data set {one.data_set!r} is named twice; keep one of them"
            yield Complaint(path=("release", "unrelated", at, "data_set"), sentence=sentence)
        seen.add(folded(one.data_set))


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
