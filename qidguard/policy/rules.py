"""What a policy's fields must be to each other; each rule yields complaints with the field they concern."""

from collections.abc import Iterator, Mapping

from qidguard.core.naming import did_you_mean
from qidguard.policy.accepted import Acceptance
from qidguard.policy.fields import PolicyFields
from qidguard.policy.origin import Complaint, FieldPath
from qidguard.policy.preset import PRESETS
from qidguard.policy.series_rules import (
    SPOKEN,
    remedy_rules,
    repeated,
    series_rules,
    unrelated_rules,
    why_no_qid,
)
from qidguard.policy.table_rules import table_rules
from qidguard.policy.threshold import Attacker, Threshold

RESERVED_NAME = "default"

# Target and treatment say how a column is used, not what it is to a person; an entity is only counted.
_MAY_SHARE = {
    *(
        frozenset({use, role})
        for use in ("target", "treatment")
        for role in ("quasi_identifiers", "sensitive", "insensitive", "entity", "weight")
    ),
    frozenset({"target", "treatment"}),
    frozenset({"quasi_identifiers", "sensitive"}),  # an attacker may know it of some and learn it of others
    frozenset({"entity", "direct_identifiers"}),
    frozenset({"entity", "insensitive"}),
}


def broken_rules(policy: PolicyFields) -> Iterator[Complaint]:
    """Return a complaint for every rule that the policy breaks.

    Example:
        >>> from qidguard.policy import Policy
        >>> policy = Policy(qidguard=1, name="demo", preset="pdpc-sg-5", roles={"quasi_identifiers": ["age"]})
        >>> list(broken_rules(policy))
        []
    """
    yield from _two_roles(policy)
    yield from _combination_names(policy)
    yield from _attackers(policy)
    yield from _sensitive_of_thresholds(policy)
    yield from _normalized(policy)
    yield from _preset(policy)
    yield from _some_threshold(policy)
    yield from _some_gate(policy)
    yield from _approvers(policy)
    yield from _hierarchies(policy)
    yield from accepted_rules(policy)
    yield from remedy_rules(policy)
    yield from unrelated_rules(policy)
    yield from series_rules(policy)
    yield from table_rules(policy)


def _two_roles(policy: PolicyFields) -> Iterator[Complaint]:
    """No column plays two roles that exclude each other, whether named in the roles or in a combination."""
    places = list(policy.roles.places())
    role_of: dict[str, list[str]] = {}
    for field, path, column in places:
        for earlier in role_of.setdefault(column, []):
            if frozenset({earlier, field}) not in _MAY_SHARE:
                yield _conflict(path, column, earlier, field)
        role_of[column].append(field)
    for at, combination in enumerate(policy.combinations):
        for position, column in enumerate(combination.quasi_identifiers):
            for earlier in role_of.get(column, []):
                same = earlier == "quasi_identifiers"
                if not same and frozenset({earlier, "quasi_identifiers"}) not in _MAY_SHARE:
                    path = ("combinations", at, "quasi_identifiers", position)
                    yield _conflict(path, column, earlier, "quasi_identifiers")


def _conflict(path: FieldPath, column: str, earlier: str, later: str) -> Complaint:
    sentence = f"column {column!r} cannot be {SPOKEN[earlier]} and {SPOKEN[later]} at once; keep one role"
    return Complaint(path=path, sentence=sentence)


def _combination_names(policy: PolicyFields) -> Iterator[Complaint]:
    """Each combination has a name of its own."""
    again = set(repeated(combination.name for combination in policy.combinations))
    for at, combination in enumerate(policy.combinations):
        path: FieldPath = ("combinations", at, "name")
        if combination.name == RESERVED_NAME:
            sentence = f"the combination name {RESERVED_NAME!r} is that of the main one; choose another"
            yield Complaint(path=path, sentence=sentence)
        elif at in again:
            sentence = f"two combinations are named {combination.name!r}; rename one of them"
            yield Complaint(path=path, sentence=sentence)


def _attackers(policy: PolicyFields) -> Iterator[Complaint]:
    """Nobody knows more QIDs than there are; those that recognizers choose are not known yet."""
    if not policy.is_auto:
        yield from _attacker(("attacker", "knows_any"), policy.attacker, len(policy.roles.qids))
    for at, combination in enumerate(policy.combinations):
        path: FieldPath = ("combinations", at, "attacker", "knows_any")
        yield from _attacker(path, combination.attacker, len(combination.quasi_identifiers))


def _attacker(path: FieldPath, attacker: Attacker, qids: int) -> Iterator[Complaint]:
    if not isinstance(attacker, str) and attacker.knows_any > qids:
        columns = "1 QID" if qids == 1 else f"{qids} QIDs"
        sentence = f"knows_any is {attacker.knows_any}, but there is only {columns}; write at most {qids}"
        yield Complaint(path=path, sentence=sentence.replace("is only", "are only") if qids > 1 else sentence)


def _all_thresholds(policy: PolicyFields) -> Iterator[tuple[FieldPath, Threshold]]:
    yield from ((("thresholds", at), threshold) for at, threshold in enumerate(policy.thresholds))
    for number, combination in enumerate(policy.combinations):
        for at, threshold in enumerate(combination.thresholds):
            yield ("combinations", number, "thresholds", at), threshold


def _sensitive_of_thresholds(policy: PolicyFields) -> Iterator[Complaint]:
    """A threshold speaks of sensitive attributes that the roles name."""
    for path, threshold in _all_thresholds(policy):
        for column in threshold.sensitive_columns:
            if column not in policy.roles.sensitive:
                hint = did_you_mean(column, policy.roles.sensitive) or "add it to roles.sensitive"
                sentence = f"the threshold's sensitive {column!r} is not in roles.sensitive; {hint}"
                yield Complaint(path=(*path, "sensitive"), sentence=sentence)


def _normalized(policy: PolicyFields) -> Iterator[Complaint]:
    """Values are taken as one where they are measured beside classes; classes are what is published."""
    given = policy.source.normalize
    if given is None:
        return
    measured = policy.measured_columns
    path: FieldPath = ("source", "normalize")
    if not measured:
        sentence = "normalize is for sensitive columns, and the roles name none; add roles.sensitive"
        yield Complaint(path=path, sentence=sentence)
    elif isinstance(given, Mapping):
        for column in given:
            if column not in measured:
                hint = did_you_mean(column, measured)
                sentence = (
                    f"normalize names {column!r}, which is not a sensitive column (classes of"
                    f" quasi-identifiers are counted as they are published); {hint}"
                )
                yield Complaint(path=(*path, column), sentence=sentence)


def _preset(policy: PolicyFields) -> Iterator[Complaint]:
    """The preset exists, and what only a person can certify is attested."""
    if policy.preset is None:
        return
    preset = PRESETS.get(policy.preset)
    if preset is None:
        hint = did_you_mean(policy.preset, PRESETS) or "list them with: qidguard policy presets"
        sentence = f"there is no preset {policy.preset!r}; {hint}"
        yield Complaint(path=("preset",), sentence=sentence)
    elif preset.attest and not policy.attestations:
        sentence = (
            f"preset {preset.name!r} asks for what no tool can certify; "
            f"add an attestation that {'; that '.join(preset.attest)}"
        )
        yield Complaint(path=("preset",), sentence=sentence)


def _some_threshold(policy: PolicyFields) -> Iterator[Complaint]:
    """Something is measured, and no combination is listed without being judged."""
    if policy.preset is not None and policy.preset not in PRESETS:
        return
    if not policy.preset_thresholds:
        for at, combination in enumerate(policy.combinations):
            if not combination.thresholds:
                sentence = f"combination {combination.name!r} has no threshold; add one or remove it"
                yield Complaint(path=("combinations", at), sentence=sentence)
        if not policy.thresholds and not policy.combinations:
            also = "" if policy.preset is None else f", and preset {policy.preset!r} brings none"
            sentence = (
                f"the policy sets no threshold{also}, so nothing can pass it; "
                "write for example thresholds: [{metric: k_anonymity, at_least: 5}]"
            )
            yield Complaint(path=("thresholds",), sentence=sentence)


def _some_gate(policy: PolicyFields) -> Iterator[Complaint]:
    """At least one threshold blocks."""
    if policy.preset is not None and policy.preset not in PRESETS:
        return
    thresholds = [*_all_thresholds(policy), *((("preset",), t) for t in policy.preset_thresholds)]
    if thresholds and all(threshold.on_miss == "warn" for _, threshold in thresholds):
        sentence = "every threshold only warns, so nothing would ever block; write on_miss: block for one"
        yield Complaint(path=(*thresholds[0][0], "on_miss"), sentence=sentence)


def _approvers(policy: PolicyFields) -> Iterator[Complaint]:
    """Each approver is one person with one key."""
    for field, sentence in (
        ("name", "two approvers have this name; write each person once, in full"),
        ("key", "two approvers have this key; each signs with a key of their own"),
    ):
        for at in repeated(getattr(approver, field) for approver in policy.exceptions.approvers):
            yield Complaint(path=("exceptions", "approvers", at, field), sentence=sentence)


def _hierarchies(policy: PolicyFields) -> Iterator[Complaint]:
    """Only QIDs are generalized; a column that recognizers or a default may make one has no role yet."""
    for column in policy.hierarchies:
        if sentence := why_no_qid(policy, column, "hierarchies are"):
            yield Complaint(path=("hierarchies", column), sentence=sentence)


def accepted_rules(policy: PolicyFields) -> Iterator[Complaint]:
    """What is accepted is published, accepted once, and tells a QID.

    Example:
        >>> from qidguard.policy import Policy
        >>> policy = Policy(qidguard=1, name="demo", preset="pdpc-sg-5", roles={"quasi_identifiers": ["age"]})
        >>> list(accepted_rules(policy))
        []
    """
    again = set(repeated((frozenset(one.columns), one.tells) for one in policy.accepted))
    for at, accepted in enumerate(policy.accepted):
        path: FieldPath = ("accepted", at)
        if at in again:
            yield Complaint(path=path, sentence=f"{accepted.text} is accepted twice; keep one of them")
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
    if accepted.tells in accepted.columns:
        sentence = f"column {accepted.tells!r} cannot tell itself; name the column that tells it"
        yield Complaint(path=(*path, "tells"), sentence=sentence)
    elif accepted.tells not in _moved(policy):
        remedy = "name the quasi-identifier that is told"
        sentence = why_no_qid(policy, accepted.tells, "tells is", of="a QID", remedy=remedy, is_listed=True)
        if sentence:
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
