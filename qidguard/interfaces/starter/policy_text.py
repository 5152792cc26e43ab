"""A policy's text with some of its values replaced; every other character stays as it is."""

import json
from collections.abc import Mapping

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode


def replaced(text: str, values: Mapping[tuple[str, ...], str]) -> str:
    """Return a YAML text with other values at some places.

    Example:
        >>> replaced("source: {path: a.csv} # where", {("source", "path"): "../b.csv"})
        'source: {path: "../b.csv"} # where'
    """
    root = YAML(pure=True).compose(text)
    found = [(node, value) for place, value in values.items() if (node := _scalar(root, place)) is not None]
    found = [(node, value) for node, value in found if node.value != value]
    for node, value in sorted(found, key=lambda pair: pair[0].start_mark.index, reverse=True):
        start, end = node.start_mark.index, node.end_mark.index
        text = text[:start] + json.dumps(value, ensure_ascii=False) + text[end:]
    return text


def _scalar(node: Node | None, place: tuple[str, ...]) -> ScalarNode | None:
    for key in place:
        if not isinstance(node, MappingNode):
            return None
        node = next((value for name, value in node.value if name.value == key), None)
    return node if isinstance(node, ScalarNode) else None
