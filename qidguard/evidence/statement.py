"""The statement about a release: an in-toto Statement whose predicate is the minimal public record."""

import re
from collections.abc import Mapping
from typing import Any

from qidguard.core.errors import InternalError
from qidguard.core.verdict import Bound, Limit
from qidguard.evidence.canonical import canonical_bytes, read_canonical
from qidguard.evidence.fault import EvidenceFault
from qidguard.evidence.parts import APPROVAL, LEDGER_ENTRY, OUTCOME, POLICY, agree_on_exceptions, file_name
from qidguard.evidence.shape import (
    boolean,
    count,
    day_or_instant,
    digest,
    either,
    figures,
    instant,
    list_of,
    mapping_of,
    number,
    one_of,
    optional,
    record,
    text,
)

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:qidguard:release:v1"

_NEVER_PUBLIC = frozenset({"seed", "seeds", "classes", "values"})
"""Words that no name in the predicate may contain: what they stand for helps an attacker."""

_THRESHOLD = record(
    metric=text,
    combination=text,
    bound=one_of("at_least", "at_most"),
    limit=number,
    value=optional(number),
    unit=text,
    is_met=boolean,
    is_warning=boolean,
)

_PREDICATE = record(
    release_id=text,
    data_set=text,
    released_at=instant,
    policy=POLICY,
    versions=mapping_of(text),
    transformations=list_of(either(str, text, record(technique=text, columns=count, records=count))),
    information_loss=figures,
    verdict=record(outcome=OUTCOME, thresholds=list_of(_THRESHOLD)),
    approvals=list_of(APPROVAL),
    attestations=list_of(record(statement=text, by=text, on=day_or_instant)),
    ledger=optional(LEDGER_ENTRY),
    record_sha256=digest,
)
"""Everything that is said in public of how a release came about; nothing else can be."""

_STATEMENT = record(
    _type=one_of(STATEMENT_TYPE),
    subject=list_of(record(name=file_name, digest=record(sha256=digest))),
    predicateType=one_of(PREDICATE_TYPE),
    predicate=_PREDICATE,
)


def statement_bytes(subjects: Mapping[str, str], predicate: Mapping[str, Any]) -> bytes:
    r"""Return the statement about a release as canonical JSON.

    The form is that of the in-toto Attestation Framework, Statement v1. Integers stay integers.

    Args:
        subjects: File name → SHA-256, hex, of every data file and of the manifest.
        predicate: Exactly the fields ``release_id``, ``data_set``, ``released_at``, ``policy``, ``versions``,
            ``transformations``, ``information_loss``, ``verdict``, ``approvals``, ``attestations``,
            ``ledger`` and ``record_sha256``; a figure that could not be measured is None.

    Returns:
        The bytes to be sealed.

    Units:
        Figures in their metric's unit, named beside them.

    Raises:
        InternalError: when a field is missing, of another kind, or not one of those that may be public.

    Example:
        >>> statement_bytes({}, {"seed": 7})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        qidguard.core.errors.InternalError: The public attestation cannot be written: predicate has a...
    """
    try:
        content = canonical_bytes(
            {
                "_type": STATEMENT_TYPE,
                "subject": [
                    {"name": name, "digest": {"sha256": sha256}} for name, sha256 in sorted(subjects.items())
                ],
                "predicateType": PREDICATE_TYPE,
                "predicate": predicate,
            }
        )
        read_statement(content)
    except EvidenceFault as fault:
        raise InternalError(f"The public attestation cannot be written: {fault}") from None
    return content


def read_statement(content: bytes) -> dict[str, Any]:
    r"""Return a statement about a release, every field checked.

    Args:
        content: Canonical JSON, the payload of an envelope.

    Returns:
        The statement as dictionaries and lists.

    Units:
        Figures in their metric's unit, named beside them.

    Raises:
        EvidenceFault: when it is not canonical, or has another form than ``statement_bytes`` writes.

    Example:
        >>> read_statement(b"{}\n")
        Traceback (most recent call last):
        ...
        qidguard.evidence.fault.EvidenceFault: _type is missing
    """
    statement: dict[str, Any] = read_canonical(content)
    _STATEMENT("", statement)
    predicate = statement["predicate"]
    _refuse_private_names(predicate, "predicate")
    agree_on_exceptions(predicate["verdict"]["outcome"], len(predicate["approvals"]))
    _agree_with_itself(predicate["verdict"])
    if len(subjects_of(statement)) < len(statement["subject"]):
        raise EvidenceFault("subject names a file twice")
    return statement


def subjects_of(statement: Mapping[str, Any]) -> dict[str, str]:
    """Return the files that a statement is about.

    Args:
        statement: As ``read_statement`` returns it.

    Returns:
        File name → SHA-256, hex.

    Units:
        None.

    Raises:
        KeyError: when it is no statement.

    Example:
        >>> subjects_of({"subject": [{"name": "a.csv", "digest": {"sha256": "00"}}]})
        {'a.csv': '00'}
    """
    return {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}


def _agree_with_itself(verdict: Mapping[str, Any]) -> None:
    """Refuse thresholds that hold only by their word, and a pass over one that does not hold."""
    thresholds = verdict["thresholds"]
    for position, threshold in enumerate(thresholds):
        limit = Limit(bound=Bound(threshold["bound"]), value=threshold["limit"])
        # an infinite figure is null in JSON, so null contradicts nothing
        if threshold["value"] is not None and limit.is_met_by(threshold["value"]) != threshold["is_met"]:
            raise EvidenceFault(f"predicate.verdict.thresholds[{position}] contradicts its own figures")
    blocking = [t["is_met"] for t in thresholds if not t["is_warning"]]
    if verdict["outcome"] == "passed" and not (blocking and all(blocking)):
        raise EvidenceFault("predicate.verdict has passed without every blocking threshold being met")


def _refuse_private_names(value: Any, place: str) -> None:
    if isinstance(value, list):
        for position, item in enumerate(value):
            _refuse_private_names(item, f"{place}[{position}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            if _NEVER_PUBLIC & set(re.split(r"[^a-z]+", name.casefold())):
                raise EvidenceFault(f"{place} has a name that speaks of {', '.join(sorted(_NEVER_PUBLIC))}")
            _refuse_private_names(item, f"{place}.{name}")
