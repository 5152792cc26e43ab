"""Which methods stand beside one another, and in which order they are tried."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from qidguard.sdk import UserError
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.methods import HybridSetting, hybrid, rka_stand_in
from qidguard_hybrid_dp.evaluation.plain import plain
from qidguard_hybrid_dp.evaluation.svd import svd_stand_in
from qidguard_hybrid_dp.evaluation.trial import CaseTrial


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
