"""The JSON Schema of the comparison document."""

from importlib import resources

FORMAT = "qidguard-comparison/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""

FILE = "comparison-1.schema.json"
"""Name of the published schema beside this module."""


def published_comparison_schema() -> str:
    """Return the text of the published schema, as it lies in the package.

    Returns:
        JSON text with a line feed at its end.

    Example:
        >>> FORMAT in published_comparison_schema()
        True
    """
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
