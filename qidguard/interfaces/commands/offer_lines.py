"""What a plugin offers, with the parameters of each offer, in lines of text and as plain values."""

from collections.abc import Iterator, Sequence
from typing import Any

from qidguard.core.parameter import Parameter
from qidguard.rendering.document import argument
from qidguard.rendering.figure import limit_figure
from qidguard.rendering.printable import visible


def offer_lines(name: str, offer: Any) -> Iterator[str]:
    """Yield the lines of one offer: its name and title, then its parameters, set in.

    Example:
        >>> from types import SimpleNamespace
        >>> k = Parameter(name="k", type=int, default=5, minimum=2, meaning="smallest class, persons")
        >>> for line in offer_lines("mine", SimpleNamespace(title="a method", parameters=(k,))):
        ...     print(line)
        mine  a method
            k = 5  int, at least 2: smallest class, persons
    """
    yield visible(f"{name}  {getattr(offer, 'title', '')}").rstrip()
    for parameter in parameters_of(offer):
        default = "required" if parameter.default is None else f"= {_text(parameter.default)}"
        facts = ", ".join((parameter.type.__name__, *_limits(parameter)))
        yield visible(f"    {parameter.name} {default}  {facts}: {parameter.meaning}")


def parameters_of(offer: Any) -> Sequence[Parameter]:
    """Return the parameters of an offer; none where it has none, or something else under this name.

    Example:
        >>> parameters_of(object())
        ()
    """
    found = getattr(offer, "parameters", ())
    if not isinstance(found, (tuple, list)):
        return ()
    return tuple(parameter for parameter in found if isinstance(parameter, Parameter))


def parameter_document(parameter: Parameter) -> dict[str, Any]:
    """Return a parameter as plain values.

    Example:
        >>> parameter_document(Parameter(name="k", type=int, meaning="persons"))["is_required"]
        True
    """
    return {
        "name": parameter.name,
        "type": parameter.type.__name__,
        "default": argument(parameter.default),
        "is_required": parameter.default is None,
        "minimum": argument(parameter.minimum),
        "maximum": argument(parameter.maximum),
        "choices": list(parameter.choices),
        "words": list(parameter.words),
        "meaning": parameter.meaning,
    }


def _limits(parameter: Parameter) -> Iterator[str]:
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None:
        yield f"{limit_figure(low, '')} to {limit_figure(high, '')}"
    elif low is not None:
        yield f"at least {limit_figure(low, '')}"
    elif high is not None:
        yield f"at most {limit_figure(high, '')}"
    if parameter.choices:
        yield "one of " + " | ".join(parameter.choices)
    if parameter.words:
        yield "or " + " | ".join(parameter.words)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)
