"""What all loaded plugins offer together, their engines guarded, and what is wrong with the rest."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from qidguard.core.errors import PluginError, UserError
from qidguard.core.guard import ON_PURPOSE, PluginCode
from qidguard.host import kinds
from qidguard.host.kinds import Kind

if TYPE_CHECKING:
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import Engine, EngineSettings, Needs, ReadOptions, Snapshot, Table


ANYTHING = None
"""What a plugin may offer that could not even be read."""


@dataclass(frozen=True, kw_only=True)
class PluginInfo:
    """A loaded plugin.

    Args:
        name: Its entry point's name.
        distribution: The installed distribution it comes from.
        version: That distribution's version.
        offers: Kind (``metrics``, ``engines`` and so on) → the names it offers, sorted.
        notes: Sentences on what of it is not used, such as a hook that this host does not know.
        may_offer: Kinds that it may have meant to offer by such a hook.
    """

    name: str
    distribution: str
    version: str
    offers: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    may_offer: frozenset[str] = frozenset()

    @property
    def origin(self) -> str:
        """The plugin with its distribution and version, for an error."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}"


@dataclass(frozen=True, kw_only=True)
class PluginFailure:
    """A plugin, or one name it offers, that cannot be used, and why in one sentence.

    ``contested`` holds the names, as kind and name, that two plugins offer at once; ``may_offer`` the kinds
    that are missing because of the failure, ``ANYTHING`` where nobody knows.
    """

    name: str
    distribution: str
    version: str
    error: str
    contested: tuple[tuple[str, str], ...] = ()
    may_offer: frozenset[str] | None = ANYTHING

    @property
    def sentence(self) -> str:
        """The failure as one sentence that names the plugin and its version."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}: {self.error}"


T = TypeVar("T")


class _All(Generic[T]):
    """An attribute of the host: name → offer, of one kind."""

    def __init__(self, kind: Kind[T]) -> None:
        self._kind = kind

    def __get__(self, host: "Host", _: type) -> Mapping[str, T]:
        return host.registry[self._kind.name]


class _One(Generic[T]):
    """A method of the host: the offer of a name, of one kind.

    It raises PluginError when a broken or skipped plugin may offer the name, else UserError.
    """

    def __init__(self, kind: Kind[T]) -> None:
        self._kind = kind

    def __get__(self, host: "Host", _: type) -> Callable[[str], T]:
        return lambda name: host.find(self._kind, name)


@dataclass(frozen=True, kw_only=True)
class Host:
    """The plugins of this process.

    Args:
        plugins: The loaded ones, sorted by name.
        failures: What could not be loaded or used, sorted by name.
        skipped: Names of installed plugins that ``QIDGUARD_PLUGINS`` leaves out.
        registry: Kind → name → object; contested names are left out.
        listeners: For each listening plugin, the function that hears of finished audits.
    """

    plugins: tuple[PluginInfo, ...]
    failures: tuple[PluginFailure, ...]
    skipped: tuple[str, ...]
    registry: Mapping[str, Mapping[str, Any]]
    listeners: tuple[tuple[PluginInfo, Callable[["AuditReport"], None]], ...] = ()

    metrics = _All(kinds.METRICS)
    recognizers = _All(kinds.RECOGNIZERS)
    search_strategies = _All(kinds.SEARCH_STRATEGIES)
    objectives = _All(kinds.OBJECTIVES)
    recognition_scores = _All(kinds.RECOGNITION_SCORES)
    search_plots = _All(kinds.SEARCH_PLOTS)
    anonymizers = _All(kinds.ANONYMIZERS)
    attacks = _All(kinds.ATTACKS)
    leaks = _All(kinds.LEAKS)
    engines = _All(kinds.ENGINES)
    commands = _All(kinds.COMMANDS)

    metric = _One(kinds.METRICS)
    search_strategy = _One(kinds.SEARCH_STRATEGIES)
    objective = _One(kinds.OBJECTIVES)
    anonymizer = _One(kinds.ANONYMIZERS)
    attack = _One(kinds.ATTACKS)
    command = _One(kinds.COMMANDS)

    @property
    def versions(self) -> dict[str, str]:
        """Distribution → version, of every loaded plugin and of the host itself."""
        return {p.distribution: p.version for p in self.plugins}

    def engine(self, name: str) -> "Engine":
        """Return an engine, guarded; PluginError when a broken or skipped plugin may offer it."""
        return GuardedEngine(self.find(kinds.ENGINES, name), self.owner("engines", name))

    def owner(self, kind: str, name: str) -> str:
        """Return the plugin that offers ``name``, with its distribution and version, for an error."""
        for plugin in self.plugins:
            if name in plugin.offers.get(kind, ()):
                return plugin.origin
        return "an unknown plugin"

    def missing(self, kind: Kind[Any]) -> tuple[str, ...]:
        """Return a sentence for each plugin that may offer something of a kind, and does not."""
        broken = [
            failure.sentence
            for failure in self.failures
            if failure.may_offer is None or kind.name in failure.may_offer
        ]
        noted = [f"{p.origin}: {'; '.join(p.notes)}" for p in self.plugins if kind.name in p.may_offer]
        return (*broken, *noted)

    def find(self, kind: Kind[T], name: str) -> T:
        """Return an offer; PluginError when a broken or skipped plugin may offer it, else UserError."""
        known: Mapping[str, T] = self.registry[kind.name]
        if name in known:
            return known[name]
        for failure in self.failures:
            if (kind.name, name) in failure.contested:
                raise PluginError(f"{kind.word} {name!r} cannot be trusted: {failure.sentence}")
        close = get_close_matches(name, known, n=1)
        guess = f" (did you mean {close[0]!r}?)" if close else ""
        lack = f"no loaded plugin offers the {kind.word} {name!r}{guess}"
        missing = self.missing(kind)
        if missing:
            raise PluginError(f"{lack}, and not all loaded: {'; '.join(missing)}")
        if self.skipped:
            raise PluginError(
                f"{lack}, and QIDGUARD_PLUGINS leaves out {', '.join(self.skipped)}; add the plugin that"
                " offers it, or unset the variable"
            )
        if name in kind.of_extras:
            raise UserError(f'the {kind.word} {name} comes with an extra: pip install "qidguard[{name}]"')
        if not known:
            raise UserError(
                f"there is no {kind.word} {name!r}, since no installed plugin offers {kind.plural};"
                " install one that does, as qidguard's README says"
            )
        hint = f"did you mean {close[0]!r}?" if close else "see: qidguard plugins"
        raise UserError(f"there is no {kind.word} {name!r}; {hint}")


_METHODS = ("statistics", "class_values", "class_sizes", "cells", "codes", "close")
_ALSO = ("numbers", "alone", "drawn", "value_draw", "related")
"""What a table may lack: then metrics that reckon with numbers, or of the rest, have no figure on it, values
are not tested, and columns are looked at one by one."""
_OF_SNAPSHOT = (
    *("types", "content_digest", "codes", "column", "keep", "recode", "new_table", "write"),
    *("keyed_classes", "keyed_columns", "close"),
)
_NEW_SNAPSHOTS = ("keep", "recode", "new_table")
_ALSO_OF_SNAPSHOT = ("columns", "columns_at", "keyed_persons", "to_pandas", "to_arrow")
"""What a snapshot may lack: then columns are read one by one, it is of no series, or goes to files only."""


class GuardedEngine:
    """An engine whose faults are errors of its plugin."""

    def __init__(self, engine: "Engine", owner: str) -> None:
        self._engine = engine
        self._fault = f"{owner}: engine {engine.name!r}"
        self.name = engine.name
        self.title = engine.title

    def can_open(self, source: Any) -> bool:
        """Whether the engine knows this kind of source."""
        return bool(self._guarded(self._engine.can_open, ON_PURPOSE)(_bare(source)))

    def column_names(
        self, source: Any, options: "ReadOptions", settings: "EngineSettings"
    ) -> tuple[str, ...]:
        """Return the column names; PluginError when they are no texts."""
        names = self._guarded(self._engine.column_names, ON_PURPOSE)(_bare(source), options, settings)
        if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
            raise PluginError(
                f"{self._fault} gave {type(names).__name__}, not a tuple of column names; mend the plugin"
            )
        return names

    def open(
        self, source: Any, options: "ReadOptions", needs: "Needs", settings: "EngineSettings"
    ) -> "Table":
        """Return the table, guarded like the engine; PluginError when it is none."""
        needs = replace(needs, population=_bare(needs.population))
        table = self._guarded(self._engine.open, ON_PURPOSE)(_bare(source), options, needs, settings)
        if not all(callable(getattr(table, method, None)) for method in _METHODS):
            raise PluginError(
                f"{self._fault} opened {type(table).__name__}, which is no table; mend the plugin"
            )
        guarded: Table = GuardedTable(table, self._guarded)
        return guarded

    def snapshot(self, source: Any, options: "ReadOptions", settings: "EngineSettings") -> "Snapshot":
        """Return the snapshot, guarded like the engine; UserError when the engine makes none."""
        taken = self._guarded(self._of_releases("snapshot"), ON_PURPOSE)(_bare(source), options, settings)
        return self._guarded_snapshot(taken)

    def source_digest(
        self, source: Any, options: "ReadOptions", settings: "EngineSettings | None" = None
    ) -> str:
        """Return the digest of the source; UserError when the engine makes none."""
        given = (options,) if settings is None else (options, settings)
        digest = self._guarded(self._of_releases("source_digest"), ON_PURPOSE)(_bare(source), *given)
        if not isinstance(digest, str) or not digest:
            raise PluginError(
                f"{self._fault} gave {type(digest).__name__}, not a text, as a digest; mend the plugin"
            )
        return digest

    def _of_releases(self, method: str) -> Callable[..., Any]:
        found: Callable[..., Any] | None = getattr(self._engine, method, None)
        if not callable(found):
            raise UserError(
                f"engine {self.name!r} cannot make releases; use an engine that can, such as duckdb"
            )
        return found

    def _guarded_snapshot(self, taken: Any) -> "Snapshot":
        if not all(callable(getattr(taken, method, None)) for method in _OF_SNAPSHOT):
            raise PluginError(
                f"{self._fault} took {type(taken).__name__}, which is no snapshot; mend the plugin"
            )
        guarded: Snapshot = GuardedSnapshot(taken, self._guarded, self._guarded_snapshot)
        return guarded

    def _guarded(self, call: Callable[..., Any], said: tuple[type[BaseException], ...]) -> Callable[..., Any]:
        @wraps(call)
        def guarded(*arguments: Any, **named: Any) -> Any:
            with PluginCode(self._fault, "", passes=said, is_engine=True):
                return call(*arguments, **named)

        return guarded


class _Guarded:
    """What an engine made, whose faults are errors of the engine's plugin."""

    _methods: tuple[str, ...]
    _where_it_can: tuple[str, ...] = ()

    def __init__(self, bare: Any, guard: Callable[..., Callable[..., Any]]) -> None:
        self.bare = bare
        self._guard = guard

    def __getattr__(self, name: str) -> Any:
        if name in self._where_it_can:
            found = getattr(self.bare, name, None)
            return None if found is None else self._guard(found, ON_PURPOSE)
        # a ValueError is the caller's mistake, such as a grouping that the method does not take
        said = (*ON_PURPOSE, ValueError)
        found = self._guard(getattr, said)(self.bare, name)
        return self._guard(found, said) if name in self._methods else found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.bare.close()


class GuardedTable(_Guarded):
    """A table whose faults are errors of its engine's plugin."""

    _methods = (*_METHODS, *_ALSO)
    _where_it_can = ("variants", "carried", "texts", "column_class_sizes")

    @property
    def entity(self) -> str | None:
        """The entity column; None where there is none, or the engine does not say."""
        found = self._guard(getattr, ON_PURPOSE)(self.bare, "entity", None)
        return found if isinstance(found, str) else None

    @property
    def interrupt(self) -> "Callable[[], object] | None":
        """What ends a statement from another thread; None where the engine cannot."""
        found: Callable[[], object] | None = getattr(self.bare, "interrupt", None)
        return found


class GuardedSnapshot(_Guarded):
    """A snapshot whose faults are errors of its engine's plugin; its engine is given the snapshot itself."""

    _methods = (*_OF_SNAPSHOT, *_ALSO_OF_SNAPSHOT)

    def __init__(
        self, bare: Any, guard: Callable[..., Callable[..., Any]], wrap: "Callable[[Any], Snapshot]"
    ) -> None:
        super().__init__(bare, guard)
        self._wrap = wrap

    @property
    def source_digest(self) -> str:
        """The digest of what was read; of its content, where the snapshot says nothing of the source."""
        said = self._guard(getattr, ON_PURPOSE)(self.bare, "source_digest", None)
        return said if isinstance(said, str) else f"content:{self.content_digest(self.names)}"

    @property
    def linked(self) -> Any:
        """The tables beside that of the persons; None for a snapshot of a single table."""
        return getattr(self.bare, "linked", None)

    @property
    def with_records(self) -> "Callable[[Any], Snapshot] | None":
        """What joins the records of another snapshot, guarded too; None where the engine cannot."""
        found: Callable[..., Any] | None = getattr(self.bare, "with_records", None)
        if found is None:
            return None
        joined = self._guard(found, ON_PURPOSE)
        return lambda other: self._wrap(joined(_bare(other)))

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        return (lambda *given: self._wrap(found(*given))) if name in _NEW_SNAPSHOTS else found


def _bare(source: Any) -> Any:
    """Return a source as the engine itself made it."""
    return source.bare if isinstance(source, GuardedSnapshot) else source
