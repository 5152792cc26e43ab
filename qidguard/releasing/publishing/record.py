"""The internal record: all that a release can later be asked about; confidential, never published."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from qidguard.core.address import shown_address
from qidguard.core.errors import InternalError
from qidguard.engines.linked import linked_copy
from qidguard.releasing.context import ReleaseContext, responsible
from qidguard.releasing.deciding.decide import Decided
from qidguard.rendering.document import document
from qidguard.trials.receipt_document import receipt_document

if TYPE_CHECKING:
    from qidguard.advising.asking import TriedAdvice
    from qidguard.core.report import ColumnReport
    from qidguard.engines.base import Snapshot
    from qidguard.policy import Policy

FORMAT = "qidguard-record/1"


def internal_record(
    context: ReleaseContext, decided: Decided, source_sha256: str, tried: "TriedAdvice | None" = None
) -> dict[str, Any]:
    """Return the record as plain values that JSON knows; it holds counts, rates and names, never a value.

    Fields that a tool cannot know are what the policy's ``evidence`` states; ``not_stated`` lists those that
    it leaves open.
    """
    policy, report = context.policy, decided.report
    stated = policy.evidence.model_dump(mode="json")
    columns = stated.pop("columns", None) or {}
    return {
        "format": FORMAT,
        "audit_id": context.audit_id,
        "outcome": decided.outcome.value,
        "reasons": list(decided.reasons),
        "at": context.day,
        "by": responsible(context.origin),
        "subject": {
            "data_set": context.data_set,
            "source": context.label,
            "source_sha256": source_sha256,
            "records": report.records,
            "entities": report.entities,
            **_only(stated, "title", "sponsor", "data_as_of", "sources"),
        },
        "release": {
            "release_id": context.release_id,
            "destination": context.place.label,
            "key_id": None if context.key is None else context.key.public.id,
            "earlier_releases": list(decided.past.ids),
            "earlier_are": policy.release.earlier_releases,
            "earlier_data_sets": sorted({entry.data_set for entry in decided.past.begun}),
            "same_persons_in": list(decided.counted.together),
            "records_found_again": None if decided.again is None else asdict(decided.again),
            "unrelated": [asdict(one) for one in decided.counted.accepted],
            "earlier_approvals": sorted({e for r in decided.past.begun for e in r.payload.exceptions}),
            **_only(stated, "series", "model", "purpose", "recipients", "data_flow", "transfer", "disposal"),
        },
        "policy": {
            "name": policy.name,
            "sha256": policy.digest,
            "preset": policy.preset,
            "version": policy.qidguard,
            "deviations": [waived.text for approval in decided.approvals for waived in approval.waived],
            "document": _document(policy),
            "hierarchies_sha256": {} if decided.receipt is None else dict(decided.receipt.hierarchies_sha256),
            "read_beside_sha256": dict(report.read_beside),
            **_preset(policy),
            **_only(stated, "threshold_rationale"),
        },
        **_series(decided),
        "columns": _columns(decided, columns),
        "tables": _tables(decided),
        "attack": {
            "combinations": [
                {"name": s.combination, "qids": list(s.qids), "attacker": attacker_of(policy, s.combination)}
                for s in report.summaries
            ],
            "population": shown_address(policy.population.path) if policy.population else None,
            "population_sha256": population_digest(context),
            "sampling_fraction": policy.sampling_fraction,
            **_only(stated, "attack_model", "population_basis"),
        },
        "risk_before": document(report if decided.before is None else decided.before),
        "risk_after": document(report),
        **({} if tried is None else {"advice": tried.to_dict()}),
        "persons_concerned": None
        if decided.concerned is None
        else [c and c.persons for c in decided.concerned],
        "is_everybody_concerned": None
        if decided.concerned is None
        else [c and c.is_everybody for c in decided.concerned],
        "utility": information_loss(decided) | _cells_lost(decided),
        "suppression": None if decided.receipt is None else receipt_document(decided.receipt, decided.claims),
        "order": {"is_kept": policy.release.keep_order, "seed": context.seed},
        "attestations": [one.model_dump(mode="json") for one in policy.attestations],
        "approvals": [approval.document() for approval in decided.approvals],
        "signatory": stated["signatory"],
        "risk_statement": stated["risk_statement"],
        "limitations": stated["limitations"],
        "assumptions": stated["assumptions"],
        "review_by": None if policy.review_by is None else policy.review_by.isoformat(),
        "not_stated": sorted(name for name, value in stated.items() if value is None),
        "tool": dict(sorted(report.versions.items())),
    }


def _series(decided: Decided) -> dict[str, Any]:
    """Return what a series added to the source; nothing where no remedy keeps one."""
    series = decided.series
    if series is None:
        return {}
    return {
        "series": {
            "state_of": series.state_of,
            "leavers_added": series.leavers,
            "records_added": series.leaver_records,
        }
    }


def population_digest(context: ReleaseContext) -> str | None:
    """Return the digest of the population table that audits read; None where the policy names none."""
    kept: Snapshot | None = context.population
    if context.policy.population is None:
        return None
    if kept is None:
        raise InternalError("a population was to be recorded that was not kept")
    return kept.source_digest


def information_loss(decided: Decided) -> dict[str, int | float | None]:
    """Return what the release lost against the source, as numbers: records and columns.

    Of a new table no record is one of the source, so how many were suppressed has no answer.
    """
    source_records = (decided.report if decided.before is None else decided.before).records
    is_new = decided.report.new_table is not None
    suppressed = None if is_new else source_records - decided.report.records
    selection = decided.selection
    return {
        "records_suppressed": suppressed,
        "share_of_records_suppressed": None if suppressed is None else suppressed / source_records,
        "columns_dropped": 0 if selection is None else len(selection.dropped),
        "columns_published": 0 if selection is None else len(selection.published),
    }


def _cells_lost(decided: Decided) -> dict[str, int | None]:
    """Return how many published cells are not the source's; nothing where no remedy was used."""
    receipt = decided.receipt
    if receipt is None:
        return {}
    columns = None if receipt.new_table is not None else len(receipt.columns_changed)
    return {"columns_changed": columns, "cells_changed": receipt.total_cells_changed}


def _columns(decided: Decided, justifications: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "name": column.facts.name,
            "role": column.assignment.role.value,
            "decided_by": column.assignment.decided_by.value,
            "is_sensitive": column.assignment.is_sensitive,
            "tier": None if column.sensitivity is None else column.sensitivity.tier.value,
            "category": None if column.sensitivity is None else column.sensitivity.category,
            "kind": None if column.kind is None else column.kind.kind.value,
            "technique": _technique(decided, column.facts.name),
            "justification": justifications.get(column.facts.name),
        }
        for column in _every_column(decided)
    ]


def _tables(decided: Decided) -> list[dict[str, Any]]:
    """Return what is published of the tables beside that of the persons; none of a single table."""
    linked = linked_copy(decided.source.snapshot)
    return [
        {
            "name": child.table.name,
            "records": child.records.records,
            "orphans_left_out": child.orphans,
            "columns": list(child.published),
            "dates_moved": list(child.table.dates),
            "most_days": linked.source.shift_days,
        }
        for child in (() if linked is None else linked.children)
        if linked is not None
    ]


def _every_column(decided: Decided) -> "tuple[ColumnReport, ...]":
    """Return the judged columns, and those of the source that a new table has not."""
    names = {column.facts.name for column in decided.report.columns}
    left = (column for column in decided.source.report.columns if column.facts.name not in names)
    return (*decided.report.columns, *left)


def _technique(decided: Decided, name: str) -> str:
    selection, receipt = decided.selection, decided.receipt
    linked = linked_copy(decided.source.snapshot)
    if linked is not None and name == linked.source.persons.key:
        return "replaced by a pseudonym of this release"
    if linked is not None and name in linked.source.made:
        return "not written: it stands for records of another table"
    dropped = None if selection is None else selection.dropped.get(name)
    if dropped is not None:
        return f"removed ({dropped})"
    if receipt is not None and receipt.new_table is not None:
        is_counts = name == receipt.new_table.counts
        return f"{receipt.title or receipt.anonymizer}, {'noisy counts' if is_counts else 'made anew'}"
    cells = 0 if receipt is None else receipt.cells_changed.get(name, 0)
    if receipt is None or not cells:
        return "unchanged"
    changed = "1 cell" if cells == 1 else f"{cells:,} cells"
    return f"{receipt.title or receipt.anonymizer}, {changed} changed"


def attacker_of(policy: "Policy", combination: str) -> Any:
    """Return what the attacker knows of a combination, as plain values."""
    own = next((c.attacker for c in policy.combinations if c.name == combination), policy.attacker)
    return own if isinstance(own, str) else {"knows_any": own.knows_any}


def _preset(policy: "Policy") -> dict[str, Any]:
    if policy.preset is None:
        return {"k_min": None, "citation": None}
    from qidguard.policy import PRESETS

    preset = PRESETS[policy.preset]
    smallest = [t.at_least for t in preset.thresholds if t.metric == "k_anonymity"]
    return {"k_min": smallest[0] if smallest else None, "citation": preset.source}


def _document(policy: "Policy") -> dict[str, Any]:
    """Return the policy as JSON, its addresses without secrets."""
    written = policy.model_dump(mode="json")
    if policy.population is not None:
        written["population"]["path"] = shown_address(policy.population.path)
    if policy.source.path is not None:
        written["source"]["path"] = shown_address(policy.source.path)
    if policy.release.destination is not None:
        written["release"]["destination"] = shown_address(policy.release.destination)
    return written


def _only(stated: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: stated[name] for name in names}
