"""The table of plugin kinds: a new kind is one row here and the protocol that the row names."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from qidguard.anonymizing.attack import Attack
from qidguard.anonymizing.protocol import Anonymizer, AnonymizerOptions
from qidguard.core.command import OF_EXTRAS, OWN_COMMANDS, OWN_GROUPS, Command
from qidguard.core.leaks import LeakCheck
from qidguard.core.metric import Metric
from qidguard.core.recognizer import (
    ContentRecognizer,
    ExtendableRecognizer,
    KindRecognizer,
    RecognitionScore,
    Recognizer,
    SearchingRecognizer,
)
from qidguard.engines.base import Engine, EngineOfReleases
from qidguard.host import explaining
from qidguard.host.explaining import in_words
from qidguard.search.objective import Objective
from qidguard.search.protocol import SearchPlot, SearchStrategy

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[T]):
    """One kind of thing that plugins offer.

    Args:
        name: Its key in listings and JSON; the hook is ``qidguard_`` and this name.
        word: One of them, in a sentence.
        protocol: The protocol that an offer has to fill, or the class that it has to be of.
        optional: The protocols of what an offer may have beside that.
        returns: What the hook's docstring says that it returns.
        explain: Yields the lines of ``qidguard explain`` on one offer, its parameters apart.
        reserved: Names that are the host's own, which no plugin can offer.
        of_extras: Names of what a plugin offers that an extra of the same name installs.
    """

    name: str
    word: str
    protocol: type[Any]
    optional: tuple[type[Any], ...] = ()
    returns: str
    explain: Callable[[T], Iterator[str]]
    reserved: frozenset[str] = frozenset()
    of_extras: frozenset[str] = frozenset()

    @property
    def hook(self) -> str:
        """The hook that returns what a plugin offers."""
        return f"qidguard_{self.name}"

    @property
    def plural(self) -> str:
        """Several of them, in a sentence."""
        return self.name.replace("_", " ")


METRICS: Kind[Metric] = Kind(
    name="metrics",
    word="metric",
    protocol=Metric,
    returns="Return metrics. A name that another plugin offers too is an error, and blocks policies that use"
    " it.",
    explain=in_words(),  # a metric brings an explanation of its own
)
RECOGNIZERS: Kind[Recognizer] = Kind(
    name="recognizers",
    word="recognizer",
    protocol=Recognizer,
    optional=(ContentRecognizer, ExtendableRecognizer, KindRecognizer, SearchingRecognizer),
    returns="Return recognizers, which propose a role for columns they know.",
    explain=explaining.of_recognizer,
)
SEARCH_STRATEGIES: Kind[SearchStrategy] = Kind(
    name="search_strategies",
    word="search strategy",
    protocol=SearchStrategy,
    returns="Return search strategies, which look for the set of QIDs that is best by an objective.",
    explain=in_words("A search strategy: qidguard discover DATA --strategy {it.name}"),
)
OBJECTIVES: Kind[Objective] = Kind(
    name="objectives",
    word="objective",
    protocol=Objective,
    returns="Return objectives: named weights of metrics, which a search maximizes.",
    explain=explaining.of_objective,
)
RECOGNITION_SCORES: Kind[RecognitionScore] = Kind(
    name="recognition_scores",
    word="recognition score",
    protocol=RecognitionScore,
    returns="Return scores of a found set of quasi-identifiers against a ground truth.",
    explain=explaining.of_score,
)
SEARCH_PLOTS: Kind[SearchPlot] = Kind(
    name="search_plots",
    word="search plot",
    protocol=SearchPlot,
    returns="Return plots of a search, which ``qidguard discover --plots`` saves.",
    explain=in_words("A plot of a search, saved as {it.name}: qidguard discover DATA --plots FOLDER"),
)
ANONYMIZERS: Kind[Anonymizer] = Kind(
    name="anonymizers",
    word="anonymizer",
    protocol=Anonymizer,
    optional=(AnonymizerOptions,),
    returns="Return anonymizers, which transform a table until a policy holds.",
    explain=explaining.of_anonymizer,
)
ATTACKS: Kind[Attack] = Kind(
    name="attacks",
    word="attack",
    protocol=Attack,
    returns="Return attacks on published tables, which tell what a transformation is worth.",
    explain=in_words(
        "An attack on the published table: qidguard anonymize DATA --policy POLICY --attack {it.name}"
    ),
)
LEAKS: Kind[LeakCheck] = Kind(
    name="leaks",
    word="leak check",
    protocol=LeakCheck,
    returns="Return checks of whether a published column may undo the release. Where one fails, it blocks.",
    explain=in_words(
        "A check of what would be published: {it.title}",
        "No table passes without it: what it finds is read back, and where it fails the audit blocks",
    ),
)
ENGINES: Kind[Engine] = Kind(
    name="engines",
    word="engine",
    protocol=Engine,
    optional=(EngineOfReleases,),
    returns="Return engines, which open sources and answer groupings.",
    explain=explaining.of_engine,
)
COMMANDS: Kind[Command] = Kind(
    name="commands",
    word="command",
    protocol=Command,
    returns="Return commands, which ``qidguard`` runs beside its own.",
    explain=in_words("A command: qidguard {it.name} --help"),
    reserved=frozenset((*OWN_GROUPS, *OWN_COMMANDS)),
    of_extras=frozenset(OF_EXTRAS),
)

KINDS: tuple[Kind[Any], ...] = (
    *(METRICS, RECOGNIZERS, SEARCH_STRATEGIES, OBJECTIVES, RECOGNITION_SCORES),
    *(SEARCH_PLOTS, ANONYMIZERS, ATTACKS, LEAKS, ENGINES, COMMANDS),
)
"""Every kind, in the order of listings."""
