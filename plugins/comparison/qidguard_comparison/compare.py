"""Try several methods on one table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.protocol import AnonymizationTask, Anonymizer, Records
from qidguard.anonymizing.receipt import Receipt
from qidguard.anonymizing.solutions import Solution, Solutions
from qidguard.auditing.remedy import Remedy, chosen_remedy, first_choices
from qidguard.core.choice import Choice
from qidguard.core.errors import PluginError, UserError
from qidguard.core.measurement import Measurement
from qidguard.core.parameter import Arguments
from qidguard.core.progress import SILENT, Progress
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.rendering.sentence import reasons
from qidguard.trials.comparing.comparison import Comparison, choices, expanded
from qidguard.trials.comparing.row import RISKS, MethodRow, Status, by_loss
from qidguard.trials.context import TrialContext, seed_of
from qidguard.trials.measuring import Losses
from qidguard.trials.stages import AuditedCopy, audit_copy, try_remedy
from qidguard.trials.task import main_combination

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.report import AuditReport
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.host import Host
    from qidguard.policy import Policy


def compare(  # noqa: PLR0913 - one argument for each thing that a caller may say
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    *,
    anonymizers: "str | Sequence[str | Choice] | None" = None,
    seed: int | None = None,
    attacks: Sequence[str] = (),
    losses: Sequence[str] | None = None,
    has_models: bool = False,
    has_plots: bool = False,
    read: "ReadOptions | None" = None,
    settings: "EngineSettings | None" = None,
    host: "Host | None" = None,
    progress: Progress = SILENT,
) -> Comparison:
    """Run several methods on one private copy of a table and hold what they make beside one another.

    What each makes is judged by the whole policy from scratch; the risk that is left and what was lost are
    measured by the same metrics for all. A method that cannot meet the policy, or whose plugin fails, is a
    row that says so; each solution of a method that has several is a row of its own. Nothing is written.
    Ctrl-C gives the rows that are done.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy, its path, or a mapping with the same fields.
        anonymizers: Names with commas between, parameters in square brackets: ``"mondrian,mdav[k=5]"``; or a
            list of such names. ``all`` takes every installed anonymizer that can take k from the policy. None
            takes those that are tried where nobody names a method; see ``qidguard plugins``.
        seed: Seeds every method; None draws one.
        attacks: Attacks to rehearse on what each method makes.
        losses: Which losses are measured: names of metrics such as ``"ncp"``, ``"all"`` for all that train no
            models, ``()`` for none; None takes all that cost little.
        has_models: Whether what was lost is measured by training models, too.
        has_plots: Whether methods that draw what they made do so: ``MethodRow.plots``.
        read: How the source is read; None takes what the policy says.
        settings: Memory limit, threads and spill directory; None takes what the policy says.
        host: The plugins to use; None takes the installed ones.
        progress: Hears of finished steps.

    Returns:
        The comparison.

    Units:
        Figures in their metric's unit: records or entities, shares 0..1; seconds; bytes.

    Raises:
        DataError: When the source cannot be read without guessing.
        PolicyError: When the policy is not valid or does not fit the table.
        PluginError: When a plugin that is named is broken or missing.
        UserError: When there is no such anonymizer, parameter, attack or loss.

    NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. A table of a
    single class is judged like any other.

    Example:
        >>> import pandas as pd, qidguard
        >>> table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["age", "sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ... }
        >>> found = qidguard.compare(table, policy=policy, anonymizers="mondrian", seed=0)
        >>> found.best.label, found.best.figures["k_anonymity"]
        ('mondrian', 2)
    """
    rules = load_policy(policy)
    host = host or load_host()
    wanted = Losses.asked(losses, host, has_models=has_models)
    if anonymizers is None:
        anonymizers = first_choices(host)
    named = choices(anonymizers) if isinstance(anonymizers, str) else _choices(anonymizers)
    remedies = [(choice, _remedy(choice, rules, host, attacks)) for choice in expanded(named, host)]
    context = TrialContext.of(
        source,
        rules,
        host,
        read=read,
        settings=settings,
        progress=progress,
        seed=seed_of(seed),
        has_plots=has_plots,
    )
    with context.snapshot() as snapshot:
        original = audit_copy(context, snapshot, figures=RISKS)
        rows: list[MethodRow] = []
        is_interrupted = False
        try:
            for row in _rows(context, original, remedies, wanted):
                rows.append(row)  # noqa: PERF402 - what is done stays when somebody stops it
        except KeyboardInterrupt:
            is_interrupted = True
        return Comparison(
            source=context.label,
            policy=rules.name,
            records=snapshot.records,
            original=_as_it_is(original, wanted.of(host)),
            methods=tuple(sorted(rows, key=lambda row: (not row.is_passed, not row.is_made, *by_loss(row)))),
            limits=_limits(original.report),
            seed=context.seed,
            is_interrupted=is_interrupted,
            versions=host.versions,
        )


def _choices(given: "Sequence[str | Choice]") -> tuple[Choice, ...]:
    chosen: list[Choice] = []
    for anonymizer in given:
        chosen += [anonymizer] if isinstance(anonymizer, Choice) else choices(anonymizer)
    return tuple(chosen)


def _remedy(choice: Choice, policy: "Policy", host: "Host", attacks: Sequence[str]) -> Remedy:
    return chosen_remedy(policy, host, choice.name, choice.parameters, attacks)


def _rows(
    context: TrialContext,
    source: AuditedCopy,
    remedies: Sequence[tuple[Choice, Remedy]],
    losses: Losses,
) -> Iterator[MethodRow]:
    for done, (choice, remedy) in enumerate(remedies):
        progress = _MethodProgress(context.progress, str(choice), done, len(remedies))
        heard = replace(context, progress=progress)
        yield from _solutions(heard, source, choice, remedy, losses)
    context.progress.step("comparing", len(remedies), len(remedies))


def _solutions(
    context: TrialContext, source: AuditedCopy, choice: Choice, remedy: Remedy, losses: Losses
) -> Iterator[MethodRow]:
    """Yield a row for each solution of a method, that which it would take first."""
    if remedy.draws_noise:
        yield _row(context, source, choice, remedy, losses)
        return
    each = EachSolution(remedy.anonymizer)
    of_each = replace(remedy, anonymizer=each, choosing=None)
    first = _row(context, source, choice, of_each, losses)
    labels = each.labels
    yield replace(first, label=f"{choice}: {labels[0]}") if labels and first.is_made else first
    for label in labels[1:] if first.is_made else ():
        each.label = label
        row = _row(context, source, choice, of_each, losses)
        # it ran once for all of them
        yield replace(row, label=f"{choice}: {label}", seconds=first.seconds, peak_bytes=first.peak_bytes)


def _row(
    context: TrialContext, source: AuditedCopy, choice: Choice, remedy: Remedy, losses: Losses
) -> MethodRow:
    try:
        tried = try_remedy(context, remedy, source, losses=losses, figures=RISKS)
    except PluginError as error:
        return _nothing(choice, remedy, Status.FAILED, (str(error),))
    except UserError as error:
        return _nothing(choice, remedy, Status.UNREACHABLE, (str(error),))
    made = tried.transformed
    if made is None:
        return _nothing(choice, remedy, Status.UNREACHABLE, tried.reasons)
    made.close()
    receipt = made.receipt
    return MethodRow(
        label=str(choice),
        method=choice.name,
        arguments=remedy.arguments,
        status=Status.PASSED if tried.is_passed else Status.BLOCKED,
        is_passed=tried.is_passed,
        sentences=() if tried.is_passed else (*tried.reasons, *reasons(made.audited.report)),
        figures=_figures((*made.audited.figures, *made.losses)),
        utility=made.losses,
        records_suppressed=receipt.records_suppressed,
        cells_changed=receipt.total_cells_changed,
        changed_share=_changed_share(receipt, len(main_combination(source.report))),
        new_table=receipt.new_table,
        attacks=receipt.attacks,
        seconds=receipt.seconds,
        peak_bytes=receipt.peak_bytes,
        plots=made.plots,
        noised=tuple(one.sentence for one in made.audited.report.noised),
        would_charge=receipt.privacy.cost.text if receipt.is_rehearsal and receipt.privacy else None,
    )


def _changed_share(receipt: Receipt, qids: int) -> float | None:
    """Return the share of the published QID cells that were changed."""
    cells, changed = receipt.records_after * qids, receipt.total_cells_changed
    return min(1.0, changed / cells) if cells and changed is not None else None


def _nothing(choice: Choice, remedy: Remedy, status: Status, sentences: tuple[str, ...]) -> MethodRow:
    return MethodRow(
        label=str(choice),
        method=choice.name,
        arguments=remedy.arguments,
        status=status,
        is_passed=False,
        sentences=sentences,
        figures={},
    )


def _as_it_is(source: AuditedCopy, losses: Sequence[str]) -> MethodRow:
    figures = _figures(source.figures)
    # nothing was changed, so nothing was lost: no metric has to say so
    figures |= dict.fromkeys((name for name in ("ncp", "information_loss") if name in losses), 0.0)
    return MethodRow(
        label=Status.AS_IT_IS.value,
        arguments={},
        status=Status.AS_IT_IS,
        is_passed=source.report.is_passed,
        sentences=() if source.report.is_passed else tuple(reasons(source.report)),
        figures=figures,
        records_suppressed=0,
        cells_changed=0,
    )


def _figures(measured: Sequence[Measurement]) -> dict[str, float]:
    """Return metric → figure; of a metric that is measured beside several attributes the first."""
    figures: dict[str, float] = {}
    for measurement in measured:
        if measurement.value is not None:
            figures.setdefault(measurement.metric, measurement.value)
    return figures


def _limits(report: "AuditReport") -> dict[str, float]:
    thresholds = () if report.verdict is None else report.verdict.thresholds
    return {
        threshold.measurement.metric: threshold.limit.value
        for threshold in thresholds
        if threshold.limit.is_blocking and threshold.limit.combination == "default"
    }


class _MethodProgress:
    """Passes on a method's steps under the comparison's own line."""

    def __init__(self, progress: Progress, label: str, done: int, total: int) -> None:
        self._progress, self._label, self._done, self._total = progress, label, done, total

    def step(self, title: str, done: int, total: int) -> None:
        """Hear a step of the method."""
        inside = f"{title.partition(': ')[0]} {done:,}/{total:,}" if total > 1 else title
        self._progress.step(f"comparing: {self._label}: {inside}", self._done, self._total)


class EachSolution:
    """Asks an anonymizer for several solutions and gives the one whose label is set; first all of them.

    Args:
        anonymizer: The anonymizer.
    """

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
