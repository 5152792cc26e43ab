"""Try several methods on one table."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.sdk import Choice, Measurement, MethodTrials, TriedMethod, UserError, load_host
from qidguard_comparison.comparison import Comparison
from qidguard_comparison.row import RISKS, MethodRow, Status, by_loss

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.sdk import AuditReport, EngineSettings, Parameter, Policy, Progress, ReadOptions


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
    host: Any = None,
    progress: "Progress | None" = None,
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
        >>> import pandas as pd
        >>> from qidguard_comparison import compare
        >>> table = pd.DataFrame({"age": [30, 31, 30, 41], "sex": ["f", "f", "f", "m"]})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["age", "sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ... }
        >>> found = compare(table, policy=policy, anonymizers="mondrian", seed=0)
        >>> found.best.label, found.best.figures["k_anonymity"]
        ('mondrian', 2)
    """
    host = host or load_host()
    with MethodTrials.opened(
        source,
        policy,
        None if anonymizers is None else _methods(anonymizers, host),
        figures=RISKS,
        seed=seed,
        attacks=attacks,
        losses=losses,
        has_models=has_models,
        has_plots=has_plots,
        read=read,
        settings=settings,
        host=host,
        progress=progress,
    ) as trials:
        rows: list[MethodRow] = []
        is_interrupted = False
        try:
            for trial in trials:
                rows.append(_row(trial, len(trials.qids)))  # noqa: PERF401 - what is done stays when somebody stops it
        except KeyboardInterrupt:
            is_interrupted = True
        return Comparison(
            source=trials.source,
            policy=trials.policy.name,
            records=trials.records,
            original=_as_it_is(trials),
            methods=tuple(sorted(rows, key=lambda row: (not row.is_passed, not row.is_made, *by_loss(row)))),
            limits=_limits(trials.original.report),
            seed=trials.seed,
            is_interrupted=is_interrupted,
            versions=trials.versions,
        )


def _row(trial: TriedMethod, qids: int) -> MethodRow:
    assert trial.method is not None  # noqa: S101 - only the table as it is has none
    name, receipt = str(trial.method), trial.receipt
    row = MethodRow(
        label=f"{name}: {trial.solution}" if trial.solution else name,
        method=trial.method.name,
        arguments=trial.arguments,
        status=Status.FAILED if trial.is_fault else Status.UNREACHABLE,
        is_passed=trial.is_passed,
        sentences=trial.sentences,
        figures=_figures((*trial.figures, *trial.losses)),
    )
    if receipt is None or trial.report is None:
        return row
    cells, changed = receipt.records_after * qids, receipt.total_cells_changed
    return replace(
        row,
        status=Status.PASSED if trial.is_passed else Status.BLOCKED,
        utility=trial.losses,
        records_suppressed=receipt.records_suppressed,
        cells_changed=changed,
        changed_share=min(1.0, changed / cells) if cells and changed is not None else None,
        new_table=receipt.new_table,
        attacks=receipt.attacks,
        seconds=receipt.seconds,
        peak_bytes=receipt.peak_bytes,
        plots=trial.plots,
        noised=tuple(one.sentence for one in trial.report.noised),
        would_charge=receipt.privacy.cost.text if receipt.is_rehearsal and receipt.privacy else None,
    )


def _as_it_is(trials: MethodTrials) -> MethodRow:
    original = trials.original
    # nothing was changed, so nothing was lost: no metric has to say so
    unlost = dict.fromkeys((name for name in ("ncp", "information_loss") if name in trials.losses), 0.0)
    return MethodRow(
        label=Status.AS_IT_IS.value,
        arguments={},
        status=Status.AS_IT_IS,
        is_passed=original.is_passed,
        sentences=original.sentences,
        figures=_figures(original.figures) | unlost,
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


def _limits(report: "AuditReport | None") -> dict[str, float]:
    thresholds = () if report is None or report.verdict is None else report.verdict.thresholds
    return {
        threshold.measurement.metric: threshold.limit.value
        for threshold in thresholds
        if threshold.limit.is_blocking and threshold.limit.combination == "default"
    }


ALL = "all"
"""What stands for every anonymizer that is installed."""


def choices(written: str) -> tuple[Choice, ...]:
    """Return the anonymizers of a text such as ``mondrian,mdav[k=5, publish=means]``, each once.

    Raises:
        UserError: When a text is none of these, or a parameter or a choice stands twice.

    Example:
        >>> [str(one) for one in choices("mondrian, mdav[k=5,publish=means]")]
        ['mondrian', 'mdav[k=5, publish=means]']
    """
    chosen = Choice.read_each(written, "the anonymizers")
    if not chosen:
        raise UserError("the anonymizers name no anonymizer; name some, as qidguard plugins lists them.")
    return chosen


def _methods(given: "str | Sequence[str | Choice]", host: Any) -> tuple[Choice, ...]:
    """Return the choices, each once, with ``all`` replaced by every other one that takes k from the policy.

    These are the installed anonymizers that have a parameter k and need none to be set.
    """
    parts = [given] if isinstance(given, str) else given
    chosen = [choice for part in parts for choice in ((part,) if isinstance(part, Choice) else choices(part))]
    taken: dict[str, Choice] = {}
    named = {choice.name for choice in chosen}
    for choice in chosen:
        if choice.name != ALL:
            taken[str(choice)] = choice
            continue
        for name, anonymizer in host.anonymizers.items():
            if name not in named and _can_stand_alone(anonymizer.parameters):
                taken[name] = Choice(name=name)
    return tuple(taken.values())


def _can_stand_alone(parameters: "Sequence[Parameter]") -> bool:
    has_k = any(parameter.name == "k" for parameter in parameters)
    return has_k and all(parameter.default is not None for parameter in parameters)
