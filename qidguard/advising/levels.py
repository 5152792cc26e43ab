"""The levels on which each column may be published, what each costs, and how a policy says them.

An automatic hierarchy follows the records, so next month's would be another one: what is advised is written
out.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from qidguard.advising.advice import DROPPED
from qidguard.anonymizing.hierarchy.policy import bind_hierarchies
from qidguard.anonymizing.hierarchy.ready.recognizing import recognize_system
from qidguard.core.column import ValueType
from qidguard.core.errors import UserError
from qidguard.core.kind import ColumnKind
from qidguard.policy import HierarchySettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.versions import ColumnSource
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Option:
    """One way to publish a column.

    Args:
        level: The level, 0 for exact; ``drop`` where it is not published.
        groups: Shape (codes,), the group of each code.
        ncp: What it costs, 0..1.
    """

    level: int | Literal["drop"]
    groups: "NDArray[np.int32]" = field(repr=False)
    ncp: float


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """The ways to publish a column, from exact to dropped; each merges what the one before does.

    Args:
        name: The column.
        options: The ways, the exact one first.
        hierarchy: What the levels are of; None where the column can only be dropped.
        written: What a policy has to say for that hierarchy; None where it declares one, or there is none.
        is_beside: Whether it is no column that is published, so that it costs nothing.
    """

    name: str
    options: tuple[Option, ...]
    hierarchy: "Hierarchy | None" = field(default=None, repr=False)
    written: "HierarchySettings | None" = None
    is_beside: bool = False

    @property
    def coarsest(self) -> int:
        """The coarsest level of its hierarchy; 0 where it has none."""
        return 0 if self.hierarchy is None else self.hierarchy.levels - 1


def column_options(
    name: str,
    records: "ColumnSource",
    policy: "Policy",
    declared: Mapping[str, "Hierarchy"],
    kind: "ColumnKind | None" = None,
) -> ColumnOptions:
    """Return the ways to publish a column that may be changed.

    Args:
        name: The column.
        records: The table.
        policy: The policy.
        declared: The hierarchies that the policy declares, by column.
        kind: What the column's values are, where somebody knows.
    """
    values = records.column(name)
    hierarchy, written = declared.get(name), None
    if hierarchy is None:
        made = written_hierarchy(records, values, kind, policy)
        if made is not None:
            written, hierarchy = made
    dropped = Option(level=DROPPED, groups=np.zeros(len(values.texts), dtype=np.int32), ncp=1.0)
    levels = [] if hierarchy is None else _levels(values, hierarchy)
    return ColumnOptions(
        name=name,
        options=(_exact(len(values.texts)), *levels, dropped),
        hierarchy=hierarchy if levels else None,
        written=written if levels else None,
    )


def kept_column(values: "ColumnValues") -> ColumnOptions:
    """Return the one way to publish a column that nobody may change."""
    return ColumnOptions(name=values.name, options=(_exact(len(values.texts)),))


def beside(span: int) -> ColumnOptions:
    """Return what stands beside the columns, with codes below a number, as the search takes columns."""
    return ColumnOptions(name="", options=(_exact(span),), is_beside=True)


def _exact(span: int) -> Option:
    return Option(level=0, groups=np.arange(span, dtype=np.int32), ncp=0.0)


def _levels(values: "ColumnValues", hierarchy: "Hierarchy") -> list[Option]:
    """Return the levels between exact and all in one, without those that merge nothing more."""
    found: list[Option] = []
    groups = len(values.texts)
    for level in range(1, hierarchy.levels):
        row = hierarchy.groups[level]
        held = int(row.max()) + 1
        if held < groups and len(np.unique(row[1:])) > 1:
            found.append(Option(level=level, groups=row, ncp=level_ncp(values, row)))
            groups = held
    return found


def level_ncp(values: "ColumnValues", groups: "Sequence[int] | NDArray[np.int32]") -> float:
    """Return the normalized certainty penalty of a level, the mean over records.

    A cell costs (values of its group − 1) / (values of the column − 1); of numbers and dates the range of its
    group / the range of the column (Xu et al. 2006). A missing value that stays apart costs nothing.
    """
    row = np.asarray(groups)
    records = np.bincount(values.codes, minlength=len(values.texts)).astype(np.float64)
    if not records.sum():
        return 0.0
    numbers = values.numbers
    if numbers is not None and np.isfinite(numbers[1:]).all() and len(numbers) > 1:
        own = numbers[1:]
        low = np.full(int(row.max()) + 1, np.inf)
        high = np.full(int(row.max()) + 1, -np.inf)
        np.minimum.at(low, row[1:], own)
        np.maximum.at(high, row[1:], own)
        whole = float(own.max() - own.min())
        cost = np.zeros(len(low)) if not whole else (high - low) / whole
    else:
        leaves = np.bincount(row[1:], minlength=int(row.max()) + 1)
        cost = (leaves - 1) / max(1, values.distinct - 1)
    cost = np.where(np.isfinite(cost), np.clip(cost, 0.0, 1.0), 0.0)
    return float((cost[row] * records).sum() / records.sum())


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
