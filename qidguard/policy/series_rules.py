"""What a series must be to the rest of the policy; each rule yields complaints."""

from collections.abc import Iterator

from qidguard.policy.fields import PolicyFields
from qidguard.policy.origin import Complaint
from qidguard.policy.standing import SPOKEN, qids_of, role_field

_HARMLESS = {None, "direct_identifiers", "insensitive"}
"""What a column of the series may also be: nothing that anybody measures."""


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
    if policy.release.earlier_releases == "unrelated":
        sentence = (
            "the policy has a series, and says that earlier releases are of other people; write"
            " earlier_releases: judged, or leave series out"
        )
        yield Complaint(path=("release", "earlier_releases"), sentence=sentence)
    qids = qids_of(policy)
    for field, column in series.places():
        role = "quasi_identifiers" if column in qids else role_field(policy, column)
        if role not in _HARMLESS:
            sentence = (
                f"column {column!r} is {field} of the series and so never published, and it is"
                f" {SPOKEN[str(role)]}, too; give the series a column of its own"
            )
            yield Complaint(path=("series", field), sentence=sentence)
