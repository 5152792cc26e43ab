"""A draft of a policy that also says how the table was read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.core.report import ColumnReport
    from qidguard.core.rest import IdentifyingColumn
    from qidguard.engines.base import ReadOptions


def drafted(
    columns: "Sequence[ColumnReport]",
    name: str,
    options: "ReadOptions",
    identifying: "Sequence[IdentifyingColumn]" = (),
) -> str:
    """Return the text of a draft; ``identifying`` are columns that would block by themselves.

    Example:
        >>> from qidguard.engines.base import ReadOptions
        >>> drafted([], "empty", ReadOptions()).splitlines()[1]
        'qidguard: 1'
    """
    from qidguard.policy import Source, draft_policy

    source = Source.model_validate(
        {
            "format": options.format,
            "delimiter": options.delimiter,
            "quote": options.quote,
            "header": options.has_header,
            "columns": options.columns,
            "encoding": options.encoding,
            "missing": options.missing,
            "trim": options.is_trimmed,
            "table": options.table,
            "query": options.query,
        }
    )
    return draft_policy(columns, name=name, source=source, identifying=identifying)
