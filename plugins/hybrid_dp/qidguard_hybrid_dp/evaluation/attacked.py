"""A published table as an attacker sees it who knows the mechanism: what each cell says of a true value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

UNSEEN = -1
"""The code of a value that no record of the release had; only what covers every value can stand for it."""
_SLACK = 1e-9
"""How far off its grid, in steps, a float may lie."""


@dataclass(frozen=True, kw_only=True)
class PublishedCategory:
    """A categorical quasi-identifier as it is published.

    Args:
        name: The column.
        published: Shape (records,), the code of each published cell.
        covers: Shape (published codes, original codes), whether a cell may stand for a value.
    """

    name: str
    published: NDArray[np.int64] = field(repr=False)
    covers: NDArray[np.bool_] = field(repr=False)

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Shape (original codes + 1, published codes), whether a cell may stand for a value.

        The last row answers for values that the release did not have: ``UNSEEN`` is its place.
        """
        found: NDArray[np.bool_] = np.column_stack([self.covers, self.covers.all(axis=1)]).T
        return found


@dataclass(frozen=True, kw_only=True)
class Lookup:
    """Likelihoods of a column of numbers, each different one once.

    Args:
        chances: Shape (different true numbers, different cells), 0..1.
        asked: Shape (targets,), the row of each target.
        cell: Shape (records,), the column of each record.
    """

    chances: NDArray[np.float64] = field(repr=False)
    asked: NDArray[np.int64] = field(repr=False)
    cell: NDArray[np.int64] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class PublishedNumber:
    """A numeric quasi-identifier as it is published: a number, or an interval, with or without noise.

    Args:
        name: The column.
        low: Shape (records,), the lower end, in the column's unit; NaN for a missing cell.
        high: The upper end; the same where a number is published.
        scale: Shape (records,), the scale of the noise by which the cell was drawn, in the column's unit; 0
            where there is none.
        step: The grid of the noise, in the column's unit.
        bounds: The declared bounds to which noise is clamped; None where there is no noise.
    """

    name: str
    low: NDArray[np.float64] = field(repr=False)
    high: NDArray[np.float64] = field(repr=False)
    scale: NDArray[np.float64] = field(repr=False)
    step: float = 1.0
    bounds: tuple[float, float] | None = None

    def likelihood(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how likely each record's cell is, given that the record has the target's true number.

        Args:
            values: Shape (targets,), true numbers; NaN where it is missing.

        Returns:
            Shape (targets, records), 0..1.
        """
        found = self.lookup(values)
        chances: NDArray[np.float64] = found.chances[found.asked][:, found.cell]
        return chances

    def lookup(self, values: NDArray[np.float64]) -> "Lookup":
        """Return the likelihoods of the different cells, given the different true numbers.

        An interval made of noised numbers counts as the chance that the record's own noised number lies in
        it. A missing cell goes with a missing number and with nothing else, since noise leaves NULL alone.

        Args:
            values: Shape (targets,), true numbers; NaN where it is missing.
        """
        cells = np.column_stack([self.low, self.high, self.scale])
        different, place = np.unique(cells, axis=0, return_inverse=True, equal_nan=True)
        asked, at = np.unique(values, return_inverse=True)
        table = np.zeros((len(asked), len(different)))
        is_missing = np.isnan(different[:, 0])
        table[np.ix_(np.isnan(asked), is_missing)] = 1
        given = np.flatnonzero(~np.isnan(asked))
        origin = 0.0 if self.bounds is None else self.bounds[0]
        for scale in np.unique(different[~is_missing, 2]):
            some = np.flatnonzero(~is_missing & (different[:, 2] == scale))
            on_grid = self.step if scale > 0 else 1.0
            true, low, high = (
                (one - origin) / on_grid for one in (asked[given], different[some, 0], different[some, 1])
            )
            bounds = None if self.bounds is None else (0.0, (self.bounds[1] - origin) / on_grid)
            if scale > 0:
                true, low, high = np.rint(true), np.ceil(low - _SLACK), np.floor(high + _SLACK)
            table[np.ix_(given, some)] = noised_mass(true, low, high, scale=scale / on_grid, bounds=bounds)
        return Lookup(chances=table, asked=at.ravel(), cell=place.ravel())


@dataclass(frozen=True, kw_only=True)
class ViolatingRecords:
    """Which records are privacy-violating, and by which values that is so: both are taken as known.

    Args:
        violating: Shape (records,), whether the record is in the violating part.
        rule: Pattern-friendly column → shape (original codes,), whether the value makes a record violating.
    """

    violating: NDArray[np.bool_] = field(repr=False)
    rule: Mapping[str, NDArray[np.bool_]] = field(repr=False)

    def of(self, known: Mapping[str, int]) -> bool | None:
        """Return whether a target is violating, as far as the known values tell; None where they do not.

        Example:
            >>> rule = {"race": np.array([False, True]), "country": np.array([False, True])}
            >>> parts = ViolatingRecords(violating=np.array([True, False]), rule=rule)
            >>> parts.of({"race": 1}), parts.of({"race": 0, "country": 0}), parts.of({"race": 0})
            (True, False, None)
        """
        # a value that the release did not have is a rare one
        told = [
            known[name] == UNSEEN or bool(is_so[known[name]])
            for name, is_so in self.rule.items()
            if name in known
        ]
        if any(told):
            return True
        return False if len(told) == len(self.rule) else None


@dataclass(frozen=True, kw_only=True)
class AttackedNoisyTable:
    """A published table and all of its mechanism but the noise that was drawn.

    Args:
        categories: The categorical quasi-identifiers.
        numbers: The numeric ones.
        sensitive: Shape (records,), the code of the sensitive attribute, published as it is.
        partition: The two parts; None where there are none.
        row: Shape (records of the original,), where each stands in the published table; −1 if suppressed.
    """

    categories: tuple[PublishedCategory, ...]
    numbers: tuple[PublishedNumber, ...]
    sensitive: NDArray[np.int64] = field(repr=False)
    partition: ViolatingRecords | None = None
    row: NDArray[np.int64] = field(repr=False)

    @property
    def records(self) -> int:
        """Number of published records."""
        return len(self.sensitive)

    @property
    def qids(self) -> tuple[str, ...]:
        """The quasi-identifiers, categorical ones first."""
        return tuple(one.name for one in self.columns)

    @property
    def columns(self) -> tuple[PublishedCategory | PublishedNumber, ...]:
        """The columns in the same order."""
        return *self.categories, *self.numbers


def noised_mass(
    true: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    *,
    scale: float,
    bounds: tuple[float, float] | None,
) -> NDArray[np.float64]:
    """Return P(low ≤ clamp(clamp(true) + Z) ≤ high) for discrete Laplace noise Z, all in grid steps.

    P(Z = z) = (1 − α)/(1 + α)·α^|z| with α = exp(−1/scale) (Ghosh, Roughgarden & Sundararajan 2009). What
    noise carries beyond a bound is published as the bound, so the bound has the mass of the whole tail.

    Args:
        true: Shape (values,), whole numbers of steps.
        low: Shape (published,), the lower end of what is published; the number itself where it is one.
        high: Shape (published,), the upper end, ≥ low.
        scale: Scale of the noise, steps, ≥ 0; 0 is no noise, and then the bounds count for nothing.
        bounds: What is clamped to; None clamps nothing.

    Returns:
        Shape (values, published), 0..1.

    Raises:
        ValueError: When the scale is below 0.

    Example:
        At scale 1/ln 2 the noise is 0 in one of three cases, and each further step is half as likely:

        >>> one, ends = np.array([1.0]), np.array([0.0, 1.0, 2.0, 3.0])
        >>> noised_mass(one, ends, ends, scale=1 / np.log(2), bounds=(0, 3)).round(3).tolist()
        [[0.333, 0.333, 0.167, 0.167]]
    """
    if scale < 0:
        raise ValueError(f"the scale of noise is at least 0, not {scale}")
    x, lower, upper = true[:, None], low[None, :], high[None, :]
    if scale == 0:
        inside: NDArray[np.float64] = ((lower <= x) & (x <= upper)).astype(np.float64)
        return inside
    if bounds is not None:
        x = np.clip(x, *bounds)
        lower = np.where(lower <= bounds[0], -np.inf, lower)
        upper = np.where(upper >= bounds[1], np.inf, upper)
    first, last = lower - x, upper - x
    # Z and −Z are alike: mirrored, so that far tails are differences of small numbers and not of ones
    is_above = first > 0
    first, last = np.where(is_above, -last, first), np.where(is_above, -first, last)
    mass: NDArray[np.float64] = _at_most(last, scale) - _at_most(first - 1, scale)
    return mass


def _at_most(z: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return P(Z ≤ z)."""
    alpha = np.exp(-1 / scale)
    below = np.exp(np.minimum(z, 0) / scale) / (1 + alpha)
    found: NDArray[np.float64] = np.where(
        z < 0, below, 1 - np.exp(-(np.maximum(z, 0) + 1) / scale) / (1 + alpha)
    )
    return found
