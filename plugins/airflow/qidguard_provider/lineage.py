"""What OpenLineage is told: the table that was judged, the release, and every threshold as an assertion.

It is imported only where OpenLineage is installed.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import attr
from airflow.providers.openlineage.extractors import OperatorLineage
from openlineage.client.event_v2 import InputDataset, OutputDataset
from openlineage.client.generated.base import InputDatasetFacet
from openlineage.client.generated.data_quality_assertions_dataset import (
    Assertion,
    DataQualityAssertionsDatasetFacet,
)
from openlineage.client.generated.data_quality_metrics_input_dataset import (
    DataQualityMetricsInputDatasetFacet,
)

from qidguard.sdk import shown_address, threshold_words

if TYPE_CHECKING:
    from qidguard_provider.verdicts import Judged

_AS_S3 = {"s3a", "s3n"}

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


def dataset_name(address: str) -> tuple[str, str]:
    """Return namespace and name of a table, as OpenLineage names files and objects; without secrets."""
    place = shown_address(address).rpartition("::")[2]
    if "://" not in place:
        return "file", place
    parts = urlsplit(place)
    if parts.scheme in {"file", "local"}:
        return "file", parts.path
    scheme = "s3" if parts.scheme in _AS_S3 else parts.scheme
    return f"{scheme}://{parts.netloc}", parts.path.lstrip("/") or "/"


def lineage_of(judged: "Judged") -> OperatorLineage:
    """Return what OpenLineage is told of a task."""
    inputs, outputs = [], []
    if judged.source is not None:
        namespace, name = dataset_name(judged.source)
        facets = {} if judged.audit is None else facets_of(judged.audit)
        inputs.append(InputDataset(namespace=namespace, name=name, inputFacets=facets))
    if judged.address is not None and judged.address != judged.source:
        namespace, name = dataset_name(judged.address)
        outputs.append(OutputDataset(namespace=namespace, name=name))
    return OperatorLineage(inputs=inputs, outputs=outputs)


def facets_of(audit: Mapping[str, Any]) -> dict[str, InputDatasetFacet]:
    """Return the facets of the table that was judged, from the document of its audit."""
    kept = ("metric", "combination", "qids", "sensitive", "value", "unit", "bound", "limit", "is_met")
    figures, table = audit["thresholds"], audit["table"]
    records = DataQualityMetricsInputDatasetFacet(rowCount=table["records"], columnMetrics={})
    return {
        "dataQualityMetrics": records,
        "dataQualityAssertions": DataQualityAssertionsDatasetFacet(
            assertions=[_assertion(figure) for figure in figures]
        ),
        "qidguard_measurements": MeasurementsFacet(
            measurements=[{name: figure[name] for name in kept} for figure in figures],
            outcome=audit["outcome"],
            entities=table["entities"],
        ),
    }


def _assertion(figure: Mapping[str, Any]) -> Assertion:
    words = threshold_words(figure)
    return Assertion(
        assertion=figure["metric"],
        success=figure["is_met"],
        severity="warn" if figure["is_warning"] else "error",
        expected=words.asked,
        actual=words.measured,
        params={},
    )
