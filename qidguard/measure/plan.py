"""Plans: which way a table's subsets are measured, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Path(StrEnum):
    """A way to the same figures."""

    SQL = "sql"
    LATTICE = "lattice"
    REFINEMENT = "refinement"


@dataclass(frozen=True, kw_only=True)
class SubsetPlan:
    """Which way was chosen.

    Args:
        path: The way that is taken.
        reason: One sentence that says why.
        seconds: The estimated wall time of each way, for all subsets expected.
        bytes: The estimated memory of the chosen way beside the engine's own.
    """

    path: Path
    reason: str
    seconds: Mapping[Path, float]
    bytes: int
