"""ε from small to large on the same clusters: distributions, loss of numbers, disclosure (Fig. 16, 17)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import (
    MemoryRecords,
    NotMeasurable,
    Plot,
    Progress,
    PublishedValue,
    Recoded,
    ResultTable,
    published_number,
    shown_name,
)
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.evaluation import statistics_of
from qidguard_hybrid_dp.evaluation.loss import PartitionLoss, partition_loss
from qidguard_hybrid_dp.evaluation.risk import Mean, mean_of, posteriors
from qidguard_hybrid_dp.evaluation.risk_study import FULL, sought_in
from qidguard_hybrid_dp.evaluation.statistics_kept import NumberStatistics
from qidguard_hybrid_dp.evaluation.trial import CaseTrial, CellNoise, attacked_table
from qidguard_hybrid_dp.noise.column import NoisedColumn, NoiseScale, noised_column
from qidguard_hybrid_dp.noise.guarantee import scale_in_steps
from qidguard_hybrid_dp.noise.laplace import SeededLaplace
from qidguard_hybrid_dp.noise.noised import noised

EPSILONS = tuple(Fraction(one) for one in ("0.01", "0.1", "1", "5", "10"))
"""The ε of Fig. 16."""


@dataclass(frozen=True, kw_only=True)
class SweepRow:
    """What one ε comes to at one scale, the same in both parts.

    Args:
        epsilon: ε of each numeric quasi-identifier.
        scale: ``range`` or ``unit``.
        loss: The loss of numbers over all records.
        statistics: What became of each numeric quasi-identifier.
        sensitive: Mean posterior of the true sensitive value, all quasi-identifiers known, with its interval.
        identity: The same of the own record.
    """

    epsilon: Fraction
    scale: str
    loss: PartitionLoss = field(repr=False)
    statistics: tuple[NumberStatistics, ...] = field(repr=False)
    sensitive: Mean
    identity: Mean


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep over ε; it holds names and figures, no value of the table.

    Args:
        label: The method whose clusters all share.
        k: Its k.
        qids: The numeric quasi-identifiers.
        rows: Each scale and ε.
        asked: Rows that were asked for; more than there are where it was stopped early.
    """

    label: str
    k: int
    qids: tuple[str, ...]
    rows: tuple[SweepRow, ...] = field(repr=False)
    asked: int

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before the end."""
        return len(self.rows) < self.asked

    @property
    def headline(self) -> str:
        """What was swept."""
        told = [
            f"SWEPT  {len(self.rows)} of {self.asked} settings of ε, clusters of {self.label}, k={self.k}",
            f"  noise on          {', '.join(map(shown_name, self.qids))}, the same ε in both parts",
            "  disclosure        all quasi-identifiers known to an attacker who knows the mechanism",
        ]
        return "\n".join(told)

    def tables(self) -> tuple[ResultTable, ...]:
        """Return each setting as a row."""
        from qidguard_hybrid_dp.evaluation.sweep_report import sweep_table

        return (sweep_table(self),)

    def plots(self) -> dict[str, Plot]:
        """Return Fig. 16 and Fig. 17 by name."""
        from qidguard_hybrid_dp.evaluation.sweep_report import sweep_plots

        return sweep_plots(self)


def sweep_in(
    case: PrivacyCase,
    base: CaseTrial,
    *,
    epsilons: Sequence[Fraction] = EPSILONS,
    scales: Sequence[str] = ("range", "unit"),
    targets: int = 1500,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Sweep:
    """Return what each ε makes of the numbers, the clusters staying as they are.

    Clusters do not depend on a noised number, so one run of the scheme serves every ε.

    Args:
        case: The table, with people left out and at least one numeric quasi-identifier.
        base: A run of the scheme.
        epsilons: ε of each numeric quasi-identifier, in both parts, each > 0.
        scales: ``range``, ``unit`` or both.
        targets: How many persons of the release are looked for.
        progress: Hears of each setting.
        is_stopped: Asked before each whether to stop; Ctrl-C does the same once something is done.

    Raises:
        NotMeasurable: When the scheme could not be run, or there is no numeric quasi-identifier.
    """
    if base.done is None:
        raise NotMeasurable(base.reason)
    if not case.numeric:
        raise NotMeasurable("ε belongs to numeric quasi-identifiers; name one and declare its bounds")
    plan = [(scale, epsilon) for scale in scales for epsilon in epsilons]
    sought = sought_in(case, targets, knowledge=FULL).inside
    found: list[SweepRow] = []
    try:
        for at, (scale, epsilon) in enumerate(plan):
            if progress is not None:
                progress.step("sweeping", at, len(plan))
            if is_stopped():
                break
            trial = renoised(case, base, epsilon, scale)
            if trial.done is None:
                raise NotMeasurable(trial.reason)
            believed = posteriors(attacked_table(trial, case), sought)
            found.append(
                SweepRow(
                    epsilon=epsilon,
                    scale=scale,
                    loss=partition_loss(trial.done.changes, case.numeric, "all"),
                    statistics=tuple(statistics_of(trial, case, name) for name in case.numeric),
                    sensitive=mean_of(believed.sensitive),
                    identity=mean_of(believed.identity),
                )
            )
    except KeyboardInterrupt:
        if not found:
            raise
    if progress is not None:
        progress.step("sweeping", len(plan), len(plan))
    return Sweep(label=base.label, k=base.k, qids=case.numeric, rows=tuple(found), asked=len(plan))


def renoised(case: PrivacyCase, base: CaseTrial, epsilon: Fraction, scale: str) -> CaseTrial:
    """Return a trial with the clusters of another and new seeded noise, the same ε in both parts.

    Args:
        case: The table.
        base: One that could be done.
        epsilon: ε, > 0.
        scale: ``range`` or ``unit``.
    """
    if base.done is None:
        raise NotMeasurable(base.reason)
    columns = dict(base.done.done.columns)
    noise = {}
    wanted = NoiseScale(scale)
    for name in case.numeric:
        values = case.records.column(name)
        column = noised_column(name, values.value_type, case.bounds[name])
        true = np.asarray(values.numbers, dtype=np.float64)[values.codes]
        source = SeededLaplace(case.seed, name, f"ε {epsilon} {scale}")
        drawn = noised(true, column, epsilon=epsilon, scale=wanted, source=source)
        columns[name] = _recoded(case.records, name, drawn.numbers)
        noise[name] = _noise(column, scale_in_steps(column, epsilon, wanted), len(true))
    done = replace(base.done.done, columns=columns)
    return replace(base, done=replace(base.done, done=done), noise=noise)


def _noise(column: NoisedColumn, steps: float, records: int) -> CellNoise:
    return CellNoise(
        scale=np.full(records, steps * float(column.step)),
        step=float(column.step),
        bounds=(float(column.bounds[0]), float(column.bounds[1])),
    )


def _recoded(records: MemoryRecords, name: str, numbers: NDArray[np.float64]) -> Recoded:
    kind = records.column(name).value_type
    different, place = np.unique(numbers, return_inverse=True)
    values: list[PublishedValue] = [
        None if np.isnan(one) else published_number(one, kind) for one in different.tolist()
    ]
    return Recoded(codes=place.ravel(), values=tuple(values))
