"""The nodes of a taxonomy in YAML, each with its line, every scalar taken as it is written."""

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as YamlNode

from qidguard.anonymize.hierarchy.tree_file import Node
from qidguard.core.errors import DataError


def yaml_nodes(text: str, name: str) -> list[Node]:
    r"""Return the nodes of nested YAML mappings and lists.

    Args:
        text: The YAML. ``no``, ``017`` and ``1.10`` are texts; an empty scalar is nothing.
        name: What errors call it.

    Returns:
        The nodes.

    Units:
        Lines are counted from 1.

    Raises:
        DataError: When it is not YAML, or uses anchors.

    Example:
        >>> [(node.name, node.line) for node in yaml_nodes("yes:\n- no\n", "a.yaml")]
        [('yes', 1), ('no', 2)]
    """
    found: list[Node] = []
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
                found.append(Node(name=key.value, parent=parent, line=key.start_mark.line + 1))
                waiting.append((below, key.value))
        elif isinstance(given, SequenceNode):
            waiting.extend((item, parent) for item in given.value)
        elif isinstance(given, ScalarNode) and (given.value or given.style):
            found.append(Node(name=given.value, parent=parent, line=line))
    return found


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
