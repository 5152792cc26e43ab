"""How a policy says that a source is read, as an engine is told."""

from typing import TYPE_CHECKING

from qidguard.engines.base import ReadOptions

if TYPE_CHECKING:
    from qidguard.policy.source import Reading


def read_options(source: "Reading") -> ReadOptions:
    """Return how the policy says a source is read."""
    return ReadOptions(
        format=source.format,
        delimiter=source.delimiter,
        quote=source.quote,
        has_header=source.header,
        columns=source.columns,
        encoding=source.encoding,
        missing=source.missing,
        is_trimmed=source.trim,
        table=source.table,
        query=source.query,
    )
