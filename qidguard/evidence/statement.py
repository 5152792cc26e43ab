"""The statement about a release: an in-toto Statement whose predicate is the minimal public record.

What is written is of the third version: it states differential privacy, and over which columns thresholds
hold where some have noise. The second said nothing of it, and the first named every figure as it was
measured; both are still read.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import Field

from qidguard.core.errors import InternalError
from qidguard.core.new_table import NewTableFacts, NewTableKind
from qidguard.core.verdict import Bound, Limit
from qidguard.evidence.canonical import EvidenceFault, canonical_bytes, read_canonical
from qidguard.evidence.fields import (
    AnyText,
    ApprovalTold,
    Count,
    DayOrInstant,
    Digest,
    EvidencePart,
    Figures,
    FileName,
    Instant,
    Number,
    Outcome,
    PolicyTold,
    Text,
    TextByName,
    Truth,
    agree_on_exceptions,
    refused,
)
from qidguard.evidence.privacy import (
    GuaranteeTold,
    NoisedCombinationTold,
    NoisedQidsTold,
    check_noised,
    check_privacy,
)
from qidguard.evidence.public import LEAST, check_band, check_figure

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:qidguard:release:v3"
SECOND_PREDICATE_TYPE = "urn:qidguard:release:v2"
FIRST_PREDICATE_TYPE = "urn:qidguard:release:v1"

_NEVER_PUBLIC = frozenset({"seed", "seeds", "classes", "values"})
"""Words that no name in the predicate may contain: what they stand for helps an attacker."""


class BandTold(EvidencePart):
    """A count as a band, both ends included."""

    low: Count = Field(alias="from")
    high: Count = Field(alias="to")


class AttestationTold(EvidencePart):
    """What a person states because no tool can certify it."""

    statement: Text
    by: Text
    on: DayOrInstant


class _ThresholdBase(EvidencePart):
    metric: Text
    combination: Text
    bound: Literal["at_least", "at_most"]
    limit: Number
    unit: Text
    is_met: Truth
    is_warning: Truth


T = TypeVar("T", bound=_ThresholdBase)


class VerdictTold(EvidencePart, Generic[T]):
    """A verdict with its thresholds, as a version tells them."""

    outcome: Outcome
    thresholds: tuple[T, ...]


class _PredicateBase(EvidencePart):
    release_id: Text
    data_set: Text
    released_at: Instant
    policy: PolicyTold
    versions: TextByName
    approvals: tuple[ApprovalTold, ...]
    attestations: tuple[AttestationTold, ...]
    record_sha256: Digest


class FirstThreshold(_ThresholdBase):
    """A threshold with its figure, as the first version told it."""

    value: Number | None


class FirstTechnique(EvidencePart):
    """What was done to a table, with the number of records, as the first version told it."""

    technique: Text
    columns: Count
    records: Count


class FirstLedger(EvidencePart):
    """The entry of the ledger, as the first version named it."""

    sequence: Count
    hash: Digest


class FirstPredicate(_PredicateBase):
    """The public record of the first version: it named every figure as it was measured."""

    transformations: tuple[Annotated[Text | FirstTechnique, refused("is no technique")], ...]
    information_loss: Figures
    verdict: VerdictTold[FirstThreshold]
    ledger: FirstLedger | None


class SecondThreshold(_ThresholdBase):
    """A threshold with its figure where that may be told."""

    value: Count | None


class TechniqueTold(EvidencePart):
    """What was done to a table, to how many columns and how many records."""

    technique: Text
    columns: Count
    records: BandTold


class SecondLoss(EvidencePart):
    """What a release lost."""

    records_suppressed: BandTold
    columns_dropped: Count
    columns_published: Count


class AcceptedTold(EvidencePart):
    """What a person accepts of published columns."""

    columns: tuple[AnyText, ...]
    tells: AnyText | None
    reason: Text
    by: Text | None


class OutsideTold(EvidencePart):
    """By how many published columns outside the QIDs how many persons are unique."""

    columns: Count
    persons_unique: BandTold


class UndoneTold(EvidencePart):
    """Which columns undo which generalization, and whether the limits hold with it read back."""

    columns: tuple[AnyText, ...]
    tells: AnyText
    is_met: Truth
    is_accepted: Truth


class LedgerTold(EvidencePart):
    """The entry of the ledger."""

    hash: Digest


class _LaterPredicate(_PredicateBase):
    least_count: Count
    transformations: tuple[TechniqueTold, ...]
    accepted: tuple[AcceptedTold, ...]
    outside_qids: OutsideTold | None
    undone: tuple[UndoneTold, ...]
    ledger: LedgerTold | None


class SecondPredicate(_LaterPredicate):
    """The public record of the second version: it said nothing of differential privacy."""

    information_loss: SecondLoss
    verdict: VerdictTold[SecondThreshold]


class ThresholdTold(SecondThreshold):
    """A threshold, with how it reads columns with noise."""

    noised: NoisedQidsTold | None


class LossTold(SecondLoss):
    """What a release lost; no record of a new table was suppressed, so nothing is said of any."""

    records_suppressed: BandTold | None  # type: ignore[assignment]


class NewTableTold(EvidencePart):
    """What a table is whose records an anonymizer made anew."""

    kind: NewTableKind
    counts: Text | None
    sentence: Text


class Predicate(_LaterPredicate):
    """Everything that is said in public of how a release came about; nothing else can be."""

    information_loss: LossTold
    verdict: VerdictTold[ThresholdTold]
    privacy: GuaranteeTold | None
    noised: tuple[NoisedCombinationTold, ...]
    new_table: NewTableTold | None


_PREDICATES: dict[str, type[_PredicateBase]] = {
    FIRST_PREDICATE_TYPE: FirstPredicate,
    SECOND_PREDICATE_TYPE: SecondPredicate,
    PREDICATE_TYPE: Predicate,
}


class SubjectDigest(EvidencePart):
    """The digest of a file."""

    sha256: Digest


class SubjectTold(EvidencePart):
    """A file that a statement is about."""

    name: FileName
    digest: SubjectDigest


class _StatementWritten(EvidencePart):
    type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[SubjectTold, ...]
    predicateType: str  # noqa: N815 - the name of in-toto
    predicate: dict[str, Any]


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
    _StatementWritten.of(statement)
    predicate = statement["predicate"]
    if statement["predicateType"] not in _PREDICATES:
        raise EvidenceFault("predicateType is not one that this qidguard knows")
    _PREDICATES[statement["predicateType"]].of(predicate, "predicate")
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
