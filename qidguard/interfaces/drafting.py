"""A draft of a policy that also says how the table was read."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qidguard.core.outside import IdentifyingColumn
    from qidguard.core.report import ColumnReport
    from qidguard.engines.base import ReadOptions, Table
    from qidguard.interfaces.reading import Reading


def drafted(
    columns: "Sequence[ColumnReport]",
    name: str,
    options: "ReadOptions",
    identifying: "Sequence[IdentifyingColumn]" = (),
    folder: "Path | None" = None,
    ready: "Mapping[str, str] | None" = None,
) -> str:
    """Return the text of a draft; ``identifying`` are columns that would block by themselves.

    It will lie in ``folder``, from where a codebook is named; None is the working directory. ``ready`` are
    columns with the published system that they belong to.

    Example:
        >>> from qidguard.engines.base import ReadOptions
        >>> drafted([], "empty", ReadOptions()).splitlines()[1]
        'qidguard: 1'
    """
    from qidguard.engines.base import READ_WORDS
    from qidguard.policy import Source, draft_policy

    written = {word: getattr(options, name) for name, word in READ_WORDS.items()}
    written["codebook"] = _seen_from(options.codebook, folder)
    written["numbers"] = None if options.numbers is None else asdict(options.numbers)
    source = Source.model_validate(written | {"dates": options.dates or None})
    return draft_policy(columns, name=name, source=source, identifying=identifying, ready=ready or {})


def as_shown(table: "Table", options: "ReadOptions") -> "ReadOptions":
    """Return options with how numbers and dates are written, where nobody said it and the values show it."""
    from qidguard.core.column import ValueType
    from qidguard.core.number_format import shown_dates, shown_numbers

    draw = getattr(table, "value_draw", None)
    if draw is None:  # of an engine that hands out no values
        return options
    texts = [draw(one.name).texts for one in table.columns if one.value_type is ValueType.TEXT]
    return replace(
        options,
        numbers=options.numbers or shown_numbers(texts),
        dates=options.dates or shown_dates(texts),
    )


def recognized_systems(columns: "Sequence[ColumnReport]", data: str, reading: "Reading") -> dict[str, str]:
    """Return the published system of each quasi-identifier that is a code or a place and belongs to one."""
    from qidguard.anonymizing.hierarchy.ready.recognizing import recognize_system
    from qidguard.core.kind import ColumnKind
    from qidguard.core.role import Role
    from qidguard.interfaces.hierarchy_source import read_columns

    asked = [
        column.facts.name
        for column in columns
        if column.assignment.role is Role.QUASI_IDENTIFIER
        and column.kind is not None
        and column.kind.kind in {ColumnKind.CODE, ColumnKind.PLACE}
    ]
    read = read_columns(data, asked, reading) if asked else {}
    found = {name: recognize_system(values) for name, values in read.items()}
    return {name: system for name, system in found.items() if system is not None}


def _seen_from(path: "str | Path | None", folder: "Path | None") -> str | None:
    """Return a path as a policy in a folder writes it; a whole path stays one."""
    if path is None or folder is None or Path(path).is_absolute():
        return None if path is None else str(path)
    return os.path.relpath(path, folder)
