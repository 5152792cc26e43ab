"""ε from small to large on the same clusters: distributions, loss of numbers, disclosure (Fig. 16, 17)."""

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import (
    ColumnValues,
    Plot,
    PublishedValue,
    Recoded,
    ResultTable,
    published_number,
    shown_name,
)
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.evaluation import statistics_of
from qidguard_hybrid_dp.evaluation.loss import PartitionLoss, partition_loss
from qidguard_hybrid_dp.evaluation.risk import Mean, RiskTargets, mean_of, posteriors
from qidguard_hybrid_dp.evaluation.statistics_kept import NumberStatistics
from qidguard_hybrid_dp.evaluation.trial import CaseTrial, CellNoise, attacked_table
from qidguard_hybrid_dp.noise.column import NoiseScale
from qidguard_hybrid_dp.noise.guarantee import scale_in_steps
from qidguard_hybrid_dp.noise.laplace import SeededLaplace
from qidguard_hybrid_dp.noise.noised import noised
from qidguard_hybrid_dp.qids import numbers_of

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


def sweep_row(
    case: PrivacyCase, base: CaseTrial, sought: RiskTargets, scale: str, epsilon: Fraction
) -> SweepRow:
    """Return what one ε makes of the numbers, the clusters staying as they are.

    Args:
        case: The table, with people left out.
        base: A run of the scheme; clusters do not depend on a noised number, so one serves every ε.
        sought: The persons of the release who are looked for.
        scale: ``range`` or ``unit``.
        epsilon: ε of each numeric quasi-identifier, in both parts, > 0.
    """
    trial = renoised(case, base, epsilon, scale)
    believed = posteriors(attacked_table(trial, case), sought)
    return SweepRow(
        epsilon=epsilon,
        scale=scale,
        loss=partition_loss(trial.changes, case.numeric, "all"),
        statistics=tuple(statistics_of(trial, case, name) for name in case.numeric),
        sensitive=mean_of(believed.sensitive),
        identity=mean_of(believed.identity),
    )


def renoised(case: PrivacyCase, base: CaseTrial, epsilon: Fraction, scale: str) -> CaseTrial:
    """Return a trial with the clusters of another and new seeded noise, the same ε in both parts.

    Args:
        case: The table.
        base: One that could be done.
        epsilon: ε, > 0.
        scale: ``range`` or ``unit``.
    """
    done = base.table
    columns = dict(done.done.columns)
    noise = {}
    wanted = NoiseScale(scale)
    for name in case.numeric:
        column, values = case.noised(name), case.records.column(name)
        source = SeededLaplace(case.seed, name, f"ε {epsilon} {scale}")
        drawn = noised(numbers_of(values), column, epsilon=epsilon, scale=wanted, source=source)
        columns[name] = _recoded(values, drawn.numbers)
        steps = scale_in_steps(column, epsilon, wanted)
        noise[name] = CellNoise.of(column, np.full(values.records, steps * float(column.step)))
    moved = replace(done, done=replace(done.done, columns=columns))
    return replace(base, done=moved, noise=noise)


def _recoded(column: ColumnValues, numbers: NDArray[np.float64]) -> Recoded:
    different, place = np.unique(numbers, return_inverse=True)
    values: list[PublishedValue] = [
        None if np.isnan(one) else published_number(one, column.value_type) for one in different.tolist()
    ]
    return Recoded(codes=place.ravel(), values=tuple(values))
