"""Specificity: how many of the other columns were left alone."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.confusion import confusion, ratio


def specificity(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the specificity, TN / (TN + FP) (Simões et al. 2025, Table 2).

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.

    Returns:
        The score; 0 where every column is a quasi-identifier.

    Units:
        A share, 0..1; higher is better.

    Raises:
        ValueError: When a found or a true column is not in the universe.

    Example:
        >>> specificity({"age", "zip"}, {"age", "sex", "job"}, {"age", "zip", "sex", "job", "note"})
        0.5
    """
    counts = confusion(found, truth, universe)
    return ratio(counts.true_negatives, counts.true_negatives + counts.false_positives)


SPECIFICITY = RecognitionScore(
    name="specificity",
    title="specificity",
    formula="TN / (TN + FP)",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1",
    compute=specificity,
)
"""How many of the other columns were left alone."""
