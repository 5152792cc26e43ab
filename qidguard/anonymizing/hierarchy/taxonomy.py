"""Hierarchies from taxonomies: trees of names whose leaves, and any other nodes, are values."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode

from qidguard.anonymizing.hierarchy.assembling import assemble, labeled_level
from qidguard.anonymizing.hierarchy.file import TextFile, matched, parsed_rows, text_file
from qidguard.core.column import ColumnValues
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy


@dataclass(frozen=True, kw_only=True)
class TaxonomyNode:
    """One name of a taxonomy.

    Args:
        name: The name, a value of the table or a group of such.
        parent: The name it stands below; None at the top.
        line: The line it stands in, counted from 1; 0 where there is none.
    """

    name: str = field(repr=False)
    parent: str | None = field(repr=False)
    line: int = 0


def nested_nodes(tree: object) -> Iterator[TaxonomyNode]:
    """Yield the nodes of nested mappings and lists.

    Example:
        >>> [(node.name, node.parent) for node in nested_nodes({"heart": ["infarct"], "lung": None})]
        [('heart', None), ('lung', None), ('infarct', 'heart')]
    """
    waiting: list[tuple[object, str | None]] = [(tree, None)]
    # breadth first and without recursion, so that depth is no limit
    for given, parent in waiting:
        if isinstance(given, Mapping):
            for name, below in given.items():
                yield TaxonomyNode(name=_name(name), parent=parent)
                waiting.append((below, _name(name)))
        elif isinstance(given, (list, tuple)):
            waiting.extend((item, parent) for item in given)
        elif given is not None:
            yield TaxonomyNode(name=_name(given), parent=parent)


def _name(given: object) -> str:
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    if not isinstance(given, str):
        raise DataError(f"a taxonomy names values and groups by text, not by {type(given).__name__}")
    return given


def _nodes(file: TextFile, path: Path) -> Iterable[TaxonomyNode]:
    kind = path.suffix.lower()
    if kind == ".json":
        return nested_nodes(_json(file.text, path.name))
    if kind in {".yaml", ".yml"}:
        return yaml_nodes(file.text, path.name)
    return _parent_nodes(file.text, path.name)


def _parent_nodes(text: str, name: str) -> Iterator[TaxonomyNode]:
    for row in parsed_rows(text, f"taxonomy {name}"):
        if len(row.cells) != 2:  # noqa: PLR2004 - a name and its parent
            raise DataError(
                f"taxonomy {name} line {row.line} has {len(row.cells)} columns;"
                " a table of parents has two, as infarct;heart"
            )
        own, parent = row.cells
        # what stands below itself stands at the top
        yield TaxonomyNode(name=own, parent=None if parent in {"", own} else parent, line=row.line)


def _json(text: str, name: str) -> object:
    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        groups = dict(items)
        if len(groups) != len(items):
            raise DataError(f"taxonomy {name} names a group twice in one place; keep one of them")
        return groups

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise DataError(f"taxonomy {name} line {error.lineno} is not JSON; correct this line") from None
    except RecursionError:
        raise DataError(f"taxonomy {name} is nested too deeply; write it as a table of parents") from None


def yaml_nodes(text: str, name: str) -> list[TaxonomyNode]:
    r"""Return the nodes of nested YAML mappings and lists.

    Example:
        >>> [(node.name, node.line) for node in yaml_nodes("yes:\n- no\n", "a.yaml")]
        [('yes', 1), ('no', 2)]
    """
    nodes: list[TaxonomyNode] = []
    waiting: list[tuple[YamlNode | None, str | None]] = [(_composed(text, name), None)]
    for given, parent in waiting:
        if given is None:
            continue
        line = given.start_mark.line + 1
        if given.anchor is not None:
            raise DataError(f"taxonomy {name} line {line} uses an anchor (& or *); write the part out")
        if isinstance(given, MappingNode):
            for key, below in given.value:
                if not isinstance(key, ScalarNode):
                    raise DataError(f"taxonomy {name} line {line} has a key that is no text; name the group")
                nodes.append(TaxonomyNode(name=key.value, parent=parent, line=key.start_mark.line + 1))
                waiting.append((below, key.value))
        elif isinstance(given, SequenceNode):
            waiting.extend((item, parent) for item in given.value)
        elif isinstance(given, ScalarNode) and (given.value or given.style):
            nodes.append(TaxonomyNode(name=given.value, parent=parent, line=line))
    return nodes


def _composed(text: str, name: str) -> YamlNode | None:
    try:
        top: YamlNode | None = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = "" if mark is None else f" line {mark.line + 1}"
        raise DataError(f"taxonomy {name}{place} is not YAML; correct it") from None
    except (YAMLError, RecursionError):
        raise DataError(f"taxonomy {name} is not YAML, or nested too deeply; correct it") from None
    return top


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
    source = Path(path)
    name = f"taxonomy {source.name}"
    if source.suffix.lower() not in {".yaml", ".yml", ".json", ".csv", ".tsv", ".txt"}:
        raise DataError(f"{name} must be a .yaml, .json or .csv file; rename or convert it")
    file = text_file(source, name)
    return replace(checked_taxonomy(tuple(_nodes(file, source)), name), sha256=file.sha256)


def checked_taxonomy(nodes: Sequence[TaxonomyNode], source: str) -> Taxonomy:
    """Return the taxonomy that nodes make.

    Example:
        >>> checked_taxonomy([TaxonomyNode(name="infarct", parent="heart")], "a tree").paths["infarct"]
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
        >>> lung = checked_taxonomy([TaxonomyNode(name="asthma", parent="lung")], "a tree")
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
