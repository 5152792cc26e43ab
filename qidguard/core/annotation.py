"""Whether a value is what an annotation says: a plugin may have been written without a type checker."""

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any


def misfit(value: object, annotation: Any) -> str:
    """Return what a value had to be, in words; empty where it is that.

    Example:
        >>> misfit("yes", bool), misfit((1, "2"), tuple[int, ...]), misfit(3, float)
        ('bool, not str', 'tuple of int, not of str', '')
    """
    return "" if _test(annotation)(value) else f"{in_words(annotation)}, not {_what(value, annotation)}"


def _what(value: object, annotation: Any) -> str:
    """Return what a value is that does not fit; never the value itself."""
    for kind in (annotation, *typing.get_args(annotation)):
        if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, kind):
            name, words = next(iter(field_misfits(value).items()))
            return f"one whose {name} is no {words.replace(', not ', ' but ')}"
    if typing.get_origin(annotation) is tuple and isinstance(value, tuple):
        member = typing.get_args(annotation)[0]
        wrong = next((one for one in value if not _test(member)(one)), None)
        return f"of {_what(wrong, member)}"
    return type(value).__name__


def in_words(annotation: Any) -> str:
    """Return an annotation as a sentence says it."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(in_words(one) for one in arguments)
    if origin is tuple and len(arguments) == 2 and arguments[1] is ...:  # noqa: PLR2004 - tuple[X, ...]
        return f"tuple of {in_words(arguments[0])}"
    if annotation is collections.abc.Callable or origin is collections.abc.Callable:
        return "a function"
    if annotation is None or annotation is type(None):
        return "None"
    name: str = getattr(origin or annotation, "__name__", str(annotation))
    return name


def field_misfits(value: object) -> dict[str, str]:
    """Return field → what it had to be, for each field of a dataclass that is something else."""
    kind: Any = type(value)
    wrong = [(name, hint) for name, hint, fits in _fields(kind) if not fits(getattr(value, name))]
    return {name: misfit(getattr(value, name), hint) for name, hint in wrong}


@cache
def _fields(kind: type) -> tuple[tuple[str, Any, Callable[[object], bool]], ...]:
    return tuple((name, hint, _test(hint)) for name, hint in hints_of(kind).items())


@cache
def hints_of(annotated: Any) -> Mapping[str, Any]:
    """Return name → annotation of a class or function; what is imported for types only counts as anything."""
    module = inspect.getmodule(annotated)
    names = _Anything(vars(module) if module else {})
    # get_type_hints takes any mapping for the local names, though its stub says dict
    return typing.get_type_hints(annotated, localns=names)


class _Anything(dict[str, Any]):
    """Local names for evaluation: one that its module does not hold stands for any value."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        super().__init__()
        self._known = {*module, *vars(__import__("builtins"))}

    def __missing__(self, name: str) -> Any:
        if name in self._known:
            raise KeyError(name)  # then the module's own name is taken
        return object


@cache
def _test(annotation: Any) -> Callable[[object], bool]:  # noqa: PLR0911 - one line for each annotation
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in {types.UnionType, typing.Union}:
        tests = [_test(one) for one in arguments]
        return lambda value: any(test(value) for test in tests)
    if origin is typing.Literal:
        return lambda value: value in arguments
    if origin is tuple and arguments[-1] is ...:
        member = _test(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(member, value))
    if annotation is collections.abc.Callable or origin is collections.abc.Callable:
        return callable
    if isinstance(origin, type):
        return lambda value: isinstance(value, origin)
    if annotation is None:
        return lambda value: value is None
    if not isinstance(annotation, type) or getattr(annotation, "_is_protocol", False):
        return lambda _: True
    if annotation in {int, float}:
        numbers = (int,) if annotation is int else (int, float)
        return lambda value: isinstance(value, numbers) and not isinstance(value, bool)
    if is_dataclass(annotation):
        return lambda value: isinstance(value, annotation) and not field_misfits(value)
    return lambda value: isinstance(value, annotation)
