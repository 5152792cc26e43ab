"""Run a prepared search and put together what it found."""

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING

from qidguard.auditing.outside import identifying_columns
from qidguard.auditing.recognizing import kind_of
from qidguard.auditing.roles import given_roles, rest_of, suggested_roles
from qidguard.core.errors import PluginError, UserError
from qidguard.core.guard import PluginCode
from qidguard.core.role import DecidedBy, Role, RoleAssignment
from qidguard.discovering.choosing import EVERY_SET
from qidguard.discovering.discovery import Discovery
from qidguard.discovering.found import ColumnFinding, EntryStep, FoundSet, WeighedMetric
from qidguard.discovering.prepared import Prepared
from qidguard.discovering.wording import preference_sentence
from qidguard.search.descent import MOST_SETS, WAYS
from qidguard.search.preference import Preference
from qidguard.search.protocol import Evaluation, SearchResult, StoppedBy
from qidguard.search.questions import Measurer, measured_within
from qidguard.search.run import run_search
from qidguard.search.scoring import Scoring

if TYPE_CHECKING:
    from qidguard.host import Host

EXPLAINING = 0.05
"""For which share of the time that is left sets are explained after the search."""

LEAST = 0.1
"""Which share of the budget a search has, however long the table took to be read: it may run over by that."""

EXPLAINED = WAYS
"""For how many of the best sets the way to them is told."""


def run(prepared: Prepared) -> Discovery:
    """Search, explain and score; Ctrl-C gives the best set seen until then.

    Args:
        prepared: The search.

    Raises:
        UserError: When the strategy cannot work on this objective, or no set was measured in time.
        NotMeasurable: When no set has a fitness.
        PluginError: When a plugin fails.
        KeyboardInterrupt: On Ctrl-C before the first set was measured.
    """
    asked, is_read_late = prepared.asked, seconds_left(prepared) == 0
    least = LEAST * (asked.budget_seconds or 0.0)
    search = _searched(prepared, prepared.preference, least)
    findings = _Findings(prepared, search)
    sets, front = findings.sets(search.ranked), findings.sets(search.front)
    columns = findings.columns(sets)
    rivals, is_whole = _without_preference(prepared, search)
    plain = max(findings.sets(rivals), key=lambda one: one.fitness, default=None)
    told = []
    if plain is not None:
        told = [preference_sentence(sets[0], plain, len(prepared.candidates), is_whole=is_whole)]
    return Discovery(
        source=asked.label,
        records=prepared.table.records,
        entities=prepared.table.entities,
        columns=columns,
        objective=prepared.weighed.objective.name,
        terms=findings.terms(),
        strategy=prepared.chosen.strategy.name,
        strategy_reason=prepared.chosen.reason,
        parameters=MappingProxyType(dict(prepared.chosen.arguments)),
        budget_seconds=asked.budget_seconds,
        largest=prepared.largest,
        sets=sets,
        front=front,
        explained=findings.explained(sets),
        truth=prepared.truth,
        with_names=findings.with_names(sets[0], columns),
        plan=prepared.measurer.plan,
        search=search,
        notes=notes_on(
            prepared, search, columns, own_seconds=least if is_read_late else None, preferred=told
        ),
        engine=asked.engine,
        versions=MappingProxyType(dict(asked.host.versions)),
        seconds=time.perf_counter() - prepared.started,
        without_preference=plain,
    )


def seconds_left(prepared: Prepared) -> float | None:
    """Return how much of the budget is left, which began with the call; None without a budget."""
    budget = prepared.asked.budget_seconds
    return None if budget is None else max(0.0, budget - (time.perf_counter() - prepared.started))


def _searched(prepared: Prepared, preference: Preference | None, least: float = 0.0) -> SearchResult:
    """Run the search as asked for, within what the budget left, and for ``least`` seconds in any case."""
    asked, left = prepared.asked, seconds_left(prepared)
    return run_search(
        prepared.measurer,
        prepared.weighed.objective,
        prepared.chosen.strategy,
        candidates=prepared.candidates,
        arguments=prepared.chosen.arguments,
        seed=asked.seed,
        budget_seconds=None if left is None else max(left * (1 - EXPLAINING), least),
        largest=prepared.largest,
        ranked=asked.ranked,
        progress=asked.progress,
        owner=prepared.chosen.owner,
        proposals=prepared.recognition.every,
        has_descent=True,
        host=asked.host,
        preference=preference,
    )


def _without_preference(prepared: Prepared, search: SearchResult) -> tuple[tuple[Evaluation, ...], bool]:
    """Return the sets of which one is best by the objective alone, and whether a whole search found them.

    Where every set was tried that is the best one seen; else the same search is made without the preference,
    from the same seed, in what the budget left. What the first one saw may be better: neither is a proof.
    """
    seen = tuple(filter(None, (search.without_preference,)))
    if not seen or search.choice is not None:  # who chooses by a rule of its own prefers nothing
        return seen, False
    is_finished = search.stopped_by is StoppedBy.FINISHED
    is_every = is_finished and prepared.chosen.strategy.name == EVERY_SET
    if not (is_finished and prepared.asked.has_rival) or is_every:
        return seen, is_every
    try:
        other = _searched(prepared, None)
    except (UserError, KeyboardInterrupt):  # before a first set was measured
        return seen, False
    return (other.best, *seen), other.stopped_by is StoppedBy.FINISHED


@dataclass(frozen=True)
class _Findings:
    """What a person wants to know of a search."""

    prepared: Prepared
    search: SearchResult

    @property
    def every(self) -> tuple[str, ...]:
        return tuple(facts.name for facts in self.prepared.table.columns)

    @property
    def scoring(self) -> Scoring:
        prepared = self.prepared
        return Scoring(prepared.weighed.objective, prepared.measurer.questions, prepared.preference)

    def terms(self) -> tuple[WeighedMetric, ...]:
        objective, host = self.prepared.weighed.objective, self.prepared.asked.host
        metrics = [host.metric(term.metric) for term in objective.every_term]
        return tuple(
            WeighedMetric(
                metric=metric.name,
                title=metric.title,
                unit=metric.unit,
                weight=float(term.weight),
                attribute=question.attribute,
                is_divisor=at >= len(objective.terms),
                is_change=bool(metric.change_of),
            )
            for at, (term, metric, question) in enumerate(
                zip(objective.every_term, metrics, self.prepared.weighed.questions, strict=True)
            )
        )

    def sets(self, given: Iterable[Evaluation]) -> tuple[FoundSet, ...]:
        found = tuple(given)
        if not found:
            return ()
        scoring, host = self.scoring, self.prepared.asked.host
        rows = self.prepared.measurer.measure([one.qids for one in found])
        return tuple(
            FoundSet(
                qids=tuple(name for name in self.every if name in one.qids),
                fitness=scoring.objective_fitness(row.tolist()),
                preferred_fitness=None
                if scoring.preference is None
                else scoring.own_fitness(row.tolist(), one.qids),
                figures=numbers(scoring.own(row.tolist())),
                scores=scores(one.qids, self.prepared.truth, self.every, host),
            )
            for one, row in zip(found, rows, strict=True)
        )

    def columns(self, sets: Sequence[FoundSet]) -> tuple[ColumnFinding, ...]:
        recognition, table = self.prepared.recognition, self.prepared.table
        found = set(sets[0].qids)
        suggested = suggested_roles(table.columns, recognition)
        rest = rest_of((role for role in suggested if role.column not in found), None)
        identifying = {one.column: one for one in identifying_columns(table, rest, recognition)}
        policy = self.prepared.asked.policy
        return tuple(
            ColumnFinding(
                facts=facts,
                share=sum(facts.name in one.qids for one in sets) / len(sets),
                is_found=facts.name in sets[0].qids,
                why_not=self.prepared.without.get(facts.name, ""),
                known=self._known(facts.name),
                proposals=recognition.rivals.get(facts.name, ()),
                kind=kind_of(facts.name, policy, recognition.kinds.get(facts.name)),
                identifying=identifying.get(facts.name),
                plausibility=self.prepared.plausible.get(facts.name),
            )
            for facts in self.prepared.table.columns
        )

    def _known(self, name: str) -> RoleAssignment | None:
        policy = self.prepared.asked.policy
        given = {} if policy is None else given_roles(policy)
        if name in given:
            return RoleAssignment(column=name, role=given[name], decided_by=DecidedBy.PERSON)
        proposal = self.prepared.recognition.proposals.get(name)
        return None if proposal is None else proposal.assignment

    def seconds_left(self) -> float:
        """Return how long sets may be measured to explain others."""
        left = seconds_left(self.prepared)
        return math.inf if left is None else left

    def explained(self, sets: Sequence[FoundSet]) -> tuple[tuple[EntryStep, ...], ...]:
        steps: list[tuple[EntryStep, ...]] = []
        with suppress(KeyboardInterrupt):  # who is in a hurry gets what is there
            steps.extend(
                steps_to(one.qids, self.prepared.measurer, self.scoring, self.seconds_left)
                for one in sets[:EXPLAINED]
            )
        return tuple(steps)

    def with_names(self, best: FoundSet, columns: Sequence[ColumnFinding]) -> Mapping[str, float]:
        both = {*best.qids, *only_by_name(columns)}
        return scores(both, self.prepared.truth, self.every, self.prepared.asked.host)


def scores(
    found: Collection[str], truth: Collection[str] | None, every: Collection[str], host: "Host"
) -> Mapping[str, float]:
    """Return every recognition score of a found set, by name; none where there is no truth.

    PluginError, naming the plugin, where a score fails.
    """
    if truth is None:
        return MappingProxyType({})
    answers = {}
    for name, score in host.recognition_scores.items():
        owner = host.owner("recognition_scores", name)
        with PluginCode(owner, f"score {name!r}", passes=()):
            given: object = score.compute(frozenset(found), frozenset(truth), frozenset(every))
        if isinstance(given, bool) or not isinstance(given, Real):
            kind = type(given).__name__
            raise PluginError(f"{owner}: score {name!r} gave {kind}, not a number; mend the plugin")
        answers[name] = float(given)
        if not 0 <= answers[name] <= 1:
            raise PluginError(f"{owner}: score {name!r} gave {answers[name]}, which is no share 0..1")
    return MappingProxyType(answers)


Row = tuple[float | None, ...]


def numbers(figures: Sequence[float]) -> Row:
    """Return figures with None where no number exists.

    Example:
        >>> numbers([0.5, math.nan])
        (0.5, None)
    """
    return tuple(None if math.isnan(figure) else float(figure) for figure in figures)


def steps_to(
    qids: Sequence[str],
    measurer: Measurer,
    scoring: Scoring,
    seconds_left: Callable[[], float] = lambda: math.inf,
) -> tuple[EntryStep, ...]:
    """Return the steps: at each, of the columns left the one with which the fitness is highest.

    Equally good columns enter in the table's order. A change counts 0, as it does for the set itself.

    Args:
        qids: The set, in the table's order, not empty.
        measurer: Measures its subsets.
        scoring: Turns figures into fitness.
        seconds_left: How much time there is; where it is not enough for a step, what is left enters at once.

    Returns:
        One entry a column; the last one holds several where the set is wide or the time is up.
    """
    entries: list[EntryStep] = []
    inside: tuple[str, ...] = ()
    left = list(qids)
    measured = 0
    while left:
        steps: list[tuple[str, ...]] = [(name,) for name in left]
        found = None
        seconds = seconds_left()
        if measured + len(left) <= MOST_SETS and seconds > 0:
            found = measured_within(measurer, [frozenset((*inside, *step)) for step in steps], seconds)
        if found is None:
            steps = [tuple(left)]
            found = measurer.measure([frozenset(qids)])
        measured += len(steps)
        rows = found.tolist()
        fitness = [scoring.own_fitness(row, (*inside, *step)) for row, step in zip(rows, steps, strict=True)]
        best = max(range(len(steps)), key=fitness.__getitem__)
        figures = numbers(scoring.own(rows[best]))
        before = entries[-1] if entries else None
        entries.append(
            EntryStep(
                columns=steps[best],
                fitness=fitness[best],
                gain=None if before is None else fitness[best] - before.fitness,
                figures=figures,
                moves=_moves(figures, before),
            )
        )
        inside = (*inside, *steps[best])
        left = [name for name in left if name not in steps[best]]
    return tuple(entries)


def _moves(figures: Row, before: EntryStep | None) -> Row:
    if before is None:
        return (None,) * len(figures)
    pairs = zip(figures, before.figures, strict=True)
    return numbers([math.nan if new is None or old is None else new - old for new, old in pairs])


UNKNOWABLE = (
    "A search finds columns that single people out. It cannot know which of them an outsider knows: that is"
    " for a person to decide."
)
"""What every discovery says of itself."""


def notes_on(
    prepared: Prepared,
    search: SearchResult,
    columns: Sequence[ColumnFinding],
    *,
    own_seconds: float | None,
    preferred: Sequence[str],
) -> tuple[str, ...]:
    """Return the sentences; ``own_seconds`` are those beyond the budget, where reading took all of it."""
    notes, budget = [UNKNOWABLE], prepared.asked.budget_seconds
    seen = f"this is the best of the {search.evaluations:,} sets seen until then"
    if search.stopped_by is StoppedBy.INTERRUPTED:
        notes.append(f"The search was interrupted; {seen}.")
    if own_seconds is not None:
        notes.append(
            f"Reading the table took longer than the whole budget of {budget:g} seconds, so the search had"
            f" {own_seconds:g} seconds beyond it; give more for a better answer."
        )
    if search.stopped_by is StoppedBy.BUDGET:
        notes.append(
            f"The search was stopped after its budget of {budget:g} seconds; {seen}, and another run may end"
            " elsewhere."
        )
    notes += [*preferred, *([f"{search.fault}."] if search.fault else [])]
    missed = only_by_name(columns)
    if missed:
        names = ", ".join(map(repr, missed))
        notes.append(
            f"Found by name and not by the search: {names}. A search takes nothing away from what names or a"
            " policy say; a person does."
        )
    beyond = [c.facts.name for c in columns if c.is_found and _is_called(c, Role.SENSITIVE)]
    if beyond:
        names = ", ".join(map(repr, beyond))
        notes.append(f"Found, although the name speaks of a sensitive attribute: {names}; decide on it.")
    notes += [block.sentence for block in prepared.recognition.blocks]
    return (*notes, *prepared.table.notes)


def only_by_name(columns: Sequence[ColumnFinding]) -> tuple[str, ...]:
    """Return the columns that the policy or a recognizer calls quasi-identifiers, and the search does not."""
    return tuple(
        column.facts.name
        for column in columns
        if not column.is_found and _is_called(column, Role.QUASI_IDENTIFIER)
    )


def _is_called(column: ColumnFinding, role: Role) -> bool:
    return column.known is not None and column.known.role is role
