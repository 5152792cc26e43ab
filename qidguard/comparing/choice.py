"""Which methods are compared: names with parameters, as a person writes them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qidguard.core.errors import UserError
from qidguard.core.parameter import Parameter, ParameterValue

if TYPE_CHECKING:
    from qidguard.host import Host

ALL = "all"
"""What stands for every anonymiser that is installed."""

_WRITTEN = re.compile(r"\s*(?P<name>[^\[\],\s][^\[\],]*?)\s*(?:\[(?P<inside>[^\]]*)\])?\s*")
_WORDS: Mapping[str, ParameterValue] = {"true": True, "false": False}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One method that is compared.

    Args:
        method: The anonymiser's name.
        parameters: Its parameters, by name.
        label: What its row is called; the same method may stand in several rows with other parameters.
    """

    method: str
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    label: str = ""

    def __post_init__(self) -> None:
        if not self.label:
            inside = ", ".join(f"{name}={_shown(value)}" for name, value in self.parameters.items())
            object.__setattr__(self, "label", f"{self.method}[{inside}]" if inside else self.method)


def choices(written: str, settings: Sequence[str] = ()) -> tuple[Choice, ...]:
    """Return the methods of a text such as ``mondrian,mdav[k=5,publish=means]``.

    Args:
        written: Names with commas between; parameters of a method in square brackets after it.
        settings: Further texts such as ``mdav.k=5``, which hold wherever the method stands.

    Returns:
        The choices, in their order.

    Units:
        Parameters have their own.

    Raises:
        UserError: When a text is none of these, a parameter stands twice, or a method does.

    Example:
        >>> [one.label for one in choices("mondrian, mdav[k=5, publish=means]", ["mondrian.k=3"])]
        ['mondrian[k=3]', 'mdav[k=5, publish=means]']
    """
    beside: dict[str, dict[str, ParameterValue]] = {}
    for text in settings:
        method, dot, rest = text.partition(".")
        if not dot:
            raise UserError(f"--set: {text!r} must be METHOD.PARAMETER=VALUE, such as mondrian.k=5")
        name, value = _pair(rest, "--set")
        if name in beside.setdefault(method.strip(), {}):
            raise UserError(f"--set: {method.strip()}.{name} stands twice; keep one of them")
        beside[method.strip()][name] = value
    found = []
    for part in _parts(written):
        match = _WRITTEN.fullmatch(part)
        if match is None:
            raise UserError(f"--methods: {part.strip()!r} must be a name, or a name[parameter=value, ...]")
        inside: dict[str, ParameterValue] = {}
        for text in (match["inside"] or "").split(","):
            if text.strip():
                name, value = _pair(text, "--methods")
                if name in inside:
                    raise UserError(f"--methods: {match['name']} has {name} twice; keep one of them")
                inside[name] = value
        found.append(Choice(method=match["name"], parameters=beside.get(match["name"], {}) | inside))
    named = {one.method for one in found}
    if ALL in named:
        # what is set of a method among all of them makes its row
        found += [
            Choice(method=name, parameters=given) for name, given in beside.items() if name not in named
        ]
    _check(found, beside)
    return tuple(found)


def expanded(found: Sequence[Choice], host: "Host") -> tuple[Choice, ...]:
    """Return the choices with ``all`` replaced by every other anonymiser that takes k from the policy.

    These are the installed ones that have a parameter k and need none to be set.

    Args:
        found: The choices.
        host: The plugins.

    Returns:
        The choices, each once, in order.

    Units:
        None.

    Raises:
        UserError: When no anonymiser is installed that would be taken, or none is named.

    Example:
        >>> from types import SimpleNamespace
        >>> expanded([Choice(method="mdav")], SimpleNamespace(anonymisers={}))[0].label
        'mdav'
    """
    taken: dict[str, Choice] = {}
    named = {one.method for one in found}
    for one in found:
        if one.method != ALL:
            taken[one.label] = one
            continue
        for name, anonymiser in host.anonymisers.items():
            if name not in named and _can_stand_alone(anonymiser.parameters):
                taken[name] = Choice(method=name)
    if not taken:
        raise UserError("There is no method to compare; name some, as qidguard plugins lists them.")
    return tuple(taken.values())


def _can_stand_alone(parameters: Sequence[Parameter]) -> bool:
    has_k = any(one.name == "k" for one in parameters)
    return has_k and all(one.default is not None for one in parameters)


def _parts(written: str) -> list[str]:
    """Return what stands between commas that are not in brackets."""
    parts = re.findall(r"(?:[^,\[\]]|\[[^\]]*\]|[\[\]])+", written)
    if not parts:
        raise UserError("--methods names no method; name some, as qidguard plugins lists them.")
    return parts


def _pair(text: str, option: str) -> tuple[str, ParameterValue]:
    name, sign, value = (part.strip() for part in text.partition("="))
    if not (name and sign and value):
        raise UserError(f"{option}: {text.strip()!r} must be PARAMETER=VALUE, such as k=5")
    if value in _WORDS:
        return name, _WORDS[value]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _check(found: Sequence[Choice], beside: Mapping[str, object]) -> None:
    labels = [one.label for one in found]
    for label in labels:
        if labels.count(label) > 1:
            raise UserError(f"--methods names {label} twice; keep one of them")
    for method in beside:
        if method not in {one.method for one in found}:
            raise UserError(f"--set names {method}, which --methods does not; add it there")


def _shown(value: ParameterValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
