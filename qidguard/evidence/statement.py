"""The statement about a release: an in-toto Statement whose predicate is the minimal public record.

What is written is of the third version: it states differential privacy, and over which columns thresholds
hold where some have noise. The second said nothing of it, and the first named every figure as it was
measured; both are still read.
"""

import re
from collections.abc import Mapping
from typing import Any

from qidguard.core.errors import InternalError
from qidguard.core.new_table import NewTableFacts, NewTableKind
from qidguard.core.verdict import Bound, Limit
from qidguard.evidence.canonical import EvidenceFault, canonical_bytes, read_canonical
from qidguard.evidence.privacy import NOISED, NOISED_QIDS, PRIVACY, check_noised, check_privacy
from qidguard.evidence.public import LEAST, check_band, check_figure
from qidguard.evidence.shape import (
    APPROVAL,
    OUTCOME,
    POLICY,
    Shape,
    agree_on_exceptions,
    any_text,
    boolean,
    count,
    day_or_instant,
    digest,
    either,
    figures,
    file_name,
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
PREDICATE_TYPE = "urn:qidguard:release:v3"
SECOND_PREDICATE_TYPE = "urn:qidguard:release:v2"
FIRST_PREDICATE_TYPE = "urn:qidguard:release:v1"

_NEVER_PUBLIC = frozenset({"seed", "seeds", "classes", "values"})
"""Words that no name in the predicate may contain: what they stand for helps an attacker."""


def _threshold(value: Shape, **more: Shape) -> Shape:
    return record(
        **more,
        metric=text,
        combination=text,
        bound=one_of("at_least", "at_most"),
        limit=number,
        value=optional(value),
        unit=text,
        is_met=boolean,
        is_warning=boolean,
    )


_SHARED: dict[str, Shape] = {
    "release_id": text,
    "data_set": text,
    "released_at": instant,
    "policy": POLICY,
    "versions": mapping_of(text),
    "approvals": list_of(APPROVAL),
    "attestations": list_of(record(statement=text, by=text, on=day_or_instant)),
    "record_sha256": digest,
}

_FIRST_PREDICATE = record(
    **_SHARED,
    transformations=list_of(either(str, text, record(technique=text, columns=count, records=count))),
    information_loss=figures,
    verdict=record(outcome=OUTCOME, thresholds=list_of(_threshold(number))),
    ledger=optional(record(sequence=count, hash=digest)),
)

_BAND = record(**{"from": count, "to": count})

_SECOND: dict[str, Shape] = _SHARED | {
    "least_count": count,
    "transformations": list_of(record(technique=text, columns=count, records=_BAND)),
    "information_loss": record(records_suppressed=_BAND, columns_dropped=count, columns_published=count),
    "verdict": record(outcome=OUTCOME, thresholds=list_of(_threshold(count))),
    "accepted": list_of(
        record(columns=list_of(any_text), tells=optional(any_text), reason=text, by=optional(text))
    ),
    "outside_qids": optional(record(columns=count, persons_unique=_BAND)),
    "undone": list_of(record(columns=list_of(any_text), tells=any_text, is_met=boolean, is_accepted=boolean)),
    "ledger": optional(record(hash=digest)),
}

_THIRD: dict[str, Shape] = _SECOND | {
    "verdict": record(outcome=OUTCOME, thresholds=list_of(_threshold(count, noised=optional(NOISED_QIDS)))),
    "information_loss": record(
        records_suppressed=optional(_BAND), columns_dropped=count, columns_published=count
    ),
    "privacy": optional(PRIVACY),
    "noised": NOISED,
    "new_table": optional(record(kind=one_of(*NewTableKind), counts=optional(text), sentence=text)),
}

_PREDICATE = record(**_THIRD)
"""Everything that is said in public of how a release came about; nothing else can be."""

_PREDICATES = {
    FIRST_PREDICATE_TYPE: _FIRST_PREDICATE,
    SECOND_PREDICATE_TYPE: record(**_SECOND),
    PREDICATE_TYPE: _PREDICATE,
}


def _predicate(place: str, value: Any) -> None:
    """Refuse what is no object; its shape depends on its type."""
    if not isinstance(value, dict):
        raise EvidenceFault(f"{place} is not an object")


_STATEMENT = record(
    _type=one_of(STATEMENT_TYPE),
    subject=list_of(record(name=file_name, digest=record(sha256=digest))),
    predicateType=one_of(*_PREDICATES),
    predicate=_predicate,
)


def statement_bytes(subjects: Mapping[str, str], predicate: Mapping[str, Any]) -> bytes:
    r"""Return the statement about a release as canonical JSON.

    The form is that of the in-toto Attestation Framework, Statement v1. Integers stay integers.
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
    r"""Return a statement about a release, every field checked."""
    statement: dict[str, Any] = read_canonical(content)
    _STATEMENT("", statement)
    predicate = statement["predicate"]
    _PREDICATES[statement["predicateType"]]("predicate", predicate)
    if statement["predicateType"] != FIRST_PREDICATE_TYPE:
        _check_told(predicate)
    check_privacy("predicate.privacy", predicate.get("privacy"))
    if statement["predicateType"] == PREDICATE_TYPE:
        check_noised("predicate.verdict.thresholds", predicate["privacy"], predicate["verdict"])
    _refuse_private_names(predicate, "predicate")
    agree_on_exceptions(predicate["verdict"]["outcome"], len(predicate["approvals"]))
    _agree_with_itself(predicate["verdict"])
    if len(subjects_of(statement)) < len(statement["subject"]):
        raise EvidenceFault("subject names a file twice")
    return statement


def subjects_of(statement: Mapping[str, Any]) -> dict[str, str]:
    """Return the files that a statement is about.

    Example:
        >>> subjects_of({"subject": [{"name": "a.csv", "digest": {"sha256": "00"}}]})
        {'a.csv': '00'}
    """
    return {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}


def _check_told(predicate: Mapping[str, Any]) -> None:
    """Refuse counts and figures that tell more than a public document may."""
    least = predicate["least_count"]
    if least < LEAST:
        raise EvidenceFault(f"predicate.least_count is below {LEAST}")
    suppressed = predicate["information_loss"]["records_suppressed"]
    if (suppressed is None) != (predicate.get("new_table") is not None):
        raise EvidenceFault("predicate.information_loss tells of records where a table is new, or of none")
    if suppressed is not None:
        check_band("predicate.information_loss.records_suppressed", suppressed, least)
    _check_new_table(predicate)
    for position, done in enumerate(predicate["transformations"]):
        check_band(f"predicate.transformations[{position}].records", done["records"], least)
    outside = predicate["outside_qids"]
    if outside is not None:
        check_band("predicate.outside_qids.persons_unique", outside["persons_unique"], least)
    for position, undone in enumerate(predicate["undone"]):
        if not (undone["is_met"] or undone["is_accepted"]):
            raise EvidenceFault(f"predicate.undone[{position}] does not hold, and nobody accepted it")
    for position, threshold in enumerate(predicate["verdict"]["thresholds"]):
        check_figure(f"predicate.verdict.thresholds[{position}]", threshold, least)


def _check_new_table(predicate: Mapping[str, Any]) -> None:
    """Refuse a new table of which something else is said than what it is, or of what protects."""
    told = predicate.get("new_table")
    if told is None:
        return
    facts = NewTableFacts(kind=NewTableKind(told["kind"]), is_guaranteed=predicate["privacy"] is not None)
    has_counts = told["counts"] is not None
    if told["sentence"] != facts.sentence or has_counts != (facts.kind is NewTableKind.COUNTS):
        raise EvidenceFault("predicate.new_table contradicts what the guarantee says")


def _agree_with_itself(verdict: Mapping[str, Any]) -> None:
    """Refuse thresholds that hold only by their word, and a pass over one that does not hold."""
    thresholds = verdict["thresholds"]
    for position, threshold in enumerate(thresholds):
        limit = Limit(bound=Bound(threshold["bound"]), value=threshold["limit"])
        # null: infinite, or not to be told
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
