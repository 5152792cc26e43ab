"""Measurements as facets of OpenLineage; imported only where that is installed."""

from typing import Any

import attr
from openlineage.client.generated.base import InputDatasetFacet
from openlineage.client.generated.data_quality_assertions_dataset import (
    Assertion,
    DataQualityAssertionsDatasetFacet,
)
from openlineage.client.generated.data_quality_metrics_input_dataset import (
    DataQualityMetricsInputDatasetFacet,
)

from qidguard.core.report import AuditReport
from qidguard.report.document import document
from qidguard.report.threshold import demand, measured


@attr.define
class MeasurementsFacet(InputDatasetFacet):
    """What was measured: metric, value, limit, unit and columns of every threshold; no value of the table."""

    measurements: list[dict[str, Any]]
    outcome: str
    entities: int | None = None


def facets_of(report: AuditReport) -> dict[str, InputDatasetFacet]:
    """Return the facets of the table that was judged.

    Args:
        report: The audit.

    Returns:
        ``dataQualityMetrics`` with the number of records, ``dataQualityAssertions`` with one assertion for
        each threshold, and ``qidguard_measurements``.

    Units:
        Figures in their metric's unit.

    Example:
        >>> from qidguard.report.example import passed
        >>> sorted(facets_of(passed()))
        ['dataQualityAssertions', 'dataQualityMetrics', 'qidguard_measurements']
    """
    said = document(report)
    results = () if report.verdict is None else report.verdict.thresholds
    kept = ("metric", "combination", "qids", "sensitive", "value", "unit", "bound", "limit", "is_met")
    return {
        "dataQualityMetrics": DataQualityMetricsInputDatasetFacet(rowCount=report.records, columnMetrics={}),
        "dataQualityAssertions": DataQualityAssertionsDatasetFacet(
            assertions=[
                Assertion(
                    assertion=result.measurement.metric,
                    success=result.is_met,
                    severity="error" if result.limit.is_blocking else "warn",
                    expected=demand(result.limit, result.measurement.unit),
                    actual=measured(result),
                    params={},
                )
                for result in results
            ]
        ),
        "qidguard_measurements": MeasurementsFacet(
            measurements=[{name: figure[name] for name in kept} for figure in said["thresholds"]],
            outcome=said["outcome"],
            entities=report.entities,
        ),
    }
