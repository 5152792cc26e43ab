"""True and false positives and negatives of a found set of columns against the true one."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """How many columns were found or missed, rightly or wrongly.

    Args:
        true_positives: Quasi-identifiers that were found, ≥ 0.
        false_positives: Other columns that were found, ≥ 0.
        true_negatives: Other columns that were not found, ≥ 0.
        false_negatives: Quasi-identifiers that were not found, ≥ 0.
    """

    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int

    @property
    def found(self) -> int:
        """|P|, the columns that were found."""
        return self.true_positives + self.false_positives

    @property
    def actual(self) -> int:
        """|A|, the true quasi-identifiers."""
        return self.true_positives + self.false_negatives


def confusion(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> Confusion:
    """Return the four counts (Simões et al. 2025, section 4.1, performance metrics).

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.

    Returns:
        TP = |found ∩ truth|, FP = |found − truth|, TN = |universe − (found ∪ truth)|, FN = |truth − found|.

    Units:
        Columns.

    Raises:
        ValueError: When a found or a true column is not in the universe, or a single text is given for a set.

    Example:
        >>> confusion({"age", "zip"}, {"age", "sex"}, {"age", "zip", "sex", "note"})
        Confusion(true_positives=1, false_positives=1, true_negatives=1, false_negatives=1)
    """
    sets = {"found": found, "truth": truth, "universe": universe}
    for name, columns in sets.items():
        if isinstance(columns, str):
            raise ValueError(f"{name} must be a set of column names, not the text {columns!r}")  # noqa: TRY004 - one error for every wrong set
    p, a, every = (frozenset(columns) for columns in sets.values())
    for name, columns in (("found", p), ("truth", a)):
        unknown = sorted(columns - every)
        if unknown:
            raise ValueError(f"{name} column {unknown[0]!r} is none of the table's columns; correct its name")
    return Confusion(
        true_positives=len(p & a),
        false_positives=len(p - a),
        true_negatives=len(every - p - a),
        false_negatives=len(a - p),
    )


def ratio(part: float, whole: float) -> float:
    """Return part / whole, and 0 where there is no whole.

    Args:
        part: The numerator.
        whole: The denominator, ≥ 0.

    Returns:
        The ratio.

    Units:
        None.

    Raises:
        Nothing: every score is 0 where its denominator is.

    Example:
        >>> ratio(1, 4), ratio(0, 0)
        (0.25, 0.0)
    """
    return part / whole if whole else 0.0
