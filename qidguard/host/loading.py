"""Load entry points one by one; record every fault with distribution, version and error."""

import os
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points, version
from types import MappingProxyType
from typing import Any

import pluggy

from qidguard import hookspecs
from qidguard.host.host import Host
from qidguard.host.offers import KINDS, collect
from qidguard.host.plugin import PluginFailure, PluginInfo

GROUP = "qidguard"
VARIABLE = "QIDGUARD_PLUGINS"
_PREFIX = "qidguard_"


def load_host() -> Host:
    """Return the host of this process, loaded on the first call.

    ``QIDGUARD_PLUGINS``, a comma-separated list of entry-point or distribution names, limits what loads; set
    to nothing it loads no plugin. A name in it that is not installed is recorded as a failure.
    """
    return _loaded(os.environ.get(VARIABLE))


@cache
def _loaded(limit: str | None) -> Host:
    wanted = None if limit is None else {name.strip() for name in limit.split(",") if name.strip()}
    return assemble(entry_points(group=GROUP), wanted)


def assemble(found: Iterable[EntryPoint], wanted: set[str] | None = None) -> Host:
    """Return a host with the plugins of these entry points; ``wanted`` None takes them all."""
    shelf = _Shelf()
    shelf.add_builtin()
    missing = set(wanted or ())
    for entry in sorted(found, key=lambda e: (e.name, _distribution(e)[0])):
        names = {entry.name, _distribution(entry)[0]}
        missing -= names
        if wanted is not None and not names & wanted:
            shelf.skipped.append(entry.name)
        else:
            shelf.add(entry)
    for name in sorted(missing):
        shelf.fail(name, "no distribution", "none", f"{VARIABLE} names it, but it is not installed")
    return shelf.host()


class _Shelf:
    """Collects plugins while they load."""

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager("qidguard")
        self.manager.add_hookspecs(hookspecs)
        self.plugins: list[PluginInfo] = []
        self.failures: list[PluginFailure] = []
        self.skipped: list[str] = []
        self.registry: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
        self.owners: dict[tuple[str, str], PluginInfo] = {}
        self.listeners: list[tuple[PluginInfo, Callable[..., None]]] = []

    def add_builtin(self) -> None:
        self._add(
            "qidguard", "qidguard", version("qidguard"), lambda: import_module("qidguard.engines.hooks")
        )

    def add(self, entry: EntryPoint) -> None:
        self._add(entry.name, *_distribution(entry), entry.load)

    def _add(self, name: str, distribution: str, its_version: str, load: Callable[[], object]) -> None:
        try:
            self._register(load(), name, distribution, its_version)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a plugin may raise anything, even SystemExit
            self.fail(name, distribution, its_version, _one_line(error))

    def fail(self, name: str, distribution: str, its_version: str, error: str) -> None:
        self.failures.append(
            PluginFailure(name=name, distribution=distribution, version=its_version, error=error)
        )

    def _register(self, plugin: object, name: str, distribution: str, its_version: str) -> None:
        if self.manager.has_plugin(name):
            raise ValueError("a plugin of this name is already loaded; rename one of the two")
        self.manager.register(plugin, name)
        try:
            self._check_spelling()
            self.manager.check_pending()
            hooks = self._hooks(plugin)
            offers = collect(hooks)
        except BaseException:
            self.manager.unregister(name=name)
            raise
        names = {kind: tuple(objects) for kind, objects in offers.items() if objects}
        info = PluginInfo(
            name=name, distribution=distribution, version=its_version, offers=MappingProxyType(names)
        )
        self.plugins.append(info)
        self._shelve(info, offers)
        if "qidguard_judged" in hooks:
            self.listeners.append((info, hooks["qidguard_judged"]))

    def _check_spelling(self) -> None:
        """Refuse a marked function that is no hook, in words that hold no path of the machine."""
        known = [name for name in vars(hookspecs) if name.startswith(_PREFIX)]
        for name in sorted(vars(self.manager.hook)):
            if name.startswith(_PREFIX) and name not in known:
                close = get_close_matches(name, known, n=1)
                hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(sorted(known))}"
                raise ValueError(f"{name} is no hook of qidguard; {hint}")

    def _hooks(self, plugin: object) -> dict[str, Callable[..., Any]]:
        callers = self.manager.get_hookcallers(plugin) or []
        hooks: dict[str, Callable[..., Any]] = {
            caller.name: impl.function
            for caller in callers
            for impl in caller.get_hookimpls()
            if impl.plugin is plugin
        }
        for attribute in dir(plugin):
            is_function = attribute.startswith(_PREFIX) and callable(getattr(plugin, attribute))
            if is_function and attribute not in hooks:
                raise ValueError(
                    f"{attribute} is not marked with @qidguard.hookimpl, so it would never be asked"
                )
        if not hooks:
            raise ValueError("it implements no hook of qidguard")
        return hooks

    def _shelve(self, info: PluginInfo, offers: dict[str, dict[str, Any]]) -> None:
        contested = []
        for kind, objects in offers.items():
            for name, item in objects.items():
                if (kind, name) in self.owners:
                    contested.append((kind, name))
                    self.registry[kind].pop(name, None)
                else:
                    self.owners[kind, name] = info
                    self.registry[kind][name] = item
        if contested:
            both = ", ".join(
                f"{name!r} (also of {self.owners[kind, name].origin})" for kind, name in contested
            )
            self.failures.append(
                PluginFailure(
                    name=info.name,
                    distribution=info.distribution,
                    version=info.version,
                    error=f"it offers names that another plugin offers too: {both}; uninstall one of the two",
                    contested=tuple(contested),
                )
            )

    def host(self) -> Host:
        return Host(
            plugins=tuple(sorted(self.plugins, key=lambda p: p.name)),
            failures=tuple(sorted(self.failures, key=lambda f: f.name)),
            skipped=tuple(self.skipped),
            registry=MappingProxyType(
                {kind: MappingProxyType(dict(sorted(items.items()))) for kind, items in self.registry.items()}
            ),
            listeners=tuple(self.listeners),
        )


def _distribution(entry: EntryPoint) -> tuple[str, str]:
    return (entry.dist.name, entry.dist.version) if entry.dist else ("unknown", "unknown")


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
