"""A hierarchy drawn: as a tree on the console, and as a plot."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qidguard.rendering.printable import shown_name, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table
    from rich.tree import Tree

    from qidguard.anonymizing.hierarchy.level_sizes import LevelSizes
    from qidguard.anonymizing.hierarchy.ready.data import ReadySystem
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.kind import KindAssignment


MOST_BLOCKS = 3_000
"""Groups that a picture shows; finer levels than that leaves room for are left out."""

WIDTH = 900
ROW = 46
_LETTER = 6
"""Pixels of one letter of a label, about."""
_TOP = "#59636e"
_COLORS = ("#0072b2", "#a34700", "#00785a", "#9b4f7e", "#7a5700", "#3f6f8f")
"""Dark enough for white letters, on light and on dark ground."""


def hierarchy_plot(
    hierarchy: "Hierarchy", *, records: "Sequence[int] | None" = None, is_labeled: bool = True
) -> Any:
    """Return a picture of a hierarchy: the top above, the values below.

    A block is as wide as its group has values, or records where they are given. Colors tell apart what the
    level below the top keeps apart.
    """
    from qidguard.sdk import Plot

    blocks = list(_blocks(hierarchy, records, is_labeled=is_labeled))
    unit = "values" if records is None else "records"
    finest = min((block["level"] for block in blocks), default=0)
    left_out = "" if finest == 0 else f" Levels finer than {finest} have too many groups to be drawn."
    groups = ", ".join(
        f"level {level} has {sum(block['level'] == level for block in blocks):,}"
        for level in range(hierarchy.levels - 1, finest - 1, -1)
    )
    axis = {"grid": False, "format": ",d", "tickMinStep": 1}
    base = {
        "x": {"field": "from", "type": "quantitative", "title": unit, "axis": axis, "scale": {"nice": False}},
        "x2": {"field": "to"},
        "y": {
            "field": "level",
            "type": "ordinal",
            "sort": "descending",
            "title": "level",
            "axis": {"ticks": False, "domain": False},
            "scale": {"paddingInner": 0.08, "paddingOuter": 0},
        },
    }
    tooltip = [{"field": name, "type": "nominal"} for name in (["label"] if is_labeled else [])]
    tooltip += [{"field": "size", "type": "quantitative", "title": unit, "format": ",d"}]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rect", "stroke": {"expr": "background"}, "strokeWidth": 0.75},
            "encoding": {
                **base,
                "color": {"field": "color", "type": "nominal", "scale": None, "legend": None},
                "tooltip": tooltip,
            },
        }
    ]
    if is_labeled:
        layers.append(
            {
                "mark": {"type": "text", "fontSize": 10, "color": "white", "clip": True},
                "encoding": {
                    "x": {"field": "middle", "type": "quantitative"},
                    "y": base["y"],
                    "text": {"field": "written", "type": "nominal"},
                },
            }
        )
    return Plot(
        title=f"Generalization hierarchy of {hierarchy.column}",
        alternative=f"Groups from the top to the values, as wide as their {unit}: {groups}.{left_out}",
        chart={
            "data": {"values": blocks},
            "width": WIDTH,
            "height": ROW * (hierarchy.levels - finest),
            "layer": layers,
        },
    )


def _blocks(
    hierarchy: "Hierarchy", records: "Sequence[int] | None", *, is_labeled: bool
) -> "Iterator[dict[str, Any]]":
    import numpy as np

    groups = hierarchy.groups[:, 1:]
    # values stand so that the groups of every level are neighbors: by the coarsest level first
    order = np.lexsort(groups)
    weights = np.ones(groups.shape[1]) if records is None else np.asarray(records, dtype=float)[1:]
    ends = np.cumsum(weights[order])
    branch = np.zeros(len(order), int)
    if hierarchy.levels > 2:  # noqa: PLR2004 - there is a level between exact and top
        branch = groups[hierarchy.levels - 2, order]
    left = MOST_BLOCKS
    for level in range(hierarchy.levels - 1, -1, -1):
        row = groups[level, order]
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        left -= len(starts)
        if left < 0:
            return
        stops = np.append(starts[1:], len(row)) - 1
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            begin, end = float(ends[start] - weights[order[start]]), float(ends[stop])
            is_top = level == hierarchy.levels - 1
            block: dict[str, Any] = {
                "level": level,
                "from": begin,
                "to": end,
                "size": end - begin,
                "color": _TOP if is_top else _COLORS[int(branch[start]) % len(_COLORS)],
            }
            if is_labeled:
                label = str(hierarchy.labels[level][int(row[start])])
                room = int(WIDTH * (end - begin) / max(float(ends[-1]), 1) / _LETTER) - 1
                block |= {"label": label, "middle": (begin + end) / 2, "written": _fitted(label, room)}
            yield block


def _fitted(label: str, room: int) -> str:
    """Return as much of a label as there is room for; nothing rather than a letter or two."""
    if len(label) <= room:
        return label
    return label[: room - 1] + "…" if room >= 4 else ""  # noqa: PLR2004 - three letters and an ellipsis


LONGEST_LABEL = 60
"""Characters of a label that a tree shows."""


def levels_table(hierarchy: "Hierarchy", sizes: "Sequence[LevelSizes]") -> "Table":
    """Return the levels with the number and size of their groups; no value is in it."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    has_records = any(size.records for size in sizes)
    table = Table(
        title=f"{shown_name(hierarchy.column)}: {hierarchy.levels} levels, from {hierarchy.origin}",
        title_justify="left",
        box=SIMPLE_HEAD,
        safe_box=True,
    )
    for heading in ("level", "groups", "values a group", *(["records a group"] if has_records else [])):
        table.add_column(heading, justify="right")
    for size in sizes:
        records = [_between(size.records)] if size.records else []
        table.add_row(str(size.level), f"{size.groups:,}", _between(size.values), *records)
    return table


def systems_table(systems: "Sequence[ReadySystem]") -> "Table":
    """Return the published systems with their publishers and editions."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, safe_box=True)
    for heading in ("ready", "what", "publisher", "edition"):
        table.add_column(heading, no_wrap=heading == "ready")
    for one in systems:
        table.add_row(one.name, one.title, one.publisher, one.edition)
    return table


def kind_line(column: str, kind: "KindAssignment") -> str:
    """Return what a column's values are and why, and that it decides where somebody is sure.

    Example:
        >>> from qidguard.core.kind import ColumnKind, KindAssignment
        >>> from qidguard.core.role import DecidedBy
        >>> stated = KindAssignment(
        ...     kind=ColumnKind.CODE, decided_by=DecidedBy.PERSON, reason="the policy states it"
        ... )
        >>> kind_line("ward", stated)
        'Column ward holds codes that stand for something (code): the policy states it.'
    """
    from qidguard.core.kind import KIND_WORDS

    words = f"{KIND_WORDS[kind.kind]} ({kind.kind.value})"
    if kind.is_sure:
        return f"Column {shown_name(column)} holds {words}: {kind.reason}."
    return (
        f"Column {shown_name(column)} may hold {words}, which is not sure enough to count: {kind.reason};"
        " state it in the policy's kinds."
    )


def groups_tree(hierarchy: "Hierarchy", *, most: int, records: "Sequence[int] | None" = None) -> "Tree":
    """Return the groups as a tree from the top down to the values, NULL left out."""
    from rich.text import Text
    from rich.tree import Tree

    def words(level: int, codes: Sequence[int]) -> Text:
        label = hierarchy.labels[level][int(hierarchy.groups[level, codes[0]])]
        said = Text(_short(str(label)))
        parts = [f"{len(codes):,} values"] if level and len(codes) > 1 else []
        if records is not None:
            parts.append(f"{sum(records[code] for code in codes):,} records")
        return said.append(f"  {', '.join(parts)}", style="dim") if parts else said

    codes = list(range(1, hierarchy.groups.shape[1]))
    top = hierarchy.levels - 1
    if not codes:
        return Tree(Text("no values"))
    root = Tree(words(top, codes))
    waiting = [(root, top, codes)]
    for tree, level, members in waiting:
        below: dict[int, list[int]] = {}
        for code in members:
            below.setdefault(int(hierarchy.groups[level - 1, code]), []).append(code)
        for group in list(below.values())[:most]:
            branch = tree.add(words(level - 1, group))
            if level > 1:
                waiting.append((branch, level - 1, group))
        if len(below) > most:
            tree.add(Text(f"and {len(below) - most:,} more", style="dim"))
    return root


def _short(label: str) -> str:
    text = visible(label)
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def _between(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
