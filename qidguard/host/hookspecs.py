"""What a plugin may provide.

A plugin is a module with some of these functions, marked ``@qidguard.sdk.hookimpl``, and one line under
``[project.entry-points.qidguard]``. Each kind of offer has a hook without arguments, ``qidguard_`` and the
kind's name, that returns what the plugin offers of it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import pluggy

from qidguard.host.kinds import KINDS, Kind

if TYPE_CHECKING:
    from qidguard.core.report import AuditReport

hookspec = pluggy.HookspecMarker("qidguard")
hookimpl = pluggy.HookimplMarker("qidguard")

LISTENER = "qidguard_judged"


@hookspec
def qidguard_judged(report: "AuditReport") -> None:
    """Hear of a finished audit. An exception here turns a pass into a failure (exit 3): evidence was lost."""


def _specification(kind: Kind[Any]) -> Callable[[], object]:
    def specified() -> object:
        raise NotImplementedError  # pragma: no cover - pluggy never calls a specification

    specified.__name__ = specified.__qualname__ = kind.hook
    specified.__module__ = __name__
    specified.__doc__ = kind.returns
    specified.__annotations__ = {"return": f"Iterable[{kind.protocol.__name__}]"}
    return hookspec(specified)


HOOKS: dict[str, Callable[..., object]] = {
    **{kind.hook: _specification(kind) for kind in KINDS},
    LISTENER: qidguard_judged,
}
"""Every hook, by name."""

_KIND_OF = {kind.hook: kind.name for kind in KINDS}


@dataclass(frozen=True, kw_only=True)
class Implemented:
    """What a plugin implements.

    Args:
        functions: Hook → function.
        notes: Sentences on marked functions that are no hook of this host.
        meant: The kinds that it offers, or may have meant to offer by such a function.
    """

    functions: Mapping[str, Callable[..., Any]]
    notes: tuple[str, ...]
    meant: frozenset[str]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds that it offers."""
        return frozenset(_KIND_OF[hook] for hook in self.functions if hook in _KIND_OF)


def implemented(plugin: object) -> Implemented:
    """Return what a plugin implements; ValueError when that is nothing, TypeError for a wrong signature."""
    manager = pluggy.PluginManager("qidguard")  # of its own, for pluggy checks all plugins of one together
    manager.add_hookspecs(type("Hooks", (), HOOKS))
    try:
        manager.register(plugin, "it")
    except pluggy.PluginValidationError as error:
        # its words begin with the path of the module
        raise TypeError(str(error).splitlines()[-1].strip()) from None
    functions: dict[str, Callable[..., Any]] = {}
    unknown: list[tuple[str, list[str]]] = []
    notes, meant = [], set[str]()
    for caller in manager.get_hookcallers(plugin) or []:
        if caller.name in HOOKS:
            functions[caller.name] = next(impl.function for impl in caller.get_hookimpls())
            continue
        unknown.append((caller.name, get_close_matches(caller.name, HOOKS, n=1)))
    marked = {*functions, *(name for name, _ in unknown)}
    for attribute in _unmarked(plugin, marked):
        if attribute in HOOKS:
            raise ValueError(
                f"{attribute} is not marked with @qidguard.sdk.hookimpl, so it would never be asked"
            )
        unknown.append((attribute, get_close_matches(attribute, HOOKS, n=1)))
    for name, close in sorted(unknown):
        hint = f"; did you mean {close[0]}?" if close else " in this version"
        notes.append(f"{name} is no hook of qidguard, so it is never called{hint}")
        meant |= {_KIND_OF[hook] for hook in close if hook in _KIND_OF}
    if not functions and not notes:
        raise ValueError("it implements no hook of qidguard")
    meant |= {_KIND_OF[hook] for hook in functions if hook in _KIND_OF}
    return Implemented(functions=functions, notes=tuple(notes), meant=frozenset(meant))


def _unmarked(plugin: object, marked: set[str]) -> Iterator[str]:
    for name in dir(plugin):
        if name.startswith("qidguard_") and name not in marked and callable(getattr(plugin, name)):
            yield name
