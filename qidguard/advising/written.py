"""Hierarchies that a policy can say in a line, for columns of which it declares none; no value stands in it.

An automatic hierarchy follows the records, so next month's would be another one: what is advised is written
out.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from qidguard.anonymizing.hierarchy import bind_hierarchies
from qidguard.anonymizing.hierarchy.ready.recognizing import recognize_system
from qidguard.core.column import ValueType
from qidguard.core.errors import UserError
from qidguard.core.kind import ColumnKind
from qidguard.policy import HierarchySettings

if TYPE_CHECKING:
    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.versions import ColumnSource
    from qidguard.policy import Policy

FEWEST_VALUES: Final = 4
"""Distinct values below which a column is published exactly or not at all."""

_DATES = {ValueType.DATE, ValueType.TIMESTAMP}
_NUMBERS = {ValueType.INTEGER, ValueType.NUMBER}
_MEASURED = {ColumnKind.COUNT, ColumnKind.AMOUNT, ColumnKind.PERIOD, ColumnKind.ORDINAL}
_CODED = {ColumnKind.CODE, ColumnKind.PLACE}
_UNKNOWN_NUMBERS = 12
"""Distinct values above which whole numbers of which nobody says what they are count as measured."""
_MOST_LEVELS = 5
_LONGEST_CODE, _SHORTEST_CODE = 12, 3


def written_hierarchy(
    records: "ColumnSource", values: "ColumnValues", kind: ColumnKind | None, policy: "Policy"
) -> "tuple[HierarchySettings, Hierarchy] | None":
    """Return what a policy can say of a column's levels, and the hierarchy that it makes; None for nothing.

    Codes of a published system get its levels, dates get units of the calendar, numbers
    intervals whose widths are 1, 2 or 5 times a power of ten and double from level to level, other codes of
    one length ever fewer of their first characters.
    """
    if values.distinct < FEWEST_VALUES or kind is ColumnKind.KEY:
        return None
    for settings in _candidates(values, kind):
        declared = {**policy.hierarchies, values.name: settings}
        try:
            said = policy.model_copy(update={"hierarchies": declared})
            hierarchy = bind_hierarchies(said, records, {values.name}, files={})[values.name]
        except UserError:
            continue
        if len(np.unique(hierarchy.groups[1])) < len(values.texts):
            return settings, hierarchy
    return None


def _candidates(values: "ColumnValues", kind: ColumnKind | None) -> Iterator[HierarchySettings]:
    if (system := recognize_system(values)) is not None:
        yield HierarchySettings.model_validate({"ready": system})
    is_text = values.value_type is ValueType.TEXT
    if values.value_type in _DATES or kind is ColumnKind.DATE or is_text:
        yield HierarchySettings.model_validate({"dates": ["month", "quarter", "year", "decade"]})
    if values.value_type in _NUMBERS:
        is_measured = kind in _MEASURED or (kind is None and values.distinct > _UNKNOWN_NUMBERS)
        if values.value_type is ValueType.NUMBER and kind not in _CODED:
            is_measured = True
        if is_measured and (widths := _widths(values)):
            yield HierarchySettings.model_validate({"intervals": widths})
            return
    if (kind in _CODED or (kind is None and is_text)) and (lengths := _lengths(values)):
        yield HierarchySettings.model_validate({"prefix": lengths})


def _widths(values: "ColumnValues") -> list[float]:
    """Return widths of intervals: the first about halves the values, each further one doubles it."""
    assert values.numbers is not None  # noqa: S101 - a column of numbers has them
    numbers = values.numbers[1:]
    finite = numbers[np.isfinite(numbers)]
    if len(finite) < FEWEST_VALUES:
        return []
    reach = float(finite.max() - finite.min())
    width = _round(max(2 * reach / len(finite), reach / 2**_MOST_LEVELS))
    if values.value_type is ValueType.INTEGER:
        width = max(width, 2.0)
    widths: list[float] = []
    while len(widths) < _MOST_LEVELS and width < reach:
        widths.append(int(width) if width.is_integer() else width)
        width = float(f"{2 * width:.12g}")
    return widths


def _round(width: float) -> float:
    """Return the least of 1, 2, 5, 10, … and their tenths that is no smaller."""
    if not (width > 0 and math.isfinite(width)):
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    step = next((one for one in (1, 2, 5) if one * power >= width * (1 - 1e-9)), 10)
    return float(f"{step * power:.12g}")


def _lengths(values: "ColumnValues") -> list[int]:
    """Return how many first characters of codes of one length are kept, coarsest last; nothing for others."""
    texts = [str(text) for text in values.texts[1:]]
    sizes = {len(text) for text in texts}
    if len(sizes) != 1 or not _SHORTEST_CODE <= (size := sizes.pop()) <= _LONGEST_CODE:
        return []
    is_coded = all(text.isalnum() and any(sign.isdigit() for sign in text) for text in texts)
    return list(range(size - 1, 0, -1))[-_MOST_LEVELS:] if is_coded else []
