"""Hierarchies from taxonomies: trees of names whose leaves, and any other nodes, are values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from qidguard.anonymizing.hierarchy.assembling import assemble, labeled_level
from qidguard.anonymizing.hierarchy.file import matched
from qidguard.anonymizing.hierarchy.tree_file import Node, nested_nodes, read_nodes
from qidguard.core.column import ColumnValues
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy


@dataclass(frozen=True, kw_only=True)
class Taxonomy:
    """A checked tree of names.

    Args:
        source: What errors call it.
        paths: Name → the names from the highest down to it.
        lines: Name → the line that it stands in; 0, or none, where nobody knows.
        sha256: The digest of the bytes that it was read from, hex; empty where there is no file.
    """

    source: str
    paths: Mapping[str, tuple[str, ...]] = field(repr=False)
    lines: Mapping[str, int] = field(repr=False)
    sha256: str = ""


def taxonomy_hierarchy(
    values: ColumnValues, taxonomy: "str | PathLike[str] | Mapping[str, object]"
) -> Hierarchy:
    """Return the hierarchy that a taxonomy gives for a column.

    A tree of depth D gives levels D, D − 1, …: on each, a value is published as the node above it at that
    depth; one that stands higher than that is repeated until its depth is reached. A value may be a leaf or
    any other node, and what stands below a group of its own name is that group. Where one node stands above
    all, it is the top, else ``*`` is. Each name stands once in a taxonomy. NULL, and a cell that is already
    ``*``, stays apart below the top.

    Args:
        values: The column.
        taxonomy: The path of a nested ``.yaml`` or ``.json`` file, or of a ``.csv`` table of parents
            (``infarct;heart``), or a nested mapping.

    Returns:
        The hierarchy.

    Units:
        Depths are counted from the highest node, which has depth 1.

    Raises:
        DataError: When the file cannot be read, a name stands in two places or below itself, or values of the
            table are missing, which are counted and not named.

    Example:
        >>> import numpy as np
        >>> illness = ColumnValues(
        ...     name="illness",
        ...     value_type="text",
        ...     codes=np.array([1, 2, 3], dtype=np.int32),
        ...     texts=(None, "angina", "asthma", "stroke"),
        ... )
        >>> tree = {"heart": {"vessels": ["angina", "stroke"]}, "lung": ["asthma"]}
        >>> taxonomy_hierarchy(illness, tree).labels[1:]
        ((None, 'vessels', 'asthma'), (None, 'heart', 'lung'), ('*',))
    """
    if isinstance(taxonomy, Mapping):
        return bind_taxonomy(checked_taxonomy(list(nested_nodes(taxonomy)), "the taxonomy"), values)
    return bind_taxonomy(read_taxonomy(taxonomy), values)


def read_taxonomy(path: "str | PathLike[str]") -> Taxonomy:
    """Return the taxonomy of a file.

    Example:
        >>> read_taxonomy("nowhere.yaml")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.DataError: there is no taxonomy nowhere.yaml; check its path
    """
    read = read_nodes(path)
    return replace(checked_taxonomy(read.nodes, f"taxonomy {Path(path).name}"), sha256=read.sha256)


def checked_taxonomy(nodes: Sequence[Node], source: str) -> Taxonomy:
    """Return the taxonomy that nodes make.

    Example:
        >>> checked_taxonomy([Node(name="infarct", parent="heart")], "a tree").paths["infarct"]
        ('heart', 'infarct')
    """
    parents: dict[str, str | None] = {}
    lines: dict[str, int] = {}
    for node in nodes:
        if node.name == node.parent:
            continue
        if node.name in parents:
            first = lines[node.name]
            where = f" in lines {first} and {node.line}" if first and node.line else ""
            raise DataError(f"{source} has one name in two places{where}; let each name stand once")
        parents[node.name] = node.parent
        lines[node.name] = node.line
    if not parents:
        raise DataError(f"{source} is empty; name at least one value")
    for node in nodes:
        if node.parent is not None:
            parents.setdefault(node.parent, None)
    return Taxonomy(source=source, paths=_paths(parents, source), lines=lines)


def bind_taxonomy(taxonomy: Taxonomy, values: ColumnValues) -> Hierarchy:
    """Return the hierarchy that a taxonomy gives for a column.

    Example:
        >>> import numpy as np
        >>> one = ColumnValues(
        ...     name="illness",
        ...     value_type="text",
        ...     codes=np.array([1], dtype=np.int32),
        ...     texts=(None, "asthma"),
        ... )
        >>> lung = checked_taxonomy([Node(name="asthma", parent="lung")], "a tree")
        >>> bind_taxonomy(lung, one).labels
        ((None, 'asthma'), ('lung',))
    """
    names = list(taxonomy.paths)
    lines = [taxonomy.lines.get(name, 0) for name in names]
    row_by_code = matched(values, names, lines, taxonomy.source)
    depth = max(map(len, taxonomy.paths.values()))
    roots = {path[0] for path in taxonomy.paths.values()}
    # a single node above all is the top itself, unless nothing stands below it
    has_root = len(roots) == 1 and depth > 1
    texts = [str(text) for text in values.texts[1:]]
    paths = [None if at is None else taxonomy.paths[names[at]] for at in row_by_code]
    levels = [
        labeled_level(
            [
                text if path is None else path[min(kept, len(path)) - 1]
                for path, text in zip(paths, texts, strict=True)
            ]
        )
        for kept in range(depth - 1, 1 if has_root else 0, -1)
    ]
    return assemble(values, levels, origin="taxonomy", top=roots.pop() if has_root else SUPPRESSED)


def _paths(parents: Mapping[str, str | None], source: str) -> dict[str, tuple[str, ...]]:
    paths: dict[str, tuple[str, ...]] = {}
    for name in parents:
        below: list[str] = []
        above: str | None = name
        while above is not None and above not in paths:
            below.append(above)
            if len(below) > len(parents):
                raise DataError(f"{source} has a name that stands below itself; mend its parents")
            above = parents[above]
        path = paths[above] if above is not None else ()
        for node in reversed(below):
            path = (*path, node)
            paths[node] = path
    return paths
