"""The gate inside Great Expectations: importing this package makes its expectations and actions known.

It also makes known what ``type: duckdb`` is among a project's data sources, so it is imported before such a
project is opened.

Example:
    >>> from qidguard_expectations import ExpectTableKAnonymityToBeAtLeast
    >>> ExpectTableKAnonymityToBeAtLeast(quasi_identifiers=["age", "sex"], at_least=5).expectation_type
    'expect_table_k_anonymity_to_be_at_least'
"""

from qidguard_expectations.actions import RecordInLedgerAction, RequirePrivacyVerdictAction
from qidguard_expectations.checkpoints import add_to_context
from qidguard_expectations.datasources.duckdb_datasource import DuckDBDatasource
from qidguard_expectations.expectations.metric import ExpectTablePrivacyMetricToBeWithin
from qidguard_expectations.expectations.policy import (
    ExpectTableColumnsToBeAsApproved,
    ExpectTableToMeetPrivacyPolicy,
)
from qidguard_expectations.expectations.threshold import (
    ExpectTableKAnonymityToBeAtLeast,
    ExpectTableLDiversityToBeAtLeast,
    ExpectTableReidentificationRiskToBeAtMost,
    ExpectTableShareAtRiskToBeAtMost,
    ExpectTableTClosenessToBeAtMost,
)

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
