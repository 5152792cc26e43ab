"""What all loaded plugins offer together, and what is wrong with the rest."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from qidguard.core.errors import PluginError, UserError
from qidguard.host import kinds
from qidguard.host.guarded import GuardedEngine
from qidguard.host.kinds import Kind
from qidguard.host.plugin import PluginFailure, PluginInfo

if TYPE_CHECKING:
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import Engine

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
        if not known:
            raise UserError(
                f"there is no {kind.word} {name!r}, since no installed plugin offers {kind.plural};"
                " install one that does, as qidguard's README says"
            )
        hint = f"did you mean {close[0]!r}?" if close else "see: qidguard plugins"
        raise UserError(f"there is no {kind.word} {name!r}; {hint}")
