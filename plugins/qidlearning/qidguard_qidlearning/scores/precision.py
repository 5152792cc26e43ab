"""Precision: how many of the found columns are quasi-identifiers."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.confusion import confusion, ratio


def precision(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the precision, TP / (TP + FP) (Simões et al. 2025, Table 2).

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.

    Returns:
        The score; 0 where nothing was found.

    Units:
        A share, 0..1; higher is better.

    Raises:
        ValueError: When a found or a true column is not in the universe.

    Example:
        >>> precision({"age", "zip"}, {"age", "sex", "job"}, {"age", "zip", "sex", "job", "note"})
        0.5
    """
    counts = confusion(found, truth, universe)
    return ratio(counts.true_positives, counts.found)


PRECISION = RecognitionScore(
    name="precision",
    title="precision",
    formula="TP / (TP + FP)",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1",
    compute=precision,
)
"""How many of the found columns are quasi-identifiers."""
