"""The nodes of a taxonomy, as a nested file or a table of parents names them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode

from qidguard.core.errors import DataError


@dataclass(frozen=True, kw_only=True)
class Node:
    """One name of a taxonomy.

    Args:
        name: The name, a value of the table or a group of such.
        parent: The name it stands below; None at the top.
        line: The line it stands in, counted from 1; 0 where there is none.
    """

    name: str = field(repr=False)
    parent: str | None = field(repr=False)
    line: int = 0


def nested_nodes(tree: object) -> Iterator[Node]:
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
                yield Node(name=_name(name), parent=parent)
                waiting.append((below, _name(name)))
        elif isinstance(given, (list, tuple)):
            waiting.extend((item, parent) for item in given)
        elif given is not None:
            yield Node(name=_name(given), parent=parent)


def _name(given: object) -> str:
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    if not isinstance(given, str):
        raise DataError(f"a taxonomy names values and groups by text, not by {type(given).__name__}")
    return given


@dataclass(frozen=True, kw_only=True)
class NodeFile:
    """The nodes of a taxonomy file, and the digest of the bytes that they were read from, hex."""

    nodes: tuple[Node, ...] = field(repr=False)
    sha256: str


def read_nodes(path: "str | PathLike[str]") -> NodeFile:
    r"""Return the nodes of a taxonomy file.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "icd.yaml")
        ...     _ = path.write_text("heart: [infarct, 017]\n")
        ...     [(node.name, node.parent, node.line) for node in read_nodes(path).nodes]
        [('heart', None, 1), ('infarct', 'heart', 1), ('017', 'heart', 1)]
    """
    from qidguard.anonymizing.hierarchy.rows import text_file

    file = Path(path)
    kind = file.suffix.lower()
    if kind not in {".yaml", ".yml", ".json", ".csv", ".tsv", ".txt"}:
        raise DataError(f"taxonomy {file.name} must be a .yaml, .json or .csv file; rename or convert it")
    read = text_file(file, f"taxonomy {file.name}")
    if kind == ".json":
        nodes = nested_nodes(_json(read.text, file.name))
    elif kind in {".yaml", ".yml"}:
        nodes = iter(yaml_nodes(read.text, file.name))
    else:
        nodes = _parent_nodes(read.text, file.name)
    return NodeFile(nodes=tuple(nodes), sha256=read.sha256)


def _parent_nodes(text: str, name: str) -> Iterator[Node]:
    from qidguard.anonymizing.hierarchy.rows import parsed_rows

    for row in parsed_rows(text, f"taxonomy {name}"):
        if len(row.cells) != 2:  # noqa: PLR2004 - a name and its parent
            raise DataError(
                f"taxonomy {name} line {row.line} has {len(row.cells)} columns;"
                " a table of parents has two, as infarct;heart"
            )
        own, parent = row.cells
        # what stands below itself stands at the top
        yield Node(name=own, parent=None if parent in {"", own} else parent, line=row.line)


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


def yaml_nodes(text: str, name: str) -> list[Node]:
    r"""Return the nodes of nested YAML mappings and lists.

    Example:
        >>> [(node.name, node.line) for node in yaml_nodes("yes:\n- no\n", "a.yaml")]
        [('yes', 1), ('no', 2)]
    """
    nodes: list[Node] = []
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
                nodes.append(Node(name=key.value, parent=parent, line=key.start_mark.line + 1))
                waiting.append((below, key.value))
        elif isinstance(given, SequenceNode):
            waiting.extend((item, parent) for item in given.value)
        elif isinstance(given, ScalarNode) and (given.value or given.style):
            nodes.append(Node(name=given.value, parent=parent, line=line))
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
