"""The internal record: all that a release can later be asked about; confidential, never published."""

from typing import TYPE_CHECKING, Any

from qidguard.anonymize.hierarchy.digest import hierarchy_digests
from qidguard.auditing.options import read_options
from qidguard.core.address import shown_address
from qidguard.releasing.decision import Decision
from qidguard.releasing.job import Job, responsible
from qidguard.releasing.receipt_document import receipt_document
from qidguard.report.document import document

if TYPE_CHECKING:
    from qidguard.core.policy import Policy

FORMAT = "qidguard-record/1"


def internal_record(job: Job, decision: Decision, source_sha256: str) -> dict[str, Any]:
    """Return the record as plain values that JSON knows; it holds counts, rates and names, never a value.

    Fields that a tool cannot know are what the policy's ``evidence`` states; ``not_stated`` lists those that
    it leaves open.
    """
    policy, report = job.policy, decision.report
    stated = policy.evidence.model_dump(mode="json")
    columns = stated.pop("columns", None) or {}
    return {
        "format": FORMAT,
        "audit_id": job.audit_id,
        "outcome": decision.outcome.value,
        "reasons": list(decision.reasons),
        "at": job.day,
        "by": responsible(job.origin),
        "subject": {
            "data_set": job.data_set,
            "source": job.label,
            "source_sha256": source_sha256,
            "records": report.records,
            "entities": report.entities,
            **_only(stated, "title", "sponsor", "data_as_of", "sources"),
        },
        "release": {
            "release_id": job.release_id,
            "destination": job.destination.label,
            "earlier_releases": list(decision.past.ids),
            "earlier_are": policy.release.earlier_releases,
            "earlier_approvals": sorted({e for r in decision.past.begun for e in r.payload["exceptions"]}),
            **_only(stated, "series", "model", "purpose", "recipients", "data_flow", "transfer", "disposal"),
        },
        "policy": {
            "name": policy.name,
            "sha256": policy.digest,
            "preset": policy.preset,
            "version": policy.qidguard,
            "deviations": [waived.text for approval in decision.approvals for waived in approval.waived],
            "document": _document(policy),
            "hierarchies_sha256": {} if decision.receipt is None else hierarchy_digests(policy),
            **_preset(policy),
            **_only(stated, "threshold_rationale"),
        },
        "columns": _columns(decision, columns),
        "attack": {
            "combinations": [
                {"name": s.combination, "qids": list(s.qids), "attacker": attacker_of(policy, s.combination)}
                for s in report.summaries
            ],
            "population": shown_address(policy.population.path) if policy.population else None,
            "population_sha256": population_digest(job),
            "sampling_fraction": policy.sampling_fraction,
            **_only(stated, "attack_model", "population_basis"),
        },
        "risk_before": document(decision.before or report),
        "risk_after": document(report),
        "utility": information_loss(decision) | _cells_lost(decision),
        "suppression": None
        if decision.receipt is None
        else receipt_document(decision.receipt, decision.claims),
        "order": {"is_kept": policy.release.keep_order, "seed": job.seed},
        "attestations": [
            {"statement": a.statement, "by": a.by, "on": a.on.isoformat()} for a in policy.attestations
        ],
        "approvals": [approval.document() for approval in decision.approvals],
        "signatory": stated["signatory"],
        "risk_statement": stated["risk_statement"],
        "limitations": stated["limitations"],
        "assumptions": stated["assumptions"],
        "review_by": None if policy.review_by is None else policy.review_by.isoformat(),
        "not_stated": sorted(name for name, value in stated.items() if value is None),
        "tool": dict(sorted(report.versions.items())),
    }


def population_digest(job: Job) -> str | None:
    """Return the digest of the population table as it is now; None where the policy names none."""
    population = job.policy.population
    if population is None:
        return None
    digest: str = job.engine.source_digest(
        job.policy.beside(population.path), read_options(population.source), job.settings
    )
    return digest


def information_loss(decision: Decision) -> dict[str, int | float]:
    """Return what the release lost against the source, as numbers: records and columns."""
    source_records = (decision.before or decision.report).records
    suppressed = source_records - decision.report.records
    selection = decision.selection
    return {
        "records_suppressed": suppressed,
        "share_of_records_suppressed": suppressed / source_records,
        "columns_dropped": 0 if selection is None else len(selection.dropped),
        "columns_published": 0 if selection is None else len(selection.published),
    }


def _cells_lost(decision: Decision) -> dict[str, int]:
    """Return how many published cells are not the source's; nothing where no remedy was used."""
    if decision.receipt is None:
        return {}
    cells = decision.receipt.cells_changed
    return {"columns_changed": len(decision.receipt.columns_changed), "cells_changed": sum(cells.values())}


def _columns(decision: Decision, justifications: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "name": column.facts.name,
            "role": column.assignment.role.value,
            "decided_by": column.assignment.decided_by.value,
            "technique": _technique(decision, column.facts.name),
            "justification": justifications.get(column.facts.name),
        }
        for column in decision.report.columns
    ]


def _technique(decision: Decision, name: str) -> str:
    selection, receipt = decision.selection, decision.receipt
    dropped = None if selection is None else selection.dropped.get(name)
    if dropped is not None:
        return f"removed ({dropped})"
    cells = 0 if receipt is None else receipt.cells_changed.get(name, 0)
    if receipt is None or not cells:
        return "published as it is"
    changed = "1 cell" if cells == 1 else f"{cells:,} cells"
    return f"{receipt.title or receipt.anonymiser}, {changed} changed"


def attacker_of(policy: "Policy", combination: str) -> Any:
    """Return what the attacker knows of a combination, as plain values."""
    own = next((c.attacker for c in policy.combinations if c.name == combination), policy.attacker)
    return own if isinstance(own, str) else {"knows_any": own.knows_any}


def _preset(policy: "Policy") -> dict[str, Any]:
    if policy.preset is None:
        return {"k_min": None, "citation": None}
    from qidguard.core.policy import PRESETS

    preset = PRESETS[policy.preset]
    smallest = [t.at_least for t in preset.thresholds if t.metric == "k_anonymity"]
    return {"k_min": smallest[0] if smallest else None, "citation": preset.source}


def _document(policy: "Policy") -> dict[str, Any]:
    """Return the policy as JSON, its addresses without secrets."""
    found = policy.model_dump(mode="json")
    if policy.population is not None:
        found["population"]["path"] = shown_address(policy.population.path)
    if policy.source.path is not None:
        found["source"]["path"] = shown_address(policy.source.path)
    return found


def _only(stated: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: stated[name] for name in names}
