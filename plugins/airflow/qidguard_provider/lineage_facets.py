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
from qidguard.rendering.document import document
from qidguard.rendering.threshold import demand, measured

SCHEMA = "urn:qidguard:openlineage:measurements:v1"
"""The ``$id`` of ``measurements-1.schema.json``, which stands beside this module."""


@attr.define
class MeasurementsFacet(InputDatasetFacet):
    """What was measured: metric, value, limit, unit and columns of every threshold; no value of the table."""

    measurements: list[dict[str, Any]]
    outcome: str
    entities: int | None = None

    @staticmethod
    def _get_schema() -> str:
        """Return the name of this facet's schema; OpenLineage asks a custom facet for it by this method."""
        return SCHEMA


def facets_of(report: AuditReport) -> dict[str, InputDatasetFacet]:
    """Return the facets of the table that was judged."""
    documented = document(report)
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
            measurements=[{name: figure[name] for name in kept} for figure in documented["thresholds"]],
            outcome=documented["outcome"],
            entities=report.entities,
        ),
    }
