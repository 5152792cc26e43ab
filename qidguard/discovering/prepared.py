"""A search that is ready to run: candidates, objective, strategy and the way figures are measured."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from qidguard.auditing.beside import NOTHING, Beside
from qidguard.auditing.candidates import left_out
from qidguard.auditing.roles import Recognition, recognize
from qidguard.auditing.weighing import AttributeColumns, Weighed, weigh
from qidguard.core.errors import UserError
from qidguard.core.progress import SILENT, Progress
from qidguard.discovering.against_truth import named
from qidguard.discovering.choosing import Chosen, choose, sets_up_to
from qidguard.discovering.found import Plausibility
from qidguard.discovering.plausibility import WIDE, do_names_tell, plausibilities
from qidguard.engines.base import Table
from qidguard.measuring.subset_measurer import SubsetMeasurer
from qidguard.search.objective import Objective
from qidguard.search.preference import Preference

if TYPE_CHECKING:
    from qidguard.host import Host
    from qidguard.policy import Policy

RANKED = 10
"""How many sets come back where nobody says."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A search as it was asked for; see ``qidguard.discover`` for what each field means."""

    host: "Host"
    policy: "Policy | None" = None
    beside: Beside = NOTHING
    strategy: str | None = None
    objective: str | Objective | Mapping[str, float] = "recognition"
    weights: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    arguments: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    budget_seconds: float | None = None
    candidates: Iterable[str] | None = None
    largest: int | None = None
    truth: Iterable[str] | None = None
    attributes: AttributeColumns = field(default_factory=AttributeColumns)
    threads: int = 1
    ranked: int = RANKED
    is_pareto: bool = False
    prefer_known: bool | None = None
    has_rival: bool = True
    """Whether it is searched, too, what would be best without a preference."""
    progress: Progress = SILENT
    label: str = ""
    engine: str = ""

    def __post_init__(self) -> None:
        largest = 1 if self.largest is None else self.largest
        for name, value in (("seed", self.seed), ("ranked", self.ranked), ("largest", largest)):
            given: object = value  # whatever a caller without a type checker gave
            if isinstance(given, bool) or not isinstance(given, int):
                raise UserError(f"{name} must be a whole number, not {given!r}; correct it")
        prefers: object = self.prefer_known
        if prefers is not None and not isinstance(prefers, bool):
            raise UserError(f"prefer_known must be True, False or None, not {prefers!r}; correct it")
        strategy: object = self.strategy
        if strategy is not None and not isinstance(strategy, str):
            raise UserError(f"strategy must be a name, not {strategy!r}; see: qidguard plugins")


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What a search runs on.

    Args:
        asked: What was asked for.
        table: The opened table.
        recognition: What recognizers say of the columns.
        candidates: The columns that are searched, in the table's order.
        without: Column → why it is no candidate.
        truth: The true quasi-identifiers, or None.
        weighed: The objective and its figures.
        chosen: The strategy.
        largest: The largest number of columns a set may have.
        measurer: Measures the figures; its plan says how.
        started: When the work began, by ``time.perf_counter``.
        plausible: Candidate → how plausibly outsiders know it; empty where that changes nothing.
    """

    asked: Asked
    table: Table
    recognition: Recognition
    candidates: tuple[str, ...]
    without: Mapping[str, str]
    truth: tuple[str, ...] | None
    weighed: Weighed
    chosen: Chosen
    largest: int
    measurer: SubsetMeasurer
    started: float
    plausible: Mapping[str, Plausibility] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def preference(self) -> Preference | None:
        """What multiplies the fitness of sets; None where nothing does."""
        if not self.plausible:
            return None
        return Preference({name: one.share for name, one in self.plausible.items()})


def prepare(table: Table, asked: Asked, started: float) -> Prepared:
    """Check everything that can be wrong with a search before it runs.

    Raises:
        UserError: When a column, an objective, a strategy or a parameter does not exist or does not fit.
        PluginError: When a plugin is broken or missing.
    """
    every = tuple(facts.name for facts in table.columns)
    recognition = recognize(table, asked.host, asked.beside)
    attributes = _attribute_columns(asked, every)
    without = _without(table, recognition, asked, attributes)
    candidates = tuple(name for name in every if name not in without)
    if not candidates:
        whys = "; ".join(f"{name!r}: {why}" for name, why in list(without.items())[:3])
        raise UserError(f"no column is left to be searched ({whys}); name some as candidates")
    truth = None if asked.truth is None else named(asked.truth, every, "truth")
    largest = len(candidates) if asked.largest is None else min(asked.largest, len(candidates))
    weighed = weigh(asked.objective, asked.host, weights=asked.weights, attributes=attributes)
    chosen = choose(
        asked.strategy,
        asked.arguments,
        sets=sets_up_to(len(candidates), largest),
        questions=weighed.questions,
        host=asked.host,
        is_pareto=asked.is_pareto,
    )
    measurer = SubsetMeasurer(
        table,
        candidates,
        weighed.questions,
        expected_sets=chosen.expected_sets,
        threads=asked.threads,
        progress=SILENT,  # the search itself says where it stands
        is_hurried=asked.budget_seconds is not None,
    )
    return Prepared(
        asked=asked,
        table=table,
        recognition=recognition,
        candidates=candidates,
        without=without,
        truth=truth,
        weighed=weighed,
        chosen=chosen,
        largest=largest,
        measurer=measurer,
        started=started,
        plausible=_plausible(table, recognition, asked, candidates),
    )


def _attribute_columns(asked: Asked, every: tuple[str, ...]) -> AttributeColumns:
    """Return the columns that metrics are measured beside; what the caller names goes before the policy."""
    mine, roles = asked.attributes, None if asked.policy is None else asked.policy.roles
    target = mine.target or (roles.target if roles else None)
    treatment = mine.treatment or (roles.treatment if roles else None)
    sensitive = mine.sensitive or (tuple(roles.sensitive) if roles else ())
    for what, columns in (("target", (target,)), ("treatment", (treatment,)), ("sensitive", sensitive)):
        named([column for column in columns if column is not None], every, what)
    if target is not None and target == treatment:
        raise UserError(f"{target!r} cannot be the target and the treatment; name two columns")
    return AttributeColumns(target=target, treatment=treatment, sensitive=sensitive)


def _plausible(
    table: Table, recognition: Recognition, asked: Asked, candidates: tuple[str, ...]
) -> Mapping[str, Plausibility]:
    """Return how plausibly outsiders know each candidate; empty where none is preferred to another one."""
    is_wide = len(candidates) > WIDE and do_names_tell(len(table.columns), recognition, asked.policy)
    if not (is_wide if asked.prefer_known is None else asked.prefer_known):
        return MappingProxyType({})
    facts = [one for one in table.columns if one.name in candidates]
    found = plausibilities(facts, recognition, asked.policy)
    differ = len({one.share for one in found.values()}) > 1
    return MappingProxyType(dict(found) if differ else {})


def _without(
    table: Table, recognition: Recognition, asked: Asked, attributes: AttributeColumns
) -> dict[str, str]:
    every = tuple(facts.name for facts in table.columns)
    if asked.candidates is None:
        return left_out(table.columns, recognition, policy=asked.policy, attributes=attributes.words)
    chosen = named(asked.candidates, every, "candidates")
    for name in chosen:
        if name in attributes.words:
            why = attributes.words[name].removeprefix("it ")
            raise UserError(f"candidates: {name!r} {why}, and metrics are measured beside it; name it once")
    return {name: "it is not among the candidates named" for name in every if name not in chosen}
