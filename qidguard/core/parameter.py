"""Typed, validated parameters of metrics (and later of anonymizers and searches)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from qidguard.core.errors import UserError

ParameterValue = int | float | str | bool
Arguments = Mapping[str, Any]
"""Parameter name → a value that its Parameter has checked."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter: its type, its limits and what it means.

    Args:
        name: As written in a policy.
        type: int, float, str or bool. A whole number is accepted for a float.
        default: Used where the policy says nothing; None makes the parameter required.
        minimum: Smallest value allowed, in the parameter's own unit.
        maximum: Largest value allowed.
        choices: The texts allowed, for a text that is one of few; empty allows any.
        meaning: One plain phrase, with the unit.
    """

    name: str
    type: type[ParameterValue]
    default: ParameterValue | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    meaning: str = ""

    def check(self, value: object) -> ParameterValue:
        """Return ``value`` in the parameter's type.

        Args:
            value: What a policy says.

        Returns:
            The same value; a whole number becomes a float where the parameter is one.

        Units:
            The parameter's own, as its meaning says.

        Raises:
            UserError: When the type is wrong, or the value is NaN, outside minimum..maximum or no choice.

        Example:
            >>> Parameter(name="tau", type=float, minimum=0, maximum=1).check(1)
            1.0
        """
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, self.type) or (isinstance(value, bool) and self.type is not bool):
            raise UserError(f"parameter {self.name!r} must be {self.type.__name__}, not {value!r}")
        if self.choices and value not in self.choices:
            allowed = " or ".join(map(repr, self.choices))
            raise UserError(f"parameter {self.name!r} must be {allowed}, not {value!r}")
        if isinstance(value, (int, float)):
            below = self.minimum is not None and not value >= self.minimum
            above = self.maximum is not None and not value <= self.maximum
            if below or above or value != value:  # noqa: PLR0124 - NaN is the value that differs from itself
                raise UserError(f"parameter {self.name!r} must {self._limits()}, not {value!r}")
        return value

    def _limits(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f"lie in {self.minimum}..{self.maximum}"
        if self.minimum is not None:
            return f"be at least {self.minimum}"
        return "be a number" if self.maximum is None else f"be at most {self.maximum}"


def bind(parameters: tuple[Parameter, ...], given: Mapping[str, object]) -> Arguments:
    """Return checked values for all ``parameters``; UserError for an unknown, missing or wrong one."""
    known = {p.name: p for p in parameters}
    for name in given:
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise UserError(f"unknown parameter {name!r}; it takes: {allowed}")
    bound: dict[str, ParameterValue] = {}
    for name, parameter in known.items():
        if name in given:
            bound[name] = parameter.check(given[name])
        elif parameter.default is not None:
            bound[name] = parameter.default
        else:
            raise UserError(f"parameter {name!r} is required ({parameter.meaning})")
    return MappingProxyType(bound)
