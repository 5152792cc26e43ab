"""The gate inside Great Expectations: importing this module makes its expectations known.

It also makes known what ``type: duckdb`` is among a project's data sources, so it is imported before such a
project is opened. Nothing outside this folder imports that library.

Example:
    >>> from qidguard_expectations import ExpectTableKAnonymityToBeAtLeast
    >>> ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["age", "sex"], at_least=5).expectation_type
    'expect_table_k_anonymity_to_be_at_least'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qidguard_expectations.actions import RecordInLedgerAction, RequirePrivacyVerdictAction
from qidguard_expectations.datasources.duckdb_datasource import DuckDBDatasource
from qidguard_expectations.expectations.metric import (
    ExpectTableColumnsToBeAsApproved,
    ExpectTablePrivacyMetricToBeWithin,
)
from qidguard_expectations.expectations.policy import ExpectTableToMeetPrivacyPolicy
from qidguard_expectations.expectations.threshold import (
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTableReidentificationRiskToBeAtMost,
    ExpectTableShareAtRiskToBeAtMost,
    ExpectTableTClosenessToBeAtMost,
)

if TYPE_CHECKING:
    from qidguard_expectations.checkpoints import add_to_context

_LATE = {
    "add_to_context": "qidguard_expectations.checkpoints",
}

__all__ = [
    "DuckDBDatasource",
    "ExpectTableColumnsToBeAsApproved",
    "ExpectTableKAnonymityToBeAtLeast",
    "ExpectTableLDiversityToBeAtLeast",
    "ExpectTablePrivacyMetricToBeWithin",
    "ExpectTableReidentificationRiskToBeAtMost",
    "ExpectTableShareAtRiskToBeAtMost",
    "ExpectTableTClosenessToBeAtMost",
    "ExpectTableToMeetPrivacyPolicy",
    "RecordInLedgerAction",
    "RequirePrivacyVerdictAction",
    "add_to_context",
]


def __getattr__(name: str) -> Any:
    """Import what is used beside the expectations when it is first used."""
    if name not in _LATE:
        raise AttributeError(f"module 'qidguard_expectations' has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
