"""What an attestation says of differential privacy, and whether it agrees with itself and the manifest."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from qidguard.core.privacy import PrivacyGuarantee
from qidguard.core.privacy_document import privacy_document, read_privacy
from qidguard.evidence.canonical import EvidenceFault
from qidguard.evidence.fields import AnyText, Count, EvidencePart, Text, Truth
from qidguard.evidence.manifest import Manifest


class NoisedPartTold(EvidencePart):
    """One part of a guarantee; numbers as exact text."""

    columns: tuple[AnyText, ...]
    partition: AnyText
    mechanism: Text
    is_checked: Truth
    scale: Text
    reach: Text
    bounds: tuple[Text, ...] | None
    epsilon: Text
    delta: Text
    rho: Text


class GuaranteeTold(EvidencePart):
    """A guarantee with the published columns that no noise was drawn for."""

    unit: Literal["record", "person"]
    contributions: Count
    partitions_compose: Literal["in parallel", "in sequence"]
    epsilon: Text
    delta: Text
    rho: Text
    parts: tuple[NoisedPartTold, ...]
    not_covered: tuple[Text, ...]
    without_noise: tuple[AnyText, ...]


class NoisedQidsTold(EvidencePart):
    """Over which columns a threshold was measured where some of the quasi-identifiers have noise."""

    over: tuple[AnyText, ...]
    as_published: tuple[AnyText, ...]
    left_out: tuple[AnyText, ...]


class NoisedCombinationTold(EvidencePart):
    """What can be learned of noised quasi-identifiers, and over which columns limits hold, in words."""

    combination: Text
    sentence: Text


def public_privacy(guarantee: PrivacyGuarantee, published: Sequence[str]) -> dict[str, Any]:
    """Return what is told in public of a guarantee: all of it, since nothing in it depends on the data.

    Example:
        >>> from qidguard.core.privacy import example_guarantee
        >>> public_privacy(example_guarantee(), ["age", "sex"])["without_noise"]
        ['sex']
    """
    noised = set(guarantee.columns)
    return {
        **privacy_document(guarantee),
        "without_noise": [name for name in published if name not in noised],
    }


def check_privacy(place: str, told: Mapping[str, Any] | None) -> None:
    """Refuse a guarantee whose scales or totals are not what it says, or that calls a noised column bare."""
    if told is None:
        return
    try:
        guarantee = _guarantee(told)
    except ValueError as fault:
        raise EvidenceFault(f"{place} does not hold: {fault}") from None
    if set(guarantee.columns) & set(told["without_noise"]):
        raise EvidenceFault(f"{place} names a column as noised and as without noise")


def check_noised(place: str, told: Mapping[str, Any] | None, verdict: Mapping[str, Any]) -> None:
    """Refuse thresholds whose columns with noise are not those of the guarantee."""
    noised = set() if told is None else set(_guarantee(told).columns)
    for position, threshold in enumerate(verdict["thresholds"]):
        read = threshold["noised"]
        if read is None:
            continue
        over, published, left = (set(read[name]) for name in ("over", "as_published", "left_out"))
        is_one_reading = bool(published) != bool(left) and published <= over and not left & over
        if not is_one_reading or not left <= noised or over & noised != published:
            raise EvidenceFault(
                f"{place}[{position}] names columns with noise that are not those of the guarantee"
            )


def privacy_against_manifest(statement: Mapping[str, Any], manifest: Manifest) -> Iterator[str]:
    """Yield that a published column is neither among those with noise nor among those without."""
    told = statement["predicate"].get("privacy")
    if told is None:
        return
    new_table = statement["predicate"].get("new_table") or {}
    named = {*_guarantee(told).columns, *told["without_noise"], new_table.get("counts")}
    if unnamed := [column.name for column in manifest.columns if column.name not in named]:
        yield (
            f"the attestation's guarantee of privacy says of {len(unnamed)} published columns neither that"
            " they have noise nor that they have none."
        )


def privacy_notes(statement: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a reader has to know of a guarantee, of limits without noised columns, of a new table."""
    predicate = statement["predicate"]
    if (told := predicate.get("privacy")) is not None:
        guarantee, bare = _guarantee(told), told["without_noise"]
        covered = ", ".join(guarantee.columns)
        rest = f"; {len(bare)} published columns have none: {', '.join(bare)}" if bare else ""
        yield (
            f"It states differential privacy of {guarantee.cost.text} for a {guarantee.unit.value}, by noise"
            f" on {covered}{rest}."
        )
        yield from (f"That does not cover: {sentence}" for sentence in guarantee.not_covered)
    for threshold in predicate["verdict"]["thresholds"]:
        read = threshold.get("noised")
        if read and read["left_out"]:
            yield (
                f"{threshold['metric']} of the combination {threshold['combination']} was measured over"
                f" {', '.join(read['over']) or 'no column'} only, without"
                f" {', '.join(read['left_out'])}, which noise was drawn for."
            )
    yield from (one["sentence"] for one in predicate.get("noised", ()))
    if (told := predicate.get("new_table")) is not None:
        yield told["sentence"]


def _guarantee(told: Mapping[str, Any]) -> PrivacyGuarantee:
    return read_privacy({name: value for name, value in told.items() if name != "without_noise"})
