"""The cheapest changes that pass: searched by counting classes, each confirmed by an audit."""

import math
import re
import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from qidguard.advising.advice import DROPPED, Change, Coarser
from qidguard.advising.class_limits import is_counted
from qidguard.advising.confirming import Confirmed, Confirming
from qidguard.advising.levels import ColumnOptions, beside, column_options, kept_column
from qidguard.advising.searching import CountedState, Excluded, OptionSearch, State
from qidguard.anonymizing.declared import DeclaredHierarchies
from qidguard.auditing.proposed import recognized_sensitive
from qidguard.policy.draft import key_text
from qidguard.rendering.printable import listed

if TYPE_CHECKING:
    from qidguard.advising.counted_rows import CountedRows
    from qidguard.policy import HierarchySettings
    from qidguard.policy.recoding import Level
    from qidguard.trials.context import TrialContext
    from qidguard.trials.stages import AuditedCopy, HistoryOf


TITLE: Final = "changes audited"

MOST_CHANGES: Final = 3
"""Changes that are told."""

MOST_AUDITS: Final = 8
"""Changes that are audited against the whole policy."""

_MOST_STEPS = 60
"""Changes that are measured on the way down from the coarsest, where limits cannot be counted."""


@dataclass(frozen=True, kw_only=True)
class FoundChanges:
    """What was found.

    Args:
        changes: The changes that pass, cheapest first.
        hindrances: Why there are none, or no more.
        audited: Number of changes that were audited.
        is_exact: Whether no cheaper change was left out.
        is_cut_short: Whether the time was up.
    """

    changes: tuple[Change, ...] = ()
    hindrances: tuple[str, ...] = ()
    audited: int = 0
    is_exact: bool = False
    is_cut_short: bool = False


def find_changes(
    context: "TrialContext",
    source: "AuditedCopy",
    counted: "CountedRows",
    *,
    most_left_out: float,
    deadline: float = math.inf,
    history_of: "HistoryOf | None" = None,
) -> FoundChanges:
    """Return the cheapest changes of levels with which a table passes the whole policy.

    Args:
        context: What was asked for.
        source: The audited table.
        counted: Its rows, with what is asked of classes.
        most_left_out: The largest share of persons that may be left out.
        deadline: When it stops, by ``time.monotonic``.
        history_of: Returns the earlier releases beside a snapshot, where they count.
    """
    columns = _columns(context, source, counted)
    if counted.joint is not None:
        most_left_out = 0.0  # who is left out has left, for whoever holds an earlier release
        columns.append(beside(counted.rows.spans[-1]))
    if all(len(column.options) == 1 for column in columns):
        names = "every quasi-identifier is a sensitive attribute, too"
        return FoundChanges(hindrances=(f"No level can be changed: {names}.",))
    search = OptionSearch(
        rows=counted.rows,
        limits=counted.limits,
        columns=columns,
        most_left_out=math.floor(most_left_out * counted.rows.persons + 1e-9),
        deadline=deadline,
        progress=context.progress,
    )
    written = {column.name: column.written for column in columns if column.written is not None}
    policy = context.policy.model_copy(update={"hierarchies": {**context.policy.hierarchies, **written}})
    confirming = Confirming(
        context=replace(context, policy=policy),
        source=source,
        hierarchies={c.name: c.hierarchy for c in columns if c.hierarchy is not None},
        most_left_out=most_left_out,
        history_of=history_of,
    )
    return _Finding(search=search, confirming=confirming, deadline=deadline).found()


def _columns(context: "TrialContext", source: "AuditedCopy", counted: "CountedRows") -> list[ColumnOptions]:
    policy, report, records = context.policy, source.report, source.records
    declared = DeclaredHierarchies.read(policy).bound_to(records)
    recognized = recognized_sensitive(column.assignment for column in report.columns)
    left_alone = {policy.roles.entity, *policy.roles.sensitive, *recognized}
    kinds = {c.facts.name: c.kind.kind for c in report.columns if c.kind is not None}
    return [
        kept_column(records.column(name))
        if name in left_alone
        else column_options(name, records, policy, declared, kinds.get(name))
        for name in counted.names
    ]


@dataclass(kw_only=True)
class _Finding:
    """The way from what counting finds to what an audit confirms."""

    search: OptionSearch
    confirming: Confirming
    deadline: float
    excluded: Excluded = field(default_factory=Excluded)
    refused: list[Confirmed] = field(default_factory=list)
    audited: int = 0

    def found(self) -> FoundChanges:
        """Return what was found."""
        hindrances = self._never_met()
        if hindrances:
            return FoundChanges(hindrances=hindrances, audited=self.audited)
        told: list[Change] = []
        progress = self.search.progress
        while len(told) < MOST_CHANGES and self.audited < MOST_AUDITS and not self._is_over():
            best = self._next()
            if best is None:
                break
            change = self._confirmed(best)
            progress.step(TITLE, self.audited, MOST_AUDITS)
            if change is not None:
                told.append(change)
                self.excluded.told.append(best)
        progress.step(TITLE, MOST_AUDITS, MOST_AUDITS)
        is_cut_short = self._is_over()
        return FoundChanges(
            changes=tuple(sorted(told, key=lambda change: change.loss)),
            hindrances=() if told else self._why(is_cut_short=is_cut_short),
            audited=self.audited,
            is_exact=self.search.is_exact and bool(told) and not self._has_more,
            is_cut_short=is_cut_short or self.search.is_cut_short,
        )

    @property
    def _has_more(self) -> bool:
        """Whether the policy asks more than can be counted."""
        return any(demand.limit.is_blocking and not is_counted(demand) for demand in self.confirming.asked)

    def _is_over(self) -> bool:
        return time.monotonic() > self.deadline

    def _next(self) -> CountedState | None:
        """Return the next state to be audited; where thresholds refuse, one found from the coarsest down."""
        if self._has_more and any(one.missed for one in self.refused):
            return self._descended()
        return self.search.best(self.excluded)

    def _levels(self, state: State) -> "dict[str, Level]":
        options = zip(self.search.columns, state, strict=True)
        return {column.name: column.options[at].level for column, at in options if at}

    def _confirmed(self, found: CountedState) -> Change | None:
        self.audited += 1
        levels = self._levels(found.state)
        done = self.confirming.confirm(levels)
        if not done.is_passed:
            self.refused.append(done)
            self.excluded.states.add(found.state)
            for at, place in enumerate(found.state):
                if place and self.search.columns[at].name in done.told:
                    self.excluded.places[at, place] = None
            return None
        share = done.records_left_out / self.confirming.source.report.records
        suppress = 0.0
        if done.left_out:
            persons = self.search.rows.persons
            suppress = min(self.confirming.most_left_out, math.ceil(1000 * done.left_out / persons) / 1000)
        columns = tuple(
            Coarser(
                column=column.name,
                level=column.options[at].level,
                coarsest=column.coarsest,
                ncp=column.options[at].ncp,
            )
            for column, at in zip(self.search.columns, found.state, strict=True)
            if at
        )
        written = {c.name: c.written for c in self.search.columns if c.written is not None}
        needed = {c.column: written[c.column] for c in columns if c.column in written and c.level != DROPPED}
        return Change(
            columns=columns,
            left_out=done.left_out,
            records_left_out=done.records_left_out,
            suppress=suppress,
            loss=self.search.ncp(found.state) * (1 - share) + share,
            lines=policy_lines(columns, suppress, needed),
        )

    def _descended(self) -> CountedState | None:
        """Return the state that is left when columns are published finer one after the other from the top.

        A step stays where the thresholds still hold, those that cannot be counted included.
        """
        state, steps = self.search.top, 0
        order = sorted(range(len(state)), key=lambda at: (len(self.search.columns[at].options), at))
        for offset in range(len(order)):
            state = self.search.top
            for at in order[offset:] + order[:offset]:
                for finer in range(state[at]):
                    if self._is_over() or steps >= _MOST_STEPS:
                        break
                    asked = (*state[:at], finer, *state[at + 1 :])
                    if not self.search.passes(self.search.count(asked)):
                        continue
                    steps += 1
                    if self._holds(asked):
                        state = asked
                        break
            found = self.search.count(state)
            if state != self.search.top and not self.excluded.has(found):
                return found
            if self._is_over() or steps >= _MOST_STEPS:
                break
        found = self.search.count(self.search.top)
        return None if self.excluded.has(found) or not self.search.passes(found) else found

    def _holds(self, state: State) -> bool:
        done = self.confirming.rehearse(self._levels(state))
        if done is None:
            return False
        asked = zip(self.confirming.asked, self.confirming.thresholds(done), strict=True)
        # earlier releases are looked at where the change is audited
        return not any(t.is_blocking for demand, t in asked if not demand.question.metric.needs_history)

    def _never_met(self) -> tuple[str, ...]:
        """Return which missed thresholds are of nothing that levels change, or miss where all is dropped."""
        outside = self.confirming.missed_outside
        if outside:
            return tuple(
                f"{name} is of what is published outside the quasi-identifiers, which levels do not change."
                for name in outside
            )
        if not self._has_more:
            return ()
        done = self.confirming.rehearse(self._levels(self.search.top))
        if done is None:
            return ()
        asked = zip(self.confirming.asked, self.confirming.thresholds(done), strict=True)
        never = [
            result.measurement
            for demand, result in asked
            if result.is_blocking
            and not demand.question.metric.needs_original
            and not demand.question.metric.needs_population
            and not demand.question.metric.needs_rest
            and not demand.question.metric.needs_history
        ]
        return tuple(
            dict.fromkeys(
                f"{one.metric} is missed even where every quasi-identifier is dropped, so no level mends it."
                for one in never
            )
        )

    def _why(self, *, is_cut_short: bool) -> tuple[str, ...]:
        """Return why nothing was found."""
        if is_cut_short:
            return ("The time was up before a change was found that passes.",)
        if not self.refused:
            most = f"{100 * self.confirming.most_left_out:g} %"
            return (f"No levels were found that leave at most {most} in classes that miss a limit.",)
        told = dict.fromkeys(name for one in self.refused for name in one.told)
        missed = dict.fromkeys(name for one in self.refused for name in one.missed)
        reasons = []
        if told:
            reasons.append(f"other columns tell what would be generalized ({listed(tuple(told))})")
        if missed:
            reasons.append(f"{listed(tuple(missed))} would still be missed")
        words = " and ".join(reasons) or self.refused[0].reason
        return (f"Of {self.audited:,} changes that were audited none passes: {words}.",)


def policy_lines(
    columns: Sequence[Coarser], suppress: float, written: "Mapping[str, HierarchySettings]"
) -> tuple[str, ...]:
    r"""Return the lines of policy that make a change; they are YAML, whatever the columns are called.

    Args:
        columns: What becomes of the columns.
        suppress: The share that may be left out; 0 is not written.
        written: Column → its hierarchy, for those of which the policy declares none.

    Example:
        >>> town = Coarser(column="town: home", level="drop", coarsest=0, ncp=1.0)
        >>> print("\n".join(policy_lines([town], 0.01, {})))
        remedy:
          recode:
            'town: home': drop
          suppress: 0.01
        >>> print("\n".join(policy_lines([Coarser(column="age", level=2, coarsest=4, ncp=0.2)], 0, {})))
        remedy:
          recode: {age: 2}
    """
    lines = ["remedy:", *_recode(columns)]
    if suppress:
        lines.append(f"  suppress: {suppress:g}")
    made = {one.column: written[one.column] for one in columns if one.column in written}
    if made:
        lines.append("hierarchies:")
        lines += [f"  {_keyed(name, _way(settings), 2)}" for name, settings in made.items()]
    return tuple(line for text in lines for line in text.split("\n"))


def _recode(columns: Sequence[Coarser]) -> list[str]:
    """Return what becomes of the columns, in few lines where every name is a plain word."""
    if not all(_WORD.fullmatch(one.column) and key_text(one.column) == f"{one.column}:" for one in columns):
        return ["  recode:", *(f"    {_keyed(one.column, str(one.level), 4)}" for one in columns)]
    listed = ", ".join(f"{one.column}:{_JOINED}{one.level}" for one in columns)
    wrapped = textwrap.TextWrapper(
        _WIDTH, initial_indent="  recode: ", subsequent_indent="    ", break_long_words=False
    )
    return [line.replace(_JOINED, " ") for line in wrapped.wrap(f"{{{listed}}}")]


_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_WIDTH = 78
_JOINED = "\N{NO-BREAK SPACE}"
"""What stands between a column and its level while lines are broken."""


def _keyed(name: str, value: str, indent: int) -> str:
    """Return a column with what it is given; a key too long for one line stands over it."""
    return f"{key_text(name)} {value}".replace("\n  :", f"\n{' ' * indent}:")


def _way(settings: "HierarchySettings") -> str:
    """Return how a hierarchy is made, as YAML writes it in braces."""
    given = getattr(settings, settings.kind)
    if isinstance(given, str):
        return f"{{{settings.kind}: {given}}}"
    listed = ", ".join(map(_plain, given))
    return f"{{{settings.kind}: [{listed}]}}"


def _plain(one: object) -> str:
    return str(int(one)) if isinstance(one, float) and one.is_integer() else str(one)
