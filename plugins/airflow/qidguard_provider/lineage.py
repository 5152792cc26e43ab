"""What OpenLineage is told: the table that was judged, the release, and every threshold as an assertion."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from qidguard.core.address import shown_address

if TYPE_CHECKING:
    from qidguard_provider.verdicts import Judged

_AS_S3 = {"s3a", "s3n"}


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


def lineage_of(judged: "Judged") -> Any:
    """Return what OpenLineage is told of a task."""
    try:
        from airflow.providers.openlineage.extractors import OperatorLineage
        from openlineage.client.event_v2 import InputDataset, OutputDataset
    except ImportError:
        return None
    from qidguard_provider.lineage_facets import facets_of

    inputs, outputs = [], []
    if judged.source is not None:
        namespace, name = dataset_name(judged.source)
        facets = {} if judged.report is None else facets_of(judged.report)
        inputs.append(InputDataset(namespace=namespace, name=name, inputFacets=facets))
    if judged.address is not None and judged.address != judged.source:
        namespace, name = dataset_name(judged.address)
        outputs.append(OutputDataset(namespace=namespace, name=name))
    return OperatorLineage(inputs=inputs, outputs=outputs)
