"""Samples: a distribution's figures with what each counts, ready to be drawn."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import NotMeasurable

_SPREAD, _ABOVE_MEDIAN = 100.0, 20.0
"""So many times the smallest figure, and the median, must the largest be for a logarithmic axis."""


class CountedUnit(StrEnum):
    """What a plot counts: each class once, or as often as it has persons."""

    CLASSES = "classes"
    PERSONS = "persons"


class Figures(Protocol):
    """What is plotted: a figure and a size for each class, as a ``Distribution`` holds them."""

    @property
    def values(self) -> NDArray[np.float64]:
        """The figure of each class; NaN where it has none."""

    @property
    def sizes(self) -> NDArray[Any]:
        """The persons of each class."""


def label_of(figures: Figures) -> str:
    """Return what figures call themselves, as a ``Distribution`` does; else that they are of classes."""
    return getattr(figures, "label", "") or "figure of a class"


@dataclass(frozen=True, kw_only=True)
class WeightedSample:
    """Distinct figures in rising order, each with its weight.

    Args:
        values: The figures, no two the same, all finite.
        weights: Classes or persons that have it, positive.
        missing: Classes without a figure.
        counted: What the weights count.
    """

    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    missing: int
    counted: CountedUnit

    @classmethod
    def of(cls, distribution: Figures, by: str) -> "WeightedSample":
        """Return a distribution's sample; NotMeasurable where no class has a figure."""
        counted = CountedUnit(by)
        values = np.asarray(distribution.values, dtype=np.float64)
        sizes = np.asarray(distribution.sizes, dtype=np.float64)
        is_there = np.isfinite(values)
        if not is_there.any():
            raise NotMeasurable("no class has a figure, so there is nothing to plot")
        distinct, place = np.unique(values[is_there], return_inverse=True)
        each = sizes[is_there] if counted is CountedUnit.PERSONS else None
        return cls(
            values=distinct,
            weights=np.bincount(place, weights=each).astype(np.float64),
            missing=int((~is_there).sum()),
            counted=counted,
        )

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @property
    def mean(self) -> float:
        """The mean."""
        return float(np.average(self.values, weights=self.weights))

    @property
    def deviation(self) -> float:
        """The standard deviation, of the population; 0 for a constant."""
        if len(self.values) == 1:
            return 0.0
        return float(np.sqrt(np.average((self.values - self.mean) ** 2, weights=self.weights)))

    @property
    def is_skewed(self) -> bool:
        """Whether the figures are positive and spread over so many sizes that a linear axis hides most."""
        low, high = float(self.values[0]), float(self.values[-1])
        middle = float(self.quantiles(np.array([0.5]))[0])
        return low > 0 and high > _SPREAD * low and high > _ABOVE_MEDIAN * middle

    @property
    def cumulated(self) -> NDArray[np.float64]:
        """The share at or below each figure; the last is 1."""
        shares: NDArray[np.float64] = np.cumsum(self.weights) / self.total
        shares[-1] = 1.0
        return shares

    def quantiles(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each share the smallest figure that at least so many lie at or below."""
        # a hair less, so that a share which is a class's own is found at that class whatever the rounding
        place = np.searchsorted(self.cumulated, shares - 1e-12)
        return self.values[np.minimum(place, len(self.values) - 1)]

    def words(self, label: str) -> str:
        """Return in words what the figures are: how many, where they lie."""
        middle = self.quantiles(np.array([0.25, 0.5, 0.75]))
        without = f"; {self.missing:,} classes have none" if self.missing else ""
        return (
            f"{label} of {self.total:,.0f} {self.counted}: from {number(self.values[0])} to "
            f"{number(self.values[-1])}, half of them between {number(middle[0])} and {number(middle[2])}, "
            f"median {number(middle[1])}, mean {number(self.mean)}{without}."
        )


def number(value: float) -> str:
    """Return a number with four digits that count, and thousands apart."""
    return f"{value:,.0f}" if abs(value) >= 1_000 or value == int(value) else f"{value:.4g}"  # noqa: PLR2004 - thousands
