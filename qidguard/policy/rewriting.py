"""Add quasi-identifiers to the text of a policy, leaving every other character as it is."""

from collections.abc import Mapping

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from qidguard.core.errors import PolicyError
from qidguard.policy.document import read_document
from qidguard.policy.draft import comment_text, scalar_text
from qidguard.policy.load import parse_policy

AUTO = "auto"


def with_quasi_identifiers(text: str, added: Mapping[str, str], name: str = "policy") -> str:
    """Return a policy's text with more quasi-identifiers; nothing that it names is taken away."""
    value, _ = read_document(text, name)
    key, node = _place(text, name)
    roles = value["roles"] if isinstance(value, Mapping) else {}
    named = roles["quasi_identifiers"]
    if isinstance(named, str) and named != AUTO:
        parse_policy(text, name)  # says what is wrong with it
    new = {c: why for c, why in added.items() if not isinstance(named, list) or c not in named}
    if not new:
        return text
    written = _spliced(text, key, node, new)
    has = parse_policy(written, name).roles.qids
    if has != (*(named if isinstance(named, list) else ()), *new):
        raise PolicyError(
            f"{name}: its roles.quasi_identifiers cannot be added to as it is written; add them by hand"
        )
    return written


def _place(text: str, name: str) -> tuple[Node, Node]:
    """Return the nodes of the key ``roles.quasi_identifiers`` and of its value."""
    node: Node | None = YAML(typ="safe", pure=True).compose(text)
    key: Node | None = None
    for field in ("roles", "quasi_identifiers"):
        entries = node.value if isinstance(node, MappingNode) else ()
        key, node = next(((at, child) for at, child in entries if at.value == field), (None, None))
    if key is None or node is None:
        raise PolicyError(
            f"{name}: the policy has no roles.quasi_identifiers to write to; add roles:"
            " {quasi_identifiers: auto} to it, or name a new file"
        )
    return key, node


def _spliced(text: str, key: Node, node: Node, new: Mapping[str, str]) -> str:
    items = ", ".join(_flow(column) for column in new)
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, ScalarNode) and start == end:  # nothing stands behind the colon
        start = key.end_mark.index
        start += len(text[start:]) - len(text[start:].lstrip())
        colon = "" if text[start : start + 1] == ":" else ":"
        start = start + 1 if not colon else key.end_mark.index
        return f"{text[:start]}{colon} [{items}]{text[start:]}"
    if isinstance(node, ScalarNode):
        return f"{text[:start]}[{items}]{text[end:]}"
    if not node.value:  # what stands in the brackets is a comment
        return f"{text[:start]}[{items}{text[start + 1 :]}"
    assert isinstance(node, SequenceNode)  # noqa: S101 - a policy's lists hold texts
    last = len(text[: node.value[-1].end_mark.index].rstrip())  # a text after | or > ends a line later
    if node.flow_style:
        return f"{text[:last]}, {items}{text[last:]}"
    end = text.find("\n", last)
    end = len(text) if end < 0 else end
    line_end = "\r\n" if text[:end].endswith("\r") else "\n"
    end -= text[:end].endswith("\r")
    indent = " " * node.start_mark.column
    lines = [f"{line_end}{indent}- {scalar_text(c)}{_aside(why)}" for c, why in new.items()]
    return text[:end] + "".join(lines) + text[end:]


def _flow(column: str) -> str:
    """Return a column as YAML inside brackets, where commas and brackets mean something."""
    written = scalar_text(column)
    if written == column and any(sign in column for sign in ",[]{}"):
        return "'" + column.replace("'", "''") + "'"
    return written


def _aside(why: str) -> str:
    comment = comment_text(why)
    return f"  # {comment}" if comment else ""


def is_auto(text: str, name: str = "policy") -> bool:
    """Return whether a policy leaves its quasi-identifiers to recognizers."""
    value, _ = read_document(text, name)
    roles = value.get("roles") if isinstance(value, Mapping) else None
    return isinstance(roles, Mapping) and roles.get("quasi_identifiers") == AUTO
