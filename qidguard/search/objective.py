"""Objectives: what a search maximizes, as weighted metrics."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from qidguard.core.annotation import field_misfits

MOST_WEIGHT = 1e15
"""As in a policy: sums of terms, and of the fitness of many sets, then stay far from overflow."""


@dataclass(frozen=True, kw_only=True)
class Term:
    """One weighted metric.

    Args:
        metric: The metric's name.
        weight: What its figure is multiplied by; finite, and negative for what is to be small.
        arguments: The metric's parameters; those not named have their defaults.
        attribute: The sensitive, target or treatment column it is measured beside; None takes the policy's
            or the command line's.
    """

    metric: str
    weight: float = 1.0
    arguments: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    attribute: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(vars(self)["metric"], str):
            raise TypeError(f"a term's metric must be its name, not {type(self.metric).__name__}")
        if isinstance(self.weight, bool) or not isinstance(self.weight, (int, float)):
            raise TypeError(f"the weight of {self.metric!r} must be a number")
        for name, words in field_misfits(self).items():
            raise TypeError(f"the term {self.metric!r}: {name} must be {words}")
        if not math.isfinite(self.weight):
            raise ValueError(f"the weight of {self.metric!r} must be finite, not {self.weight}")
        if abs(self.weight) > MOST_WEIGHT:
            limits = f"{-MOST_WEIGHT:g}..{MOST_WEIGHT:g}"
            raise ValueError(f"the weight of {self.metric!r} must lie in {limits}, not {self.weight:g}")


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A linear combination of metrics, F(x) = Σ wᵢ·Mᵢ(x), or such a sum divided by another one.

    QIDLearningLib (Simões et al. 2025, section 4.6) names both: the linear F(x), and
    f(x) = (β₁D + β₂S − β₃K + β₄ΔD + β₅ΔS) / (α·A(x)).

    Args:
        name: A plain identifier.
        title: One phrase for ``qidguard plugins``.
        terms: What is added up, at least one.
        divisors: What the sum is divided by, added up; none divides by 1.
    """

    name: str
    title: str
    terms: tuple[Term, ...]
    divisors: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        if not self.terms or not all(isinstance(t, Term) for t in (*self.terms, *self.divisors)):
            raise ValueError(f"objective {self.name!r} needs at least one term, and terms only")
        for name, words in field_misfits(self).items():
            raise TypeError(f"objective {self.name!r}: {name} must be {words}")

    @property
    def every_term(self) -> tuple[Term, ...]:
        """The terms, then the divisors."""
        return (*self.terms, *self.divisors)

    def fitness(self, figures: Sequence[float]) -> float:
        """Return the fitness of a set from its figures.

        Args:
            figures: One for each of ``every_term``, in order; NaN where no figure exists.

        Returns:
            The fitness; −inf where a figure does not exist, infinite terms of both signs add up to no number
            or the divisors to no positive one.

        Units:
            Those of the weights times those of the metrics.

        Raises:
            ValueError: When there are not as many figures as terms.

        Example:
            >>> two = (Term(metric="distinction", weight=2.0), Term(metric="separation"))
            >>> Objective(name="both", title="Both", terms=two).fitness([0.5, 1.0])
            2.0
        """
        weighted = [t.weight * f for t, f in zip(self.every_term, figures, strict=True)]
        total = _sum(weighted[: len(self.terms)])
        if self.divisors:
            by = _sum(weighted[len(self.terms) :])
            total = total / by if by > 0 else math.nan
        return -math.inf if math.isnan(total) else total


def _sum(weighted: Sequence[float]) -> float:
    """Return the exactly rounded sum; NaN where there is none."""
    try:
        return math.fsum(weighted)
    except (OverflowError, ValueError):
        return math.nan
