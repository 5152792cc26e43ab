"""A hierarchy as a picture: one row a level, one block a group, the groups of a group below it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qidguard.core.hierarchy import Hierarchy

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
