"""Typed, validated parameters of whatever a policy may set: metrics, anonymizers, searches."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from qidguard.core.errors import UserError
from qidguard.core.exact import exact_number

ParameterValue = int | float | str | bool
Arguments = Mapping[str, Any]
"""Parameter name → a value that its Parameter has checked."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter: its type, its limits and what it means.

    Args:
        name: As written in a policy.
        type: int, float, str or bool. A whole number is accepted for a float. ``Fraction`` is an exact
            number: 0.1 is a tenth, and a text such as ``1/3`` is read too; for anonymizers only.
        default: Used where the policy says nothing; None makes the parameter required.
        minimum: Smallest value allowed, in the parameter's own unit.
        maximum: Largest value allowed.
        choices: The texts allowed, for a text that is one of few; empty allows any.
        words: Texts that may stand in the place of a number, such as ``until_k``; they are kept as they are.
        meaning: One plain phrase, with the unit.
        per: What a mapping's keys are, such as ``column``: the policy gives a value for each of them, and the
            host checks that columns are those of the table. Empty takes one value; for anonymizers only.
        many: How many values a list has, such as 2 for bounds; 0 takes a single one.
        policy_limits: Metrics whose limits in the policy are taken where the parameter stands at its default;
            for anonymizers only. What was taken stands in the receipt.
    """

    name: str
    type: type[ParameterValue] | type[Fraction]
    default: ParameterValue | Fraction | Mapping[str, Any] | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    meaning: str = ""
    per: str = ""
    many: int = 0
    policy_limits: tuple[str, ...] = ()

    def check(self, value: object) -> Any:
        """Return ``value`` in the parameter's type.

        Args:
            value: What a policy says.

        Returns:
            The same value; a whole number becomes a float where the parameter is one, a list a tuple, and
            an exact number a Fraction.

        Units:
            The parameter's own, as its meaning says.

        Raises:
            UserError: When the type is wrong, or the value is NaN, outside minimum..maximum or no choice.

        Example:
            >>> Parameter(name="tau", type=float, minimum=0, maximum=1).check(1)
            1.0
            >>> bounds = Parameter(name="bounds", type=Fraction, per="column", many=2)
            >>> bounds.check({"age": [17, 90.5]})["age"]
            (Fraction(17, 1), Fraction(181, 2))
        """
        if not self.per:
            return self._each(value, f"parameter {self.name!r}")
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise UserError(
                f"parameter {self.name!r} must be a mapping, one value for each {self.per}, not {value!r}"
            )
        return MappingProxyType(
            {key: self._each(one, f"parameter {self.name!r} of {key!r}") for key, one in value.items()}
        )

    def _each(self, value: object, what: str) -> Any:
        if not self.many:
            return self._one(value, what)
        if not isinstance(value, (list, tuple)) or len(value) != self.many:
            raise UserError(f"{what} must be a list of {self.many}, not {value!r}")
        return tuple(self._one(one, what) for one in value)

    def _one(self, value: object, what: str) -> ParameterValue | Fraction:
        if isinstance(value, str) and value in self.words:
            return value
        if self.type is Fraction:
            value = self._exact(value, what)
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, self.type) or (isinstance(value, bool) and self.type is not bool):
            allowed = " or ".join([self.type.__name__, *map(repr, self.words)])
            raise UserError(f"{what} must be {allowed}, not {value!r}")
        if self.choices and value not in self.choices:
            allowed = " or ".join(map(repr, self.choices))
            raise UserError(f"{what} must be {allowed}, not {value!r}")
        if isinstance(value, (int, float, Fraction)):
            below = self.minimum is not None and not value >= self.minimum
            above = self.maximum is not None and not value <= self.maximum
            if below or above or value != value:  # noqa: PLR0124 - NaN is the value that differs from itself
                given = str(value) if isinstance(value, Fraction) else repr(value)
                raise UserError(f"{what} must {self._limits()}, not {given}")
        return value

    def _exact(self, value: object, what: str) -> Fraction:
        try:
            return exact_number(value)
        except ValueError as fault:
            raise UserError(f"{what} {fault}") from None

    def _limits(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f"lie in {self.minimum}..{self.maximum}"
        if self.minimum is not None:
            return f"be at least {self.minimum}"
        return "be a number" if self.maximum is None else f"be at most {self.maximum}"


def bind(parameters: tuple[Parameter, ...], given: Mapping[str, object]) -> Arguments:
    """Return checked values for all parameters of a plugin's part.

    Args:
        parameters: The parameters that it takes.
        given: Parameter name → value, as a policy gives them.

    Returns:
        Name → value, defaults included, which nobody may change.

    Raises:
        UserError: For an unknown, missing or wrong parameter.

    Example:
        >>> bind((Parameter(name="k", type=int, meaning="persons in a class", default=3),), {})["k"]
        3
    """
    known = {p.name: p for p in parameters}
    for name in given:
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise UserError(f"unknown parameter {name!r}; it takes: {allowed}")
    bound: dict[str, Any] = {}
    for name, parameter in known.items():
        if name in given:
            bound[name] = parameter.check(given[name])
        elif parameter.default is not None:
            bound[name] = parameter.default
        else:
            raise UserError(f"parameter {name!r} is required ({parameter.meaning})")
    return MappingProxyType(bound)


def plain(value: Any) -> Any:
    """Return a checked value as JSON holds it: exact numbers as text, mappings and lists of such.

    Example:
        >>> plain({"age": (Fraction(17), Fraction(1, 3))})
        {'age': ['17', '1/3']}
    """
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, Fraction) else value


def shown(value: Any) -> str:
    """Return a value in one line, as a policy would hold it.

    Example:
        >>> shown({"age": ["17", "1/3"]}), shown(5)
        ('{age: [17, 1/3]}', '5')
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {shown(one)}" for name, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    return str(value)
