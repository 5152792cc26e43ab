"""Figures of classes against limits, with a verdict's tolerance, and bounds that rounding cannot break."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-12
"""As close as this to a limit, relative to it, equals it: so a verdict has it."""
SLACK = 1e-9
"""What bounds give away, so that rounding and the tolerance above can never make them wrong."""


def below(values: "NDArray[Any]", least: float) -> "NDArray[np.bool_]":
    """Return which figures are below a limit.

    Args:
        values: The figures.
        least: The limit.

    Returns:
        True below it, and not within the tolerance of it.

    Units:
        Those of the figures.

    Raises:
        Nothing.

    Example:
        >>> below(np.array([1.9, 2.0 - 1e-15, 2.1]), 2).tolist()
        [True, False, False]
    """
    found: NDArray[np.bool_] = (values < least) & ~_close(values, least)
    return found


def above(values: "NDArray[Any]", most: float) -> "NDArray[np.bool_]":
    """Return which figures are above a limit.

    Args:
        values: The figures.
        most: The limit.

    Returns:
        True above it, and not within the tolerance of it.

    Units:
        Those of the figures.

    Raises:
        Nothing.

    Example:
        >>> above(np.array([0.19, 0.2 + 1e-15, 0.21]), 0.2).tolist()
        [False, False, True]
    """
    found: NDArray[np.bool_] = (values > most) & ~_close(values, most)
    return found


def _close(values: "NDArray[Any]", limit: float) -> "NDArray[np.bool_]":
    found: NDArray[np.bool_] = np.abs(values - limit) <= TOLERANCE * np.maximum(np.abs(values), abs(limit))
    return found


def at_least(records: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return whole records that are surely as many: rounding errors never make them more.

    Args:
        records: Records, as sums of floating-point numbers gave them.

    Returns:
        Whole numbers ≥ 0.

    Units:
        Records.

    Raises:
        Nothing.

    Example:
        >>> at_least(np.array([2.0 + 1e-12, 1.5, -3.0])).tolist()
        [2.0, 2.0, 0.0]
    """
    found: NDArray[np.float64] = np.ceil(np.maximum(records, 0.0) * (1 - SLACK) - SLACK)
    return np.maximum(found, 0.0)
