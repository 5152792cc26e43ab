"""Try several methods on one table."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.options import source_of
from qidguard.comparing.choice import Choice, choices, expanded
from qidguard.comparing.comparison import RISKS, Comparison, by_loss
from qidguard.comparing.row import MethodRow, Standing
from qidguard.core.errors import PluginError, UserError
from qidguard.core.measurement import Measurement
from qidguard.core.metric import Metric
from qidguard.core.policy import load_policy
from qidguard.core.progress import Progress
from qidguard.host import load_host
from qidguard.releasing.anonymising import taken
from qidguard.releasing.cure import AuditedSource, audited_source, cure
from qidguard.releasing.prepare import Wishes
from qidguard.releasing.remedy import Remedy, chosen_remedy
from qidguard.report.sentence import reasons

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.policy import Policy
    from qidguard.core.report import AuditReport
    from qidguard.host import Host
    from qidguard.releasing.bench import Bench


def compare(
    source: Any = None,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    methods: "str | Sequence[str | Choice]",
    seed: int | None = None,
    attacks: Sequence[str] = (),
    has_models: bool = False,
    wishes: Wishes | None = None,
) -> Comparison:
    """Run several methods on one private copy of a table and hold what they make beside one another.

    What each makes is judged by the whole policy from scratch; the risk that is left and what was lost are
    measured by the same metrics for all. A method that cannot meet the policy, or whose plugin fails, is a
    row that says so. Nothing is written. Ctrl-C gives the rows that are done.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy, its path, or a mapping with the same fields.
        methods: Names with commas between, parameters in square brackets: ``"mondrian,mdav[k=5]"``; or a
            list of such names. ``all`` takes every installed anonymiser that can take k from the policy.
        seed: Seeds every method; None draws one.
        attacks: Attacks to rehearse on what each method makes.
        has_models: Whether what was lost is measured by training models, too.
        wishes: Reading options, settings, plugins, progress.

    Returns:
        The comparison.

    Units:
        Figures in their metric's unit: records or entities, shares 0..1; seconds; bytes.

    Raises:
        DataError: When the source cannot be read without guessing.
        PolicyError: When the policy is not valid or does not fit the table.
        PluginError: When a plugin that is named is broken or missing.
        UserError: When there is no such method, parameter or attack, or a method draws noise.

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
        >>> found = qidguard.compare(table, policy=policy, methods="mondrian", seed=0)
        >>> found.best.label, found.best.figures["k_anonymity"]
        ('mondrian', 2)
    """
    rules = load_policy(policy)
    wished = wishes or Wishes()
    host = wished.host or load_host()
    wished = replace(wished, host=host, seed=wished.seed if seed is None else seed)
    named = choices(methods) if isinstance(methods, str) else _choices(methods)
    remedies = [(one, _remedy(one, rules, host, attacks)) for one in expanded(named, host)]
    table = source_of(source, rules)
    with taken(table, rules, host, wished) as (bench, snapshot):
        original = audited_source(bench, snapshot, also=RISKS)
        rows: list[MethodRow] = []
        is_interrupted = False
        try:
            for row in _rows(bench, original, remedies, has_models=has_models):
                rows.append(row)  # noqa: PERF402 - what is done stays when somebody stops it
        except KeyboardInterrupt:
            is_interrupted = True
        return Comparison(
            source=bench.label,
            policy=rules.name,
            records=snapshot.records,
            original=_as_it_is(original, host.metrics),
            methods=tuple(sorted(rows, key=lambda row: (not row.is_passed, not row.is_made, *by_loss(row)))),
            limits=_limits(original.report),
            seed=bench.seed,
            is_interrupted=is_interrupted,
            versions=host.versions,
        )


def _choices(methods: "Sequence[str | Choice]") -> tuple[Choice, ...]:
    found: list[Choice] = []
    for one in methods:
        found += [one] if isinstance(one, Choice) else choices(one)
    return tuple(found)


def _remedy(one: Choice, policy: "Policy", host: "Host", attacks: Sequence[str]) -> Remedy:
    remedy = chosen_remedy(policy, host, one.method, one.parameters, attacks)
    if remedy.cost() is not None:
        raise UserError(
            f"The method {one.method} draws noise, and what that spends of the privacy budget is kept in the"
            " ledger; leave it out of the comparison."
        )
    return remedy


def _rows(
    bench: "Bench",
    source: AuditedSource,
    remedies: Sequence[tuple[Choice, Remedy]],
    *,
    has_models: bool,
) -> Iterator[MethodRow]:
    for done, (one, remedy) in enumerate(remedies):
        heard = _Heard(bench.progress, one.label, done, len(remedies))
        yield _row(replace(bench, progress=heard), source, one, remedy, has_models=has_models)
    bench.progress.step("comparing", len(remedies), len(remedies))


def _row(
    bench: "Bench", source: AuditedSource, one: Choice, remedy: Remedy, *, has_models: bool
) -> MethodRow:
    try:
        made = cure(bench, remedy, source, has_models=has_models, also=RISKS)
    except PluginError as error:
        return _nothing(one, remedy, Standing.FAILED, (str(error),))
    except UserError as error:
        return _nothing(one, remedy, Standing.UNREACHABLE, (str(error),))
    if made.snapshot is None or made.after is None or made.receipt is None:
        return _nothing(one, remedy, Standing.UNREACHABLE, made.reasons)
    made.snapshot.close()
    receipt = made.receipt
    return MethodRow(
        label=one.label,
        method=one.method,
        arguments=remedy.arguments,
        standing=Standing.PASSED if made.is_passed else Standing.BLOCKED,
        is_passed=made.is_passed,
        sentences=() if made.is_passed else (*made.reasons, *reasons(made.after)),
        figures=_figures((*made.also, *made.utility)),
        utility=made.utility,
        records_suppressed=receipt.records_suppressed,
        cells_changed=sum(receipt.cells_changed.values()),
        attacks=receipt.attacks,
        seconds=receipt.seconds,
        peak_bytes=receipt.peak_bytes,
    )


def _nothing(one: Choice, remedy: Remedy, standing: Standing, sentences: tuple[str, ...]) -> MethodRow:
    return MethodRow(
        label=one.label,
        method=one.method,
        arguments=remedy.arguments,
        standing=standing,
        is_passed=False,
        sentences=sentences,
        figures={},
    )


def _as_it_is(source: AuditedSource, metrics: Any) -> MethodRow:
    figures = _figures(source.also)
    # nothing was changed, so nothing was lost: no metric has to say so
    figures |= {name: 0.0 for name in ("ncp", "information_loss") if isinstance(metrics.get(name), Metric)}
    return MethodRow(
        label=Standing.AS_IT_IS.value,
        arguments={},
        standing=Standing.AS_IT_IS,
        is_passed=source.report.is_passed,
        sentences=() if source.report.is_passed else tuple(reasons(source.report)),
        figures=figures,
        records_suppressed=0,
        cells_changed=0,
    )


def _figures(measured: Sequence[Measurement]) -> dict[str, float]:
    """Return metric → figure; of a metric that is measured beside several attributes the first."""
    found: dict[str, float] = {}
    for one in measured:
        if one.value is not None:
            found.setdefault(one.metric, one.value)
    return found


def _limits(report: "AuditReport") -> dict[str, float]:
    thresholds = () if report.verdict is None else report.verdict.thresholds
    return {
        one.measurement.metric: one.limit.value
        for one in thresholds
        if one.limit.is_blocking and one.limit.combination == "default"
    }


class _Heard:
    """Passes on a method's steps under the comparison's own line."""

    def __init__(self, progress: Progress, label: str, done: int, total: int) -> None:
        self._progress, self._label, self._done, self._total = progress, label, done, total

    def step(self, title: str, done: int, total: int) -> None:
        """Hear a step of the method."""
        inside = f"{title.partition(': ')[0]} {done:,}/{total:,}" if total > 1 else title
        self._progress.step(f"comparing: {self._label}: {inside}", self._done, self._total)
