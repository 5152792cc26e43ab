"""Ask one plugin what it offers, and check each answer, so that its faults stay its own."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from qidguard.core.annotation import hints_of, misfit
from qidguard.core.parameter import Parameter
from qidguard.host.kinds import KINDS, Kind


def collect(hooks: Mapping[str, Callable[[], Iterable[Any]]]) -> dict[str, dict[str, Any]]:
    """Return kind → name → object for one plugin's hook functions.

    TypeError when a hook returns no collection, or an object is not what it should be; ValueError when an
    object has no name, or a name is offered twice.
    """
    offers: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        found: dict[str, Any] = {}
        answer: object = hooks[kind.hook]() if kind.hook in hooks else ()
        if not isinstance(answer, Iterable) or isinstance(answer, (str, bytes)):
            raise TypeError(f"{kind.hook} must return the objects it offers, not {type(answer).__name__}")
        for item in answer:
            name = _checked_name(kind, item)
            if name in found:
                raise ValueError(f"{kind.hook} offers {name!r} twice")
            found[name] = item
        offers[kind.name] = dict(sorted(found.items()))
    return offers


def _checked_name(kind: Kind[Any], item: Any) -> str:
    name = getattr(item, "name", None)
    if not isinstance(name, str) or not name:
        raise ValueError(f"{kind.hook} offers a {type(item).__name__} without a name")
    if not (name.isidentifier() and name.isascii()):
        raise ValueError(f"{kind.hook} offers {name!r}, which is no plain identifier")
    for fault in (*_faults(kind, item), *_parameter_faults(kind, item)):
        raise TypeError(f"{kind.hook} offers {name!r}, {fault}")
    return name


def _faults(kind: Kind[Any], item: Any) -> Iterator[str]:
    """Yield what an offer lacks of its kind's protocol, or has of another type."""
    if isinstance(item, type):
        yield f"which is a class; offer an object of it: {item.__name__}()"
    if not getattr(kind.protocol, "_is_protocol", False):
        # the class checks its fields when an object is made
        if not isinstance(item, kind.protocol):
            yield f"which is no {kind.protocol.__name__} but {type(item).__name__}"
        return
    protocol: Any = kind.protocol
    for name, wanted in _members(protocol).items():
        if not hasattr(item, name):
            yield f"which lacks {_said(name, wanted)}"
        elif fault := _fault(name, wanted, getattr(item, name)):
            yield f"whose {fault}"
    options: Any = kind.optional
    for name, wanted in (member for one in options for member in _members(one).items()):
        if hasattr(item, name) and (fault := _fault(name, wanted, getattr(item, name))):
            yield f"whose {fault}"


def _parameter_faults(kind: Kind[Any], item: Any) -> Iterator[str]:
    """Yield which parameters have a form that only anonymizers' may have: others are compared as JSON."""
    if kind.name == "anonymizers" and hasattr(item, "privacy_cost"):
        # who goes on telling a cost alone would draw noise that nobody charges
        yield "which tells a privacy_cost; tell a privacy_guarantee, which is charged"
    for one in getattr(item, "parameters", ()) if kind.name != "anonymizers" else ():
        if isinstance(one, Parameter) and (one.type is Fraction or one.per or one.many):
            yield f"whose parameter {one.name!r} is exact, a list or a mapping; only an anonymizer has such"


@cache
def _members(protocol: type[Any]) -> Mapping[str, Any]:
    """Return what a protocol asks for: attribute → annotation, method → signature."""
    wanted: dict[str, Any] = {}
    for name in dir(protocol):
        member = inspect.getattr_static(protocol, name)
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            wanted[name] = hints_of(member.fget)["return"]
        elif inspect.isfunction(member):
            wanted[name] = inspect.signature(member)
    return wanted


def _said(name: str, wanted: Any) -> str:
    return f"the method {name}()" if isinstance(wanted, inspect.Signature) else f"the attribute {name}"


def _fault(name: str, wanted: Any, given: Any) -> str:
    if not isinstance(wanted, inspect.Signature):
        words = misfit(given, wanted)
        return f"{name} must be {words}" if words else ""
    if not callable(given):
        return f"{name} must be a method, not {type(given).__name__}"
    asked = list(wanted.parameters.values())[1:]
    try:
        signature = inspect.signature(given)
    except (TypeError, ValueError):  # of a compiled method nothing is known before it is called
        return ""
    try:
        signature.bind(*(None for one in asked if one.default is one.empty))
    except TypeError:
        takes = ", ".join(one.name for one in asked)
        return f"{name}() must take ({takes}), not {signature}"
    return ""
