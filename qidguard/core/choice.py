"""Whatever has parameters is chosen in one way everywhere: its name, then its parameters in brackets."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from qidguard.core.errors import UserError
from qidguard.core.parameter import ParameterValue, plain

_WRITTEN = re.compile(r"\s*(?P<name>[^\[\],\s][^\[\],]*?)\s*(?:\[(?P<inside>.*)\])?\s*", re.DOTALL)
_WORDS: Mapping[str, ParameterValue] = {"true": True, "false": False}
_CLOSING = {"[": "]", "{": "}"}
_QUOTES = "\"'"
_SPECIAL = frozenset("[]{},:=" + _QUOTES)
_DEEPEST = 4
"""How deep lists and mappings may stand in each other; no parameter needs more than two."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Something with parameters, chosen by a person, such as ``mdav[k=5, distance=squared]``.

    Args:
        name: What is chosen.
        parameters: Its parameters, by name; those that nobody names keep their defaults.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, written: str, subject: str = "a choice") -> Self:
        """Return what a text chooses; UserError where it is no name, or one with ``[parameter=value, ...]``.

        Numbers, ``true`` and ``false`` are read as such; ``{age: [17, 90]}`` is a mapping of lists, as in a
        policy; anything else is text. A text with signs of its own stands in quotes.

        Example:
            >>> Choice.read("noise[epsilon=1/2, bounds={age: [17, 90]}]").parameters
            {'epsilon': '1/2', 'bounds': {'age': [17, 90]}}
        """
        match = _WRITTEN.fullmatch(written)
        if match is None or not _is_balanced(match["inside"] or ""):
            raise UserError(f"{subject}: {written.strip()!r} must be a name, or a name[parameter=value, ...]")
        inside: dict[str, Any] = {}
        for text in choice_parts(match["inside"] or ""):
            if text.strip():
                name, value = parameter_of(text, subject)
                if name in inside:
                    raise UserError(f"{subject}: {match['name']} has {name} twice; keep one of them")
                inside[name] = value
        return cls(name=match["name"], parameters=inside)

    @classmethod
    def read_each(cls, written: str, subject: str = "a choice") -> tuple[Self, ...]:
        """Return what a text chooses with commas between; UserError where one stands twice.

        Example:
            >>> [str(one) for one in Choice.read_each("mondrian, mdav[k=5,publish=means]")]
            ['mondrian', 'mdav[k=5, publish=means]']
        """
        chosen = tuple(cls.read(part, subject) for part in choice_parts(written))
        labels = [str(choice) for choice in chosen]
        for label in labels:
            if labels.count(label) > 1:
                raise UserError(f"{subject} name {label} twice; keep one of them")
        return chosen

    def parameters_with(self, parameters: Mapping[str, object], subject: str) -> dict[str, object]:
        """Return its parameters and those that stand beside it; UserError where one stands in both.

        Args:
            parameters: Those beside it.
            subject: What the error begins with.

        Example:
            >>> Choice.read("mdav[k=5]").parameters_with({"distance": "squared"}, "remedy")
            {'k': 5, 'distance': 'squared'}
        """
        twice = sorted(self.parameters.keys() & parameters.keys())
        if twice:
            raise UserError(
                f"{subject}: {twice[0]} stands in brackets after {self.name} and beside it; keep one"
            )
        return {**self.parameters, **parameters}

    @property
    def plain_parameters(self) -> dict[str, Any]:
        """Its parameters as JSON holds them."""
        return {name: plain(value) for name, value in self.parameters.items()}

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={_shown(value)}" for name, value in self.parameters.items())
        return f"{self.name}[{inside}]" if inside else self.name


def choice_parts(written: str, separator: str = ",") -> list[str]:
    """Return what stands between separators that are in no brackets, braces or quotes; nothing that is empty.

    Example:
        >>> choice_parts("mondrian,mdav[k=5, publish=means]")
        ['mondrian', 'mdav[k=5, publish=means]']
    """
    parts, start, closing = [], 0, list[str]()
    for at, sign in _unquoted(written):
        if closing and sign == closing[-1]:
            closing.pop()
        elif sign in _CLOSING:
            closing.append(_CLOSING[sign])
        elif sign == separator and not closing:
            parts.append(written[start:at])
            start = at + 1
    return [part for part in (*parts, written[start:]) if part]


def _unquoted(written: str) -> Iterator[tuple[int, str]]:
    """Yield each sign outside quotes with its place; of quotes that nobody closed, the sign at the end."""
    quote, before = "", ","
    for at, sign in enumerate(written):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in _QUOTES and before in "[{,:=":  # where a value begins; elsewhere it is an apostrophe
            quote = sign
        else:
            yield at, sign
        before = before if sign.isspace() else sign
    if quote:
        yield len(written), quote


def _is_balanced(written: str) -> bool:
    """Return whether all brackets and quotes close in order."""
    closing: list[str] = []
    for at, sign in _unquoted(written):
        if at == len(written):
            return False
        if sign in _CLOSING:
            closing.append(_CLOSING[sign])
        elif sign in _CLOSING.values() and (not closing or closing.pop() != sign):
            return False
    return not closing


def parameter_of(text: str, subject: str) -> tuple[str, Any]:
    """Return the parameter that a text such as ``k=5`` sets, and its value; UserError for another text."""
    name, sign, value = (part.strip() for part in text.partition("="))
    if not (name and sign and value):
        raise UserError(f"{subject}: {text.strip()!r} must be PARAMETER=VALUE, such as k=5")
    return name, _value(value, f"{subject}: {name}", 0)


def _value(text: str, subject: str, depth: int) -> Any:
    """Return a value: a mapping, a list, a quoted text, true or false, a number, or text."""
    if depth > _DEEPEST:
        raise UserError(f"{subject} has more than {_DEEPEST} brackets in each other; write less")
    if text[0] in _CLOSING:
        if text[-1] != _CLOSING[text[0]]:
            raise UserError(f"{subject} must be a value such as [17, 90] or {{age: [17, 90]}}, not {text!r}")
        inside = text[1:-1]
        items = [part.strip() for part in choice_parts(inside) if part.strip()]
        if text[0] == "[":
            return [_value(item, subject, depth + 1) for item in items]
        return dict(_items(items, subject, depth))
    if len(text) > 1 and text[0] in _QUOTES and text[-1] == text[0]:
        return text[1:-1]
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _items(items: list[str], subject: str, depth: int) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for item in items:
        key, *rest = choice_parts(item, ":")
        value = item[len(key) + 1 :].strip()
        if not rest or not value or not item.startswith(key):
            raise UserError(f"{subject}: {item!r} must be NAME: VALUE, such as age: [17, 90]")
        name = key.strip()
        if len(name) > 1 and name[0] in _QUOTES and name[-1] == name[0]:
            name = name[1:-1]
        if name in seen:
            raise UserError(f"{subject} has {name!r} twice; keep one of them")
        seen.add(name)
        yield name, _value(value, subject, depth + 1)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(name)}: {_shown(one)}" for name, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, str):
        return _quoted(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    """Return a text as it stands in brackets: in quotes where it holds signs of its own."""
    if text and text == text.strip() and not _SPECIAL & set(text) and _value(text, "", 0) == text:
        return text
    sign = '"' if "'" in text else "'"
    return f"{sign}{text}{sign}"
