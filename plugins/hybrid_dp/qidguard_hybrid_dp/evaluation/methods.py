"""The methods that are tried: the hybrid scheme, plain k-anonymity, and a stand-in for RKA."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Anonymized, NotMeasurable, Recoded, RehearsedTable
from qidguard_hybrid_dp.asked import Clustered, RunRequest
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.trial import HYBRID, RKA, CaseTrial, CellNoise
from qidguard_hybrid_dp.noise.column import NoiseScale, noised_column
from qidguard_hybrid_dp.partitions import OTHER, VIOLATING, PlannedNoise
from qidguard_hybrid_dp.workflow import Treated, run_workflow

RANGE, UNIT = "range", "unit"
"""The scales of noise: (U − L)/ε, and 1/ε in the column's unit."""
EPSILONS = Fraction(3), Fraction(5)
"""The paper's ε of the violating and of the other part."""


@dataclass(frozen=True, kw_only=True)
class HybridSetting:
    """One setting of the hybrid scheme.

    Args:
        cluster: ``both`` parts, or the ``violating`` one alone.
        scale: ``range`` or ``unit``.
        is_strict: Whether numbers are published as intervals.
        t_div: Entropy of a sensitive attribute, nats, below which a cluster goes to the average level.
        epsilons: ε of the violating and of the other part.
    """

    cluster: str = "both"
    scale: str = RANGE
    is_strict: bool = False
    t_div: float = 0.0
    epsilons: tuple[Fraction, Fraction] = EPSILONS

    @property
    def label(self) -> str:
        """The setting as it stands in tables."""
        told = f"{self.cluster}, {self.scale}"
        if self.epsilons != EPSILONS:
            told += f", ε {float(self.epsilons[0]):g}/{float(self.epsilons[1]):g}"
        if self.t_div:
            told += f", t_div {self.t_div:g}"
        return f"{told}, strict" if self.is_strict else told


def hybrid(
    case: PrivacyCase, k: int, setting: HybridSetting, *, method: str = HYBRID, settings: str = ""
) -> CaseTrial:
    """Return what the hybrid scheme makes of a case, with seeded noise that protects nobody.

    Args:
        case: The table.
        k: Persons in the smallest cluster, ≥ 2.
        setting: Which part is clustered, scale and ε.
        method: What the trial is called.
        settings: What stands beside it; the setting where it is empty.
    """
    asked = RunRequest(
        k=k,
        bounds=case.bounds,
        epsilon_violating=setting.epsilons[0],
        epsilon_other=setting.epsilons[1],
        scale=NoiseScale(setting.scale),
        cluster=Clustered(setting.cluster),
        is_strict=setting.is_strict,
        t_div=setting.t_div,
        friendly=case.friendly,
    )
    told = settings or setting.label
    task = case.task(k)
    try:
        treated = run_workflow(case.records, asked, task)
    except NotMeasurable as reason:
        return CaseTrial(method=method, settings=told, k=k, done=None, reason=str(reason))
    seconds = dict(treated.seconds)
    return CaseTrial(
        method=method,
        settings=told,
        k=k,
        done=RehearsedTable(
            before=case.records,
            task=replace(task, hierarchies=dict(treated.hierarchies)),
            anonymizer="hybrid_dp",
            done=Anonymized(kept=np.ones(case.records.records, dtype=np.bool_), columns=treated.columns),
            seconds=sum(seconds.values()),
        ),
        noise=noise_of(case, treated),
        violating=treated.violating,
        friendly=treated.partitions.friendly,
        seconds=seconds,
    )


def warm_up() -> None:
    """Import and compile what the scheme and its baseline need, so that nobody's time counts it."""
    from qidguard_hybrid_dp.evaluation.example import people
    from qidguard_hybrid_dp.evaluation.plain import plain

    case = PrivacyCase.of(
        people(60), ["age", "race", "sex"], ["illness"], bounds={"age": (Fraction(20), Fraction(60))}
    )
    plain(case, 3)
    hybrid(case, 3, HybridSetting())


def noise_of(case: PrivacyCase, treated: Treated) -> dict[str, CellNoise]:
    """Return the noise of each numeric quasi-identifier, record by record."""
    return {
        name: _cell_noise(case, [one for one in treated.plan if one.column == name], treated.violating)
        for name in case.numeric
    }


def _cell_noise(case: PrivacyCase, plan: list[PlannedNoise], violating: NDArray[np.bool_]) -> CellNoise:
    name = plan[0].column
    scale = np.zeros(len(violating))
    for one in plan:
        inside = {VIOLATING: violating, OTHER: ~violating}.get(one.partition, np.ones_like(violating))
        scale[inside] = float(one.part.scale)
    column = noised_column(name, case.records.column(name).value_type, case.bounds[name])
    return CellNoise(scale=scale, step=float(column.step), bounds=_floats(case.bounds[name]))


def _floats(bounds: tuple[Fraction, Fraction]) -> tuple[float, float]:
    return float(bounds[0]), float(bounds[1])


def rka_stand_in(case: PrivacyCase, k: int, epsilon: Fraction = Fraction(1)) -> CaseTrial:
    """Return k-anonymity of all categories and one ε on all numbers: our stand-in for RKA.

    The paper compares with a hybrid method RKA that it does not define; its text says so much of it:
    k-anonymity with differential privacy, a fixed ε, the entire table. Nothing is claimed from it.
    """
    setting = HybridSetting(cluster="both", scale=RANGE, epsilons=(epsilon, epsilon))
    # without a pattern-friendly column everything is one part
    whole = replace(case, friendly=())
    return hybrid(whole, k, setting, method=RKA, settings=f"ε {float(epsilon):g}")


def table_of(
    case: PrivacyCase, k: int, method: str, columns: Mapping[str, Recoded], seconds: float
) -> RehearsedTable:
    """Return what a method of ours publishes, all records kept."""
    return RehearsedTable(
        before=case.records,
        task=case.task(k),
        anonymizer=method,
        done=Anonymized(kept=np.ones(case.records.records, dtype=np.bool_), columns=dict(columns)),
        seconds=seconds,
    )
