"""YAML 1.2 text as plain values with the line of every field. What could mislead a reviewer is refused."""

from collections.abc import Iterator
from types import MappingProxyType

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from qidguard.core.errors import PolicyError
from qidguard.policy.origin import Complaint, FieldPath, Origin, path_text, text_digest

_TAG = "tag:yaml.org,2002:"
_SCALARS = {_TAG + kind for kind in ("str", "int", "float", "bool", "null", "timestamp")}
_CONTAINERS = {_TAG + "map", _TAG + "seq"}


def read_document(text: str, name: str) -> tuple[object, Origin]:
    r"""Parse one YAML 1.2 document: a column named ``no``, ``on`` or ``yes`` stays text.

    Returns:
        Dictionaries, lists and scalars; and the text's name, lines and digest.

    Example:
        >>> value, origin = read_document("columns:\n- no\n", "policy.yaml")
        >>> value, origin.where(("columns", 0))
        ({'columns': ['no']}, 'policy.yaml line 2')
    """
    reader = _Reader(text, name)
    value = reader.read()
    origin = Origin(name=name, lines=MappingProxyType(reader.lines), digest=text_digest(text), text=text)
    return value, origin


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.lines: dict[FieldPath, int] = {}
        self.complaints: list[Complaint] = []
        # pure=True: the C parser reads YAML 1.1
        self.yaml = YAML(typ="safe", pure=True)

    def read(self) -> object:
        try:
            top = self.yaml.compose(self.text)
            if self.yaml.resolver.processing_version not in {None, (1, 2)}:
                raise PolicyError(f"{self.name}: a policy is YAML 1.2; remove the %YAML directive")
            value = None if top is None else self.value(top, ())
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = self.name if mark is None else f"{self.name} line {mark.line + 1}"
            problem = str(error.problem).removeprefix("but ")
            raise PolicyError(f"{place}: this is not YAML ({problem}); correct this line") from None
        except YAMLError:
            raise PolicyError(
                f"{self.name}: this is not YAML, it holds control characters; remove them"
            ) from None
        except RecursionError:
            raise PolicyError(f"{self.name}: lists are nested too deeply; a policy has few levels") from None
        if self.complaints:
            raise Origin(name=self.name, lines=self.lines).error(self.complaints)
        return value

    def complain(self, path: FieldPath, sentence: str) -> None:
        self.complaints.append(Complaint(path=path, sentence=sentence))

    def value(self, node: Node, path: FieldPath) -> object:
        self.lines.setdefault(path, node.start_mark.line + 1)
        here = path_text(path) or "the policy"
        if node.anchor is not None:
            self.complain(path, f"{here} uses an anchor or alias (& or *); write the value out")
            return None
        if str(node.tag) not in _SCALARS | _CONTAINERS:
            self.complain(path, f"{here} uses the tag or key {node.tag}; write a plain value")
            return None
        if isinstance(node, MappingNode):
            return {key: self.value(child, (*path, key)) for key, child in self.entries(node, path)}
        if isinstance(node, SequenceNode):
            return [self.value(child, (*path, position)) for position, child in enumerate(node.value)]
        return self.scalar(node)

    def entries(self, node: MappingNode, path: FieldPath) -> Iterator[tuple[str, Node]]:
        seen: set[str] = set()
        for key, child in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, ScalarNode) and key.value == "" and not key.style:
                # a lone ? is YAML's sign for a key, and people write it as a marker of missing values
                self.lines[*path, -line] = line
                self.complain((*path, -line), f"{path_text(path)} holds a bare ?; put it in quotes: '?'")
            elif not isinstance(key, ScalarNode) or str(key.tag) != _TAG + "str":
                sentence = f"a key of {path_text(path) or 'the policy'} must be text; put it in quotes"
                # no field has a negative position: it only carries the line to the error
                self.lines[*path, -line] = line
                self.complain((*path, -line), sentence)
            elif key.value in seen:
                self.lines[*path, key.value] = line
                full = path_text((*path, key.value))
                self.complain((*path, key.value), f"{full} stands here for the second time; keep one of them")
            else:
                seen.add(key.value)
                self.lines[*path, key.value] = line
                yield key.value, child

    def scalar(self, node: Node) -> object:
        try:
            return self.yaml.constructor.construct_object(node)
        except ValueError:
            # 2026-13-45 looks like a date and is none, and a number may have too many digits: keep the text
            return str(node.value)
