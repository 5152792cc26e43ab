"""What all loaded plugins offer together, and what is wrong with the rest."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import PluginError, UserError
from qidguard.host.guarded import GuardedEngine
from qidguard.host.plugin import PluginFailure, PluginInfo

if TYPE_CHECKING:
    from qidguard.anonymize.attack import Attack
    from qidguard.anonymize.protocol import Anonymiser
    from qidguard.core.metric import Metric
    from qidguard.core.recogniser import Recogniser
    from qidguard.core.report import AuditReport
    from qidguard.core.score import RecognitionScore
    from qidguard.engines.base import Engine
    from qidguard.search.objective import Objective
    from qidguard.search.protocol import SearchStrategy
    from qidguard.search.search_plot import SearchPlot

_WORD = {
    "metrics": "metric",
    "recognisers": "recogniser",
    "search_strategies": "search strategy",
    "objectives": "objective",
    "recognition_scores": "recognition score",
    "search_plots": "search plot",
    "anonymisers": "anonymiser",
    "attacks": "attack",
    "engines": "engine",
}


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

    @property
    def metrics(self) -> "Mapping[str, Metric]":
        """Name → metric."""
        return self.registry["metrics"]

    @property
    def recognisers(self) -> "Mapping[str, Recogniser]":
        """Name → recogniser."""
        return self.registry["recognisers"]

    @property
    def search_strategies(self) -> "Mapping[str, SearchStrategy]":
        """Name → search strategy."""
        return self.registry["search_strategies"]

    @property
    def objectives(self) -> "Mapping[str, Objective]":
        """Name → objective."""
        return self.registry["objectives"]

    @property
    def recognition_scores(self) -> "Mapping[str, RecognitionScore]":
        """Name → score of a recognition."""
        return self.registry["recognition_scores"]

    @property
    def search_plots(self) -> "Mapping[str, SearchPlot]":
        """Name → plot of a search."""
        return self.registry["search_plots"]

    @property
    def anonymisers(self) -> "Mapping[str, Anonymiser]":
        """Name → anonymiser."""
        return self.registry["anonymisers"]

    @property
    def attacks(self) -> "Mapping[str, Attack]":
        """Name → attack on a published table."""
        return self.registry["attacks"]

    @property
    def engines(self) -> "Mapping[str, Engine]":
        """Name → engine."""
        return self.registry["engines"]

    @property
    def versions(self) -> dict[str, str]:
        """Distribution → version, of every loaded plugin and of the host itself."""
        return {p.distribution: p.version for p in self.plugins}

    def metric(self, name: str) -> "Metric":
        """Return a metric; PluginError when a broken or skipped plugin may offer it, else UserError."""
        metric: Metric = self._find("metrics", name)
        return metric

    def engine(self, name: str) -> "Engine":
        """Return an engine; PluginError when a broken or skipped plugin may offer it, else UserError."""
        return GuardedEngine(self._find("engines", name), self.owner("engines", name))

    def anonymiser(self, name: str) -> "Anonymiser":
        """Return an anonymiser; PluginError when a broken or skipped plugin may offer it, else UserError."""
        anonymiser: Anonymiser = self._find("anonymisers", name)
        return anonymiser

    def attack(self, name: str) -> "Attack":
        """Return an attack; PluginError when a broken or skipped plugin may offer it, else UserError."""
        attack: Attack = self._find("attacks", name)
        return attack

    def search_strategy(self, name: str) -> "SearchStrategy":
        """Return a strategy; PluginError when a broken or skipped plugin may offer it, else UserError."""
        strategy: SearchStrategy = self._find("search_strategies", name)
        return strategy

    def objective(self, name: str) -> "Objective":
        """Return an objective; PluginError when a broken or skipped plugin may offer it, else UserError."""
        objective: Objective = self._find("objectives", name)
        return objective

    def owner(self, kind: str, name: str) -> str:
        """Return the plugin that offers ``name``, with its distribution and version, for an error."""
        for plugin in self.plugins:
            if name in plugin.offers.get(kind, ()):
                return plugin.origin
        return "an unknown plugin"

    def _find(self, kind: str, name: str) -> Any:
        known = self.registry[kind]
        if name in known:
            return known[name]
        for failure in self.failures:
            if (kind, name) in failure.contested:
                raise PluginError(f"{_WORD[kind]} {name!r} cannot be trusted: {failure.sentence}")
        if self.failures:
            broken = "; ".join(f.sentence for f in self.failures)
            raise PluginError(
                f"no loaded plugin offers the {_WORD[kind]} {name!r}, and not all loaded: {broken}"
            )
        close = get_close_matches(name, known, n=1)
        if self.skipped:
            guess = f" (did you mean {close[0]!r}?)" if close else ""
            raise PluginError(
                f"no loaded plugin offers the {_WORD[kind]} {name!r}{guess}, and QIDGUARD_PLUGINS leaves out"
                f" {', '.join(self.skipped)}; add the plugin that offers it, or unset the variable"
            )
        hint = f"did you mean {close[0]!r}?" if close else "see: qidguard plugins"
        raise UserError(f"there is no {_WORD[kind]} {name!r}; {hint}")
