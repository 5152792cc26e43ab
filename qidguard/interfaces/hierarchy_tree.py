"""A hierarchy as the terminal shows it: a table of its levels, and a tree of its groups."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qidguard.rendering.printable import shown_name, visible

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

    from qidguard.anonymizing.hierarchy import LevelSizes, ReadySystem
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.kind import KindAssignment

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
