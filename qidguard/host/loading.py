"""Load entry points one by one and check what each offers; record every fault with whose it is."""

import inspect
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from qidguard.core.annotation import hints_of, misfit
from qidguard.core.errors import PluginError, UserError
from qidguard.core.guard import PluginCode
from qidguard.core.parameter import Parameter
from qidguard.engines.base import Engine
from qidguard.host.hookspecs import LISTENER, hookimpl, implemented
from qidguard.host.host import ANYTHING, Host, PluginFailure, PluginInfo
from qidguard.host.kinds import COMMANDS, KINDS, Kind

VARIABLE = "QIDGUARD_PLUGINS"

REGISTERED = "this process"
"""The distribution of a plugin that nobody installed."""
_REGISTERED: dict[str, object] = {}
_LOCK = threading.RLock()
_RESERVED = {kind.name: kind.reserved for kind in KINDS}


def load_host() -> Host:
    """Return the host of this process, loaded on the first call.

    ``QIDGUARD_PLUGINS``, a comma-separated list of entry-point or distribution names, limits what loads; set
    to nothing it loads no plugin. A name in it that is not installed is recorded as a failure. What
    ``register`` was given is always there.

    Example:
        >>> load_host().metric("k_anonymity").title
        'k-anonymity'
    """
    return _loaded(os.environ.get(VARIABLE))


def load_host_of_commands() -> Host | None:
    """Return a host of the plugins alone that may have a command, None without any.

    Loading all of them takes a second. Those are the plugins whose module names the hook in its text, and
    those without a text.
    """
    found = entries_with(COMMANDS.hook)
    if not found and not _REGISTERED:
        return None
    wanted = _wanted(os.environ.get(VARIABLE))
    if wanted is not None:
        wanted &= {name for entry in found for name in (entry.name, _distribution(entry)[0])}
    return assemble(found, wanted, _REGISTERED, only=COMMANDS)


def register(plugin: object, *, name: str | None = None) -> PluginInfo:
    """Add a plugin to this process without installing it, as for a notebook or a single file.

    It is checked like an installed one. Registered again under the same name, it takes the place of the one
    before, so that a cell of a notebook can be run again. Audits that began before keep what they had.

    Args:
        plugin: A module, or a class with hooks as static methods, marked ``@qidguard.sdk.hookimpl``.
        name: What it is called; None takes the module's or the class's own name.

    Returns:
        What it offers, by kind, and notes on what of it is not used.

    Raises:
        UserError: When it has no name.
        PluginError: When it breaks a rule for plugins, is called as an installed one, or offers a name that
            another plugin offers. Then everything stays as it was.

    Example:
        >>> import qidguard
        >>> from qidguard import sdk
        >>> class Mine:
        ...     @staticmethod
        ...     @sdk.hookimpl
        ...     def qidguard_objectives():
        ...         term = sdk.Term(metric="k_anonymity", weight=-1)
        ...         return [sdk.Objective(name="exposure", title="smallest class", terms=(term,))]
        >>> qidguard.register(Mine).offers
        mappingproxy({'objectives': ('exposure',)})
        >>> qidguard.unregister("Mine")
    """
    called = name or getattr(plugin, "__name__", "")
    if not isinstance(called, str) or not called:
        raise UserError(f"a {type(plugin).__name__} has no name to be registered under; give name=...")
    with _LOCK:
        before = _REGISTERED.get(called)
        _REGISTERED[called] = plugin
        _loaded.cache_clear()
        host = load_host()
        # what was registered before had no fault, though a contested name may be told of it now
        faults = [f for f in host.failures if f.distribution == REGISTERED]
        if not faults:
            return next(p for p in host.plugins if p.name == called)
        if before is None:
            del _REGISTERED[called]
        else:
            _REGISTERED[called] = before
        _loaded.cache_clear()
        raise PluginError(faults[0].sentence)


def unregister(name: str) -> None:
    """Take a plugin out again that ``register`` added; UserError for one that it did not.

    Args:
        name: Its name.

    Raises:
        UserError: When no plugin is registered under this name.

    Example:
        >>> import qidguard
        >>> qidguard.unregister("nobody")
        Traceback (most recent call last):
        ...
        qidguard.core.errors.UserError: no plugin is registered as 'nobody'; there are: none
    """
    with _LOCK:
        if name not in _REGISTERED:
            known = ", ".join(_REGISTERED) or "none"
            raise UserError(f"no plugin is registered as {name!r}; there are: {known}")
        del _REGISTERED[name]
        _loaded.cache_clear()


@cache
def _loaded(limit: str | None) -> Host:
    return assemble(entry_points(group=GROUP), _wanted(limit), _REGISTERED)


def _wanted(limit: str | None) -> set[str] | None:
    return None if limit is None else {name.strip() for name in limit.split(",") if name.strip()}


def assemble(
    found: Iterable[EntryPoint],
    wanted: set[str] | None = None,
    registered: Mapping[str, object] | None = None,
    *,
    only: Kind[Any] | None = None,
) -> Host:
    """Return a host with the plugins of these entry points; ``wanted`` None takes them all.

    Where one kind ``only`` is asked for, plugins are asked for nothing else: what the others need stays
    unimported, the engine that the host brings along too.
    """
    shelf = _Shelf(only)
    if only is None:
        shelf.add("qidguard", "qidguard", version("qidguard"), lambda: _Own)
    missing = set(wanted or ())
    for entry in sorted(found, key=lambda e: (e.name, _distribution(e)[0])):
        names = {entry.name, _distribution(entry)[0]}
        missing -= names
        if wanted is not None and not names & wanted:
            shelf.skipped.append(entry.name)
        else:
            shelf.add(entry.name, *_distribution(entry), entry.load)
    for name in sorted(missing):
        error = f"{VARIABLE} names it, but it is not installed"
        shelf.failures.append(
            PluginFailure(name=name, distribution="no distribution", version="none", error=error)
        )
    for name, plugin in sorted((registered or {}).items()):
        shelf.add(name, REGISTERED, str(getattr(plugin, "__version__", "unreleased")), _already(plugin))
    return shelf.host()


class _Own:
    """The engine that the host brings along, offered through the same hook as anyone's."""

    @staticmethod
    @hookimpl
    def qidguard_engines() -> Iterable[Engine]:
        """Return the DuckDB engine."""
        from qidguard.engines.duckdb.engine import ENGINE

        return (ENGINE,)


def _of(kind: Kind[Any], functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    return {hook: function for hook, function in functions.items() if hook == kind.hook}


class _Shelf:
    """Collects plugins while they load."""

    def __init__(self, only: Kind[Any] | None = None) -> None:
        self.only = only
        self.plugins: list[PluginInfo] = []
        self.failures: list[PluginFailure] = []
        self.skipped: list[str] = []
        self.registry: dict[str, dict[str, Any]] = {kind.name: {} for kind in KINDS}
        self.owners: dict[tuple[str, str], PluginInfo] = {}
        self.listeners: list[tuple[PluginInfo, Callable[..., None]]] = []

    def add(self, name: str, distribution: str, its_version: str, load: Callable[[], object]) -> None:
        """Load a plugin and take what it offers; a fault of any sort is recorded."""
        may_offer: frozenset[str] | None = ANYTHING
        who: dict[str, Any] = {"name": name, "distribution": distribution, "version": its_version}
        try:
            with PluginCode("", f"loading plugin {name!r}", passes=(), words=_one_line):
                if name in {known.name for known in self.plugins}:
                    raise ValueError("a plugin of this name is already loaded; rename one of the two")
                hooks = implemented(load())
                may_offer = hooks.meant
                asked = hooks.functions if self.only is None else _of(self.only, hooks.functions)
                offers = collect(asked)
        except PluginError as error:
            self.failures.append(PluginFailure(**who, error=str(error), may_offer=may_offer))
            return
        names = {kind: tuple(objects) for kind, objects in offers.items() if objects}
        info = PluginInfo(
            **who,
            offers=MappingProxyType(names),
            notes=hooks.notes,
            may_offer=hooks.meant - hooks.kinds,
        )
        self.plugins.append(info)
        self.failures += (
            PluginFailure(**who, error=fault, contested=tuple(names), may_offer=frozenset())
            for fault, names in self._shelve(info, offers).items()
        )
        if LISTENER in hooks.functions:
            self.listeners.append((info, hooks.functions[LISTENER]))

    def _shelve(
        self, info: PluginInfo, offers: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, list[tuple[str, str]]]:
        """Take what a plugin offers; return why some names cannot be used → those names, with their kinds."""
        contested, taken = [], []
        for kind, objects in offers.items():
            for name, item in objects.items():
                if name in _RESERVED[kind]:
                    taken.append((kind, name))
                elif (kind, name) in self.owners:
                    contested.append((kind, name))
                    self.registry[kind].pop(name, None)
                else:
                    self.owners[kind, name] = info
                    self.registry[kind][name] = item
        faults = {}
        if contested:
            both = ", ".join(
                f"{name!r} (also of {self.owners[kind, name].origin})" for kind, name in contested
            )
            faults[f"it offers names that another plugin offers too: {both}; uninstall one of the two"] = (
                contested
            )
        if taken:
            names = ", ".join(repr(name) for _, name in taken)
            faults[f"it offers names that are qidguard's own: {names}; rename what it offers"] = taken
        return faults

    def host(self) -> Host:
        """Return all that was loaded."""
        return Host(
            plugins=tuple(sorted(map(self._noted, self.plugins), key=lambda p: p.name)),
            failures=tuple(sorted(self.failures, key=lambda f: f.name)),
            skipped=tuple(self.skipped),
            registry=MappingProxyType(
                {kind: MappingProxyType(dict(sorted(items.items()))) for kind, items in self.registry.items()}
            ),
            listeners=tuple(self.listeners),
        )

    def _noted(self, plugin: PluginInfo) -> PluginInfo:
        """Return a plugin with a note for each objective that weighs what nobody offers."""
        notes = [
            f"objective {name!r} weighs the metric {term.metric!r}, which no loaded plugin offers"
            for name in plugin.offers.get("objectives", ())
            if name in self.registry["objectives"]
            for term in self.registry["objectives"][name].every_term
            if term.metric not in self.registry["metrics"]
        ]
        return replace(plugin, notes=(*plugin.notes, *notes))


def _already(plugin: object) -> Callable[[], object]:
    return lambda: plugin


def _distribution(entry: EntryPoint) -> tuple[str, str]:
    if entry.dist is None:
        return "unknown", "unknown"
    metadata = entry.dist.metadata  # read from its file at every look
    return metadata["Name"], metadata["Version"]


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


GROUP = "qidguard"
"""The group of entry points that plugins stand under."""


def entries_with(hook: str) -> tuple[EntryPoint, ...]:
    """Return the plugins whose module may have a hook: those that name it in their text, or have no text.

    Example:
        >>> entries_with("qidguard_no_such_hook")
        ()
    """
    return tuple(entry for entry in entry_points(group=GROUP) if _may_have(entry, hook))


def _may_have(entry: EntryPoint, hook: str) -> bool:
    try:
        text = _text(entry.module)
    except Exception:  # noqa: BLE001 - a module that cannot be found is a fault, which loading it tells
        return True
    return text is None or bool(entry.attr) or hook in text


def _text(module: str) -> str | None:
    """Return the text of a module; the packages that it lies in are not imported either."""
    top, *below = module.split(".")
    spec, name = find_spec(top), top
    for part in below:
        if spec is None or spec.submodule_search_locations is None:
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
    loader: Any = getattr(spec, "loader", None)
    text: str | None = loader.get_source(name)
    return text


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
