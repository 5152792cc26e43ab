"""Methods tried on one private copy of a table, or the solutions of one weighed; nothing is written."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from qidguard.anonymizing.choosing import Chooser, SolutionChoice, WeighedSolutions
from qidguard.anonymizing.declared import DeclaredHierarchies
from qidguard.anonymizing.protocol import (
    AnonymizationTask,
    Anonymizer,
    NewTable,
    Records,
    Solution,
    Solutions,
)
from qidguard.anonymizing.run import answer_of
from qidguard.auditing.remedy import Remedy, chosen_remedy, first_choices
from qidguard.core.choice import Choice
from qidguard.core.errors import NotMeasurable, PluginError, UnreachableError, UserError, refused
from qidguard.core.parameter import Arguments
from qidguard.core.progress import SILENT, Progress
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.rendering.sentence import reasons
from qidguard.trials.context import TrialContext, seed_of
from qidguard.trials.measuring import Losses
from qidguard.trials.stages import AuditedCopy, audit_copy, irremediable, try_remedy
from qidguard.trials.task import main_combination, task_of

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.anonymizing.receipt import Receipt
    from qidguard.core.measurement import Measurement
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.host import Host
    from qidguard.plot.plot import Plot
    from qidguard.policy import Policy


@dataclass(frozen=True, kw_only=True)
class TriedMethod:
    """What came of a method, or of one of its solutions, on a table; it holds no value of the table.

    Args:
        method: The anonymizer with the parameters that a person set; None for the table as it is.
        arguments: All its arguments.
        solution: The label of the solution, where the method has several.
        is_passed: Whether the policy holds on what it made.
        is_fault: Whether nothing was made by the fault of a plugin.
        sentences: Why the policy does not hold, or why nothing was made.
        report: The audit of what it made; None where nothing was made.
        receipt: What was done; None where nothing was.
        figures: Further figures that were asked for.
        losses: What was lost, by each metric that was asked for.
        plots: What the method drew of what it made, where that was asked for.
    """

    method: Choice | None = None
    arguments: Arguments = field(default_factory=dict)
    solution: str = ""
    is_passed: bool = False
    is_fault: bool = False
    sentences: tuple[str, ...] = ()
    report: "AuditReport | None" = None
    receipt: "Receipt | None" = None
    figures: "tuple[Measurement, ...]" = ()
    losses: "tuple[Measurement, ...]" = ()
    plots: "tuple[Plot, ...]" = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class MethodTrials:
    """A private copy of a table, audited once; walking over it tries one method after the other.

    A method that cannot meet the policy, or whose plugin fails, gives a trial that says so; one that has
    several solutions runs once and gives a trial for each, that which it would take first.

    Args:
        source: The table, as its user named it.
        policy: The policy.
        records: Number of records of the table.
        seed: Seeds every method; it is not to be published.
        original: The table as it is.
        losses: Names of the metrics of loss that are measured.
        versions: Distribution → version of what takes part.

    Example:
        >>> import pandas as pd
        >>> from qidguard.sdk import Choice, MethodTrials
        >>> policy = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> policy["thresholds"] = [{"metric": "k_anonymity", "at_least": 2}]
        >>> table = pd.DataFrame({"age": [30, 31, 30, 41]})
        >>> with MethodTrials.opened(table, policy, [Choice(name="mondrian")], seed=0) as trials:
        ...     [(one.method.name, one.is_passed) for one in trials]
        [('mondrian', True)]
    """

    source: str
    policy: "Policy"
    records: int
    seed: int = field(repr=False)
    original: TriedMethod
    losses: tuple[str, ...]
    versions: dict[str, str]
    _context: TrialContext = field(repr=False)
    _copy: AuditedCopy = field(repr=False)
    _remedies: tuple[tuple[Choice, Remedy], ...] = field(repr=False)
    _losses: Losses = field(repr=False)
    _figures: tuple[str, ...] = field(repr=False)

    @classmethod
    @contextmanager
    def opened(  # noqa: PLR0913 - one argument for each thing that a caller may say
        cls,
        source: Any,
        policy: "Policy | str | PathLike[str] | dict[str, Any]",
        methods: Sequence[Choice] | None = None,
        *,
        figures: Sequence[str] = (),
        seed: int | None = None,
        attacks: Sequence[str] = (),
        losses: Sequence[str] | None = None,
        has_models: bool = False,
        has_plots: bool = False,
        read: "ReadOptions | None" = None,
        settings: "EngineSettings | None" = None,
        host: "Host | None" = None,
        progress: Progress | None = None,
    ) -> Iterator[Self]:
        """Open a table for trials; what is wrong with what was asked is said before it is read.

        Args:
            source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
            policy: A policy, its path, or a mapping with the same fields.
            methods: Anonymizers; None takes those that are tried where nobody names a method.
            figures: Names of metrics that are measured over the main combination beside the policy's.
            seed: Seeds every method; None draws one.
            attacks: Attacks to rehearse on what each method makes.
            losses: Which losses are measured: names, ``"all"`` for all that train no models, ``()`` for none;
                None takes all that cost little.
            has_models: Whether what was lost is measured by training models, too.
            has_plots: Whether methods that draw what they made do so.
            read: How the source is read; None takes what the policy says.
            settings: Memory limit, threads and spill directory; None takes what the policy says.
            host: The plugins to use; None takes the installed ones.
            progress: Hears of finished steps.

        Raises:
            DataError: When the source cannot be read without guessing.
            PolicyError: When the policy is not valid or does not fit the table.
            PluginError: When a plugin that is named is broken or missing.
            UserError: When there is no such anonymizer, parameter, attack or loss, or no method at all.
        """
        rules, host = load_policy(policy), host or load_host()
        wanted = Losses.asked(losses, host, has_models=has_models)
        chosen = [Choice.read(name) for name in first_choices(host)] if methods is None else methods
        if not chosen:
            raise UserError("There is no anonymizer to try; name some, as qidguard plugins lists them.")
        remedies = tuple(
            (one, chosen_remedy(rules, host, one.name, one.parameters, attacks)) for one in chosen
        )
        more: Any = {"read": read, "settings": settings, "has_plots": has_plots}
        context = TrialContext.of(
            source, rules, host, seed=seed_of(seed), progress=progress or SILENT, **more
        )
        with context.snapshot() as snapshot:
            copy = audit_copy(context, snapshot, figures=figures)
            yield cls(
                source=context.label,
                policy=rules,
                records=snapshot.records,
                seed=context.seed,
                original=TriedMethod(
                    is_passed=copy.report.is_passed,
                    sentences=() if copy.report.is_passed else tuple(reasons(copy.report)),
                    report=copy.report,
                    figures=copy.figures,
                ),
                losses=tuple(wanted.of(host)),
                versions=dict(host.versions),
                _context=context,
                _copy=copy,
                _remedies=remedies,
                _losses=wanted,
                _figures=tuple(figures),
            )

    @property
    def qids(self) -> tuple[str, ...]:
        """The QIDs of the main combination."""
        return main_combination(self._copy.report)

    def __iter__(self) -> Iterator[TriedMethod]:
        total = len(self._remedies)
        for done, (choice, remedy) in enumerate(self._remedies):
            progress = _MethodProgress(self._context.progress, str(choice), done, total)
            yield from self._of_each_solution(replace(self._context, progress=progress), choice, remedy)
        self._context.progress.step("comparing", total, total)

    def _of_each_solution(
        self, context: TrialContext, choice: Choice, remedy: Remedy
    ) -> Iterator[TriedMethod]:
        """Yield a trial for each solution of a method, that which it would take first."""
        if remedy.draws_noise:
            yield self._tried(context, choice, remedy)
            return
        each = _EachSolution(remedy.anonymizer)
        of_each = replace(remedy, anonymizer=each, choosing=None)
        first = self._tried(context, choice, of_each)
        if first.receipt is None or not each.labels:
            yield first
            return
        yield replace(first, solution=each.labels[0])
        for label in each.labels[1:]:
            each.label = label
            again = replace(self._tried(context, choice, of_each), solution=label)
            if again.receipt is not None:  # it ran once for all of them
                seconds, peak = first.receipt.seconds, first.receipt.peak_bytes
                again = replace(again, receipt=replace(again.receipt, seconds=seconds, peak_bytes=peak))
            yield again

    def _tried(self, context: TrialContext, choice: Choice, remedy: Remedy) -> TriedMethod:
        nothing = TriedMethod(method=choice, arguments=remedy.arguments)
        try:
            tried = try_remedy(context, remedy, self._copy, losses=self._losses, figures=self._figures)
        except (PluginError, UserError) as error:
            return replace(nothing, is_fault=isinstance(error, PluginError), sentences=(str(error),))
        made = tried.transformed
        if made is None:
            return replace(nothing, sentences=tried.reasons)
        made.close()
        report = made.audited.report
        return replace(
            nothing,
            is_passed=tried.is_passed,
            sentences=() if tried.is_passed else (*tried.reasons, *reasons(report)),
            report=report,
            receipt=made.receipt,
            figures=made.audited.figures,
            losses=made.losses,
            plots=made.plots,
        )


@dataclass(frozen=True, kw_only=True)
class WeighedMethod:
    """The solutions of one anonymizer on a table, measured in memory; it holds no value of the table.

    Args:
        source: The table's name.
        policy: The policy's name.
        records: Records of the table.
        anonymizer: The anonymizer's name.
        arguments: All its arguments.
        seconds: How long it took for all solutions, s.
        choice: The solutions with their figures, the front, its knee and the chosen one.
        seed: The seed; it is not to be published.
        own_plots: What the anonymizer drew of them.
    """

    source: str
    policy: str
    records: int
    anonymizer: str
    arguments: Arguments
    seconds: float
    choice: WeighedSolutions
    seed: int = field(repr=False)
    own_plots: "tuple[Plot, ...]" = field(default=(), repr=False)

    @classmethod
    def weigh(  # noqa: PLR0913 - one argument for each thing that a caller may say
        cls,
        source: Any,
        policy: "Policy | str | PathLike[str] | dict[str, Any]",
        *,
        anonymizer: str | None = None,
        parameters: Mapping[str, object] | None = None,
        choose: "str | Mapping[str, object] | None" = None,
        seed: int | None = None,
        read: "ReadOptions | None" = None,
        settings: "EngineSettings | None" = None,
        host: "Host | None" = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Return the solutions of an anonymizer with their figures, what no other beats, and the knee.

        Each solution is measured in memory, by the arithmetic of an audit: its loss, the risk that is left,
        and the limits of the policy that need no more than the table. Nothing is written, and none of them is
        audited: what the policy says in full only ``anonymize`` and a release find out.

        Args:
            source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
            policy: A policy, its path, or a mapping with the same fields.
            anonymizer: Its name, parameters in brackets; None takes the policy's remedy.
            parameters: Parameters that are not in the brackets.
            choose: As of ``anonymize``; None takes the policy's way, else ``"cheapest"``.
            seed: Seeds whatever is random; None draws one.
            read: How the source is read; None takes what the policy says.
            settings: Memory limit, threads and spill directory; None takes what the policy says.
            host: The plugins to use; None takes the installed ones.
            progress: Hears of finished steps.

        Returns:
            All solutions; an anonymizer that has one only gives that.

        Units:
            Figures carry their own: records or entities, shares 0..1, ratios.

        Raises:
            DataError: When the source cannot be read without guessing.
            PolicyError: When the policy is not valid or does not fit the table.
            PluginError: When a plugin that is needed is broken or missing, or the method fails.
            UserError: When there is no such anonymizer, parameter or metric, the method cannot meet its task
                or draws noise, or something blocks the table that no method removes.

        NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. Of a table
        of a single class every solution has that class.

        Example:
            >>> import pandas as pd
            >>> from qidguard.sdk import WeighedMethod
            >>> table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
            >>> policy = {
            ...     "qidguard": 1,
            ...     "name": "example",
            ...     "roles": {"quasi_identifiers": ["age", "sex"]},
            ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
            ... }
            >>> found = WeighedMethod.weigh(table, policy, anonymizer="mondrian", seed=0)
            >>> [solution.label for solution in found.choice.solutions]
            ['mondrian']
        """
        rules = load_policy(policy)
        plugins = host or load_host()
        remedy = chosen_remedy(rules, plugins, anonymizer, parameters or {}, (), choose)
        if remedy.draws_noise:
            raise UserError(
                f"The method {remedy.name} draws noise, and what that spends of the privacy budget"
                " is kept in the ledger; it has no front to look at."
            )
        context = TrialContext.of(
            source, rules, plugins, read=read, settings=settings, progress=progress, seed=seed_of(seed)
        )
        with context.snapshot() as snapshot:
            audited = audit_copy(context, snapshot)
            verdict = audited.report.verdict
            if verdict is None or verdict.blocks:
                raise UserError("\n".join(irremediable(audited.report)))
            declared = DeclaredHierarchies.read(rules)
            task = replace(
                task_of(context, audited.report, declared.bound_to(audited.records)), wants_several=True
            )
            given, seconds = _solutions(context, remedy, audited.records, task)
            chooser = Chooser(
                choosing=remedy.choosing or SolutionChoice(rule="cheapest"),
                metrics=plugins,
                qids=main_combination(audited.report),
            )
            return cls(
                source=context.label,
                policy=rules.name,
                records=snapshot.records,
                anonymizer=remedy.name,
                arguments=remedy.arguments,
                seconds=seconds,
                choice=chooser.weigh(audited.records, task, remedy.name, given),
                seed=context.seed,
                own_plots=given.plots,
            )


def _solutions(context: TrialContext, remedy: Remedy, records: Any, task: Any) -> tuple[Solutions, float]:
    context.progress.step("remedy", 0, 1)
    try:
        answer = answer_of(remedy, records, task)
    except NotMeasurable as reason:
        raise refused(remedy.name, reason) from None
    context.progress.step("remedy", 1, 1)
    if isinstance(answer.given, Solutions):
        return answer.given, answer.seconds
    if isinstance(answer.given, NewTable):
        raise UnreachableError(
            f"The remedy {remedy.name} answers with a new table, whose records are none of the source's, so"
            " it has no front of loss and risk to look at."
        )
    if not answer.given.kept.any():
        raise UnreachableError(
            f"The remedy {remedy.name} would suppress every record; coarsen the quasi-identifiers."
        )
    alone = Solution(label=remedy.name, anonymized=answer.given, figures={})
    return Solutions(solutions=(alone,), chosen=0, figures=()), answer.seconds


class _MethodProgress:
    """Passes on a method's steps under a line of all methods."""

    def __init__(self, progress: Progress, label: str, done: int, total: int) -> None:
        self._progress, self._label, self._done, self._total = progress, label, done, total

    def step(self, title: str, done: int, total: int) -> None:
        """Hear a step of the method."""
        inside = f"{title.partition(': ')[0]} {done:,}/{total:,}" if total > 1 else title
        self._progress.step(f"comparing: {self._label}: {inside}", self._done, self._total)


class _EachSolution:
    """Asks an anonymizer for several solutions and gives the one whose label is set; first all of them."""

    def __init__(self, anonymizer: Anonymizer) -> None:
        self._anonymizer = anonymizer
        self._given: list[tuple[Records, Any]] = []
        self.label: str | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._anonymizer, name)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the solutions, that which it would take first; none where it has one only."""
        given = self._given[0][1] if self._given else None
        if not isinstance(given, Solutions):
            return ()
        own = given.solutions[given.chosen].label
        return (own, *(one.label for one in given.solutions if one.label != own))

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Any:
        """Return the solution with the label; where there is none, as of other records, all of them."""
        given = next((answer for known, answer in self._given if known is records), None)
        if given is None:
            given = self._anonymizer.anonymize(records, arguments, replace(task, wants_several=True))
            self._given = [*self._given[:1], (records, given)]
        if self.label is None or not isinstance(given, Solutions):
            return given
        found: list[Solution] = [one for one in given.solutions if one.label == self.label]
        return found[0].anonymized if found else given
