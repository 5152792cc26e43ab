"""Whatever has parameters is chosen in one way everywhere: its name, then its parameters in brackets."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from qidguard.core.errors import UserError
from qidguard.core.parameter import ParameterValue

_WRITTEN = re.compile(r"\s*(?P<name>[^\[\],\s][^\[\],]*?)\s*(?:\[(?P<inside>[^\]]*)\])?\s*")
_WORDS: Mapping[str, ParameterValue] = {"true": True, "false": False}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Something with parameters, chosen by a person, such as ``mdav[k=5, distance=squared]``.

    Args:
        name: What is chosen.
        parameters: Its parameters, by name; those that nobody names keep their defaults.
    """

    name: str
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    @classmethod
    def read(cls, written: str, subject: str = "a choice") -> Self:
        """Return what a text chooses; UserError where it is no name, or one with ``[parameter=value, ...]``.

        Numbers, ``true`` and ``false`` are read as such; anything else is text.
        """
        match = _WRITTEN.fullmatch(written)
        if match is None:
            raise UserError(f"{subject}: {written.strip()!r} must be a name, or a name[parameter=value, ...]")
        inside: dict[str, ParameterValue] = {}
        for text in (match["inside"] or "").split(","):
            if text.strip():
                name, value = parameter_of(text, subject)
                if name in inside:
                    raise UserError(f"{subject}: {match['name']} has {name} twice; keep one of them")
                inside[name] = value
        return cls(name=match["name"], parameters=inside)

    def parameters_with(self, parameters: Mapping[str, object], subject: str) -> dict[str, object]:
        """Return its parameters and those that stand beside it; UserError where one stands in both."""
        twice = sorted(self.parameters.keys() & parameters.keys())
        if twice:
            raise UserError(
                f"{subject}: {twice[0]} stands in brackets after {self.name} and beside it; keep one"
            )
        return {**self.parameters, **parameters}

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={_shown(value)}" for name, value in self.parameters.items())
        return f"{self.name}[{inside}]" if inside else self.name


def choice_parts(written: str) -> list[str]:
    """Return what stands between commas that are not in brackets."""
    return re.findall(r"(?:[^,\[\]]|\[[^\]]*\]|[\[\]])+", written)


def parameter_of(text: str, subject: str) -> tuple[str, ParameterValue]:
    """Return the parameter that a text such as ``k=5`` sets, and its value; UserError for another text."""
    name, sign, value = (part.strip() for part in text.partition("="))
    if not (name and sign and value):
        raise UserError(f"{subject}: {text.strip()!r} must be PARAMETER=VALUE, such as k=5")
    if value in _WORDS:
        return name, _WORDS[value]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _shown(value: ParameterValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
