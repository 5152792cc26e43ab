"""The Asset that stands for what is published of a data set: ``qidguard://NAME/published``."""

from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from airflow.sdk import Asset

from qidguard import UserError

SCHEME = "qidguard"
STAGES = ("arrived", "published")
"""What an Asset of a data set may tell of."""


def data_set_asset(data_set: str, stage: str = "published") -> Asset:
    """Return the Asset of a data set, for the outlets of a release or the schedule of a DAG.

    Args:
        data_set: The data set's name.
        stage: ``published``, what a release updates, or ``arrived``, what starts the gate.

    Returns:
        An Asset called ``NAME/STAGE`` whose URI every DAG spells alike.

    Raises:
        UserError: For no name, or another stage.

    Example:
        >>> data_set_asset("ward visits").uri
        'qidguard://ward%20visits/published'
    """
    if not data_set.strip():
        raise UserError("An Asset of the gate needs the name of its data set; write one.")
    if stage not in STAGES:
        raise UserError(f"An Asset tells of {' or '.join(STAGES)}, not {stage!r}; write one of them.")
    return Asset(name=f"{data_set}/{stage}", uri=f"{SCHEME}://{quote(data_set, safe='')}/{stage}")


def sanitize_uri(uri: SplitResult) -> SplitResult:
    """Return the parts of an Asset's URI; Airflow refuses the Asset where this raises ValueError.

    Example:
        >>> sanitize_uri(urlsplit("qidguard://ward/published")).netloc
        'ward'
    """
    if not uri.netloc or uri.path.strip("/") not in STAGES:
        raise ValueError(f"it must read {SCHEME}://DATA_SET/published (or /arrived)")
    if uri.query:
        raise ValueError("it has no query: a data set has one name")
    return uri


def create_asset(*, data_set: str, stage: str = "published", extra: Any = None) -> Asset:
    """Return the Asset as Airflow's ``Asset.from`` asks for it."""
    made = data_set_asset(data_set, stage)
    return Asset(name=made.name, uri=made.uri, extra=extra)


def convert_asset_to_openlineage(asset: Asset, lineage_context: Any) -> Any:
    """Return what OpenLineage is told of the Asset."""
    del lineage_context
    from airflow.providers.common.compat.openlineage.facet import Dataset

    parts = urlsplit(asset.uri)
    return Dataset(namespace=f"{SCHEME}://{unquote(parts.netloc)}", name=parts.path.strip("/"))
