"""A guarantee of differential privacy held against the table that noise is drawn for."""

from typing import TYPE_CHECKING, Any

from qidguard.core.privacy import PrivacyGuarantee, ProtectedUnit

if TYPE_CHECKING:
    from qidguard.anonymizing.protocol import AnonymizationTask, Records


def privacy_fault(given: Any, records: "Records", task: "AnonymizationTask") -> str:
    """Return what is wrong with a guarantee, without a value of the table; empty where nothing is."""
    if not isinstance(given, PrivacyGuarantee):
        return f"returned {type(given).__name__}, not PrivacyGuarantee"
    if not set(given.columns) <= set(records.names):
        return "speaks of a column that the table does not have"  # a name may be a value of the table
    if given.unit is not ProtectedUnit.PERSON or task.entity is None:
        return ""
    most = _most_records(records, task.entity)
    if given.contributions < most:
        return f"protects persons who have at most {given.contributions:,} records each, and one has {most:,}"
    return ""


def _most_records(records: "Records", entity: str) -> int:
    import numpy as np

    return int(np.bincount(records.codes([entity])[:, 0]).max())
