"""What a recogniser that searches is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from qidguard.core.parameter import ParameterValue
from qidguard.core.progress import SILENT, Progress


@dataclass(frozen=True, kw_only=True)
class DiscoveryTask:
    """A search for quasi-identifiers, as a policy or a person asks for it.

    Args:
        strategy: The search strategy's name; None lets the number of candidates decide.
        objective: An objective's name, or metrics with their weights.
        parameters: The strategy's own parameters, by name.
        seed: The seed of what is drawn at random, ≥ 0.
        budget_seconds: Seconds after which the search stops; None lets it end by itself.
        largest: The largest number of columns a set may have; None allows all.
        target: The column beside which metrics of a target are measured.
        treatment: The column beside which metrics of a treatment are measured.
        sensitive: The columns beside which metrics of a sensitive attribute are measured.
        progress: Hears of finished steps.
        host: The plugins to use; None takes the installed ones.
    """

    strategy: str | None = None
    objective: str | Mapping[str, float] = "recognition"
    parameters: Mapping[str, ParameterValue] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    budget_seconds: float | None = None
    largest: int | None = None
    target: str | None = None
    treatment: str | None = None
    sensitive: tuple[str, ...] = ()
    progress: Progress = SILENT
    host: Any = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"the seed must be a whole number of at least 0, not {self.seed!r}")
        if self.budget_seconds is not None and not self.budget_seconds > 0:
            raise ValueError(f"the budget must be above 0 seconds, not {self.budget_seconds!r}")
        if self.largest is not None and self.largest < 1:
            raise ValueError(f"a set has at least 1 column, so largest cannot be {self.largest!r}")
