"""The JSON Schema of the discovery document."""

from importlib import resources

FORMAT = "qidguard-discovery/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""

FILE = "discovery-1.schema.json"
"""Name of the published schema beside this module."""


def published_discovery_schema() -> str:
    """Return the text of the published schema, as it lies in the package.

    Returns:
        JSON text with a line feed at its end.

    Example:
        >>> FORMAT in published_discovery_schema()
        True
    """
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
