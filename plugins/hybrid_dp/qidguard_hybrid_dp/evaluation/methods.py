"""The methods that stand beside one another: the hybrid scheme, plain k-anonymity, and our stand-ins."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from qidguard.sdk import NotMeasurable, UserError
from qidguard_hybrid_dp.asked import Clustered, RunRequest
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.plain import plain
from qidguard_hybrid_dp.evaluation.svd import svd_stand_in
from qidguard_hybrid_dp.evaluation.trial import HYBRID, RKA, CaseTrial, CellNoise
from qidguard_hybrid_dp.noise.column import NoiseScale
from qidguard_hybrid_dp.run import OTHER, VIOLATING, HybridRun
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
    try:
        treated = run_workflow(HybridRun(records=case.records, asked=asked, task=case.task(k)))
    except NotMeasurable as reason:
        return CaseTrial(method=method, settings=told, k=k, done=None, reason=str(reason))
    return CaseTrial.of(
        case,
        k,
        method,
        treated.columns,
        treated.seconds,
        hierarchies=treated.hierarchies,
        settings=told,
        noise={name: _noise_of(case, treated, name) for name in case.numeric},
        violating=treated.run.partitions.violating,
        friendly=treated.run.partitions.friendly,
    )


def warm_up() -> None:
    """Import and compile what the scheme and its baseline need, so that nobody's time counts it."""
    from qidguard_hybrid_dp.evaluation.example import people

    case = PrivacyCase.of(
        people(60), ["age", "race", "sex"], ["illness"], bounds={"age": (Fraction(20), Fraction(60))}
    )
    plain(case, 3)
    hybrid(case, 3, HybridSetting())


def _noise_of(case: PrivacyCase, treated: Treated, name: str) -> CellNoise:
    """Return the noise of a numeric quasi-identifier, record by record."""
    violating = treated.run.partitions.violating
    scale = np.zeros(len(violating))
    for one in treated.run.plan:
        if one.column == name:
            inside = {VIOLATING: violating, OTHER: ~violating}.get(one.partition, np.ones_like(violating))
            scale[inside] = float(one.part.scale)
    return CellNoise.of(case.noised(name), scale)


def rka_stand_in(case: PrivacyCase, k: int, epsilon: Fraction = Fraction(1)) -> CaseTrial:
    """Return k-anonymity of all categories and one ε on all numbers: our stand-in for RKA.

    The paper compares with a hybrid method RKA that it does not define; its text says so much of it:
    k-anonymity with differential privacy, a fixed ε, the entire table. Nothing is claimed from it.
    """
    setting = HybridSetting(cluster="both", scale=RANGE, epsilons=(epsilon, epsilon))
    # without a pattern-friendly column everything is one part
    whole = replace(case, friendly=())
    return hybrid(whole, k, setting, method=RKA, settings=f"ε {float(epsilon):g}")


@dataclass(frozen=True, kw_only=True)
class Methods:
    """Which methods stand beside plain k-anonymity.

    Args:
        clusters: ``both``, ``violating``, or both of them.
        scales: ``range``, ``unit``, or both.
        has_strict: Whether strict intervals are tried too, both parts clustered.
        t_div: Entropy, nats, below which clusters are tried at the average level too, both parts clustered; 0
            leaves that out.
        has_stand_ins: Whether the stand-ins for RKA and SVD3DR are tried too.

    Raises:
        UserError: When ``t_div`` is below 0, or no number.
    """

    clusters: tuple[str, ...] = ("violating", "both")
    scales: tuple[str, ...] = ("range", "unit")
    has_strict: bool = True
    t_div: float = 0.0
    has_stand_ins: bool = False

    def __post_init__(self) -> None:
        """Refuse what no entropy is below."""
        if not self.t_div >= 0:
            raise UserError(
                f"t_div is an entropy in nats, 0 or more, not {self.t_div:g}; set one such as 0.5"
            )

    @property
    def settings(self) -> tuple[HybridSetting, ...]:
        """The settings of the scheme."""
        made = [HybridSetting(cluster=one, scale=scale) for one in self.clusters for scale in self.scales]
        if self.t_div:
            made.append(HybridSetting(scale=self.scales[0], t_div=self.t_div))
        if self.has_strict:
            made.append(HybridSetting(scale=self.scales[0], is_strict=True))
        return tuple(made)


def plan_of(case: PrivacyCase, k: Sequence[int], methods: Methods) -> tuple[Callable[[], CaseTrial], ...]:
    """Return what is tried, in the order of k: plain k-anonymity, the scheme, the stand-ins."""
    made: list[Callable[[], CaseTrial]] = []
    for one in dict.fromkeys(k):
        made.append(partial(plain, case, one))
        made += [partial(hybrid, case, one, setting) for setting in methods.settings]
        if methods.has_stand_ins:
            made += [partial(rka_stand_in, case, one), partial(svd_stand_in, case, one)]
    return tuple(made)
