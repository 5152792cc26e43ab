"""What was done to a published column, found in its cells and not in what a method says."""

from dataclasses import dataclass
from enum import StrEnum


class Technique(StrEnum):
    """What can become of the cells of a column."""

    GENERALIZATION = "generalization"
    PERTURBATION = "perturbation"
    SUPPRESSION = "suppression"


@dataclass(frozen=True, kw_only=True)
class Treatment:
    """What became of one column's cells.

    Args:
        techniques: What was found, in order of name. Generalized is a cell that stands for its original and
            for other values, suppressed one that stands for all, perturbed one that no longer stands for its
            original: a mean, a rounded or an exchanged value.
        hierarchy: What the hierarchy was made from that gave the values; None without one.
        levels: The levels of it that published values are of, ascending; 0 is exact. Nothing where some value
            is of none.
    """

    techniques: tuple[Technique, ...]
    hierarchy: str | None = None
    levels: tuple[int, ...] = ()
