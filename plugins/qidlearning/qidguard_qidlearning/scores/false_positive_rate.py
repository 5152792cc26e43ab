"""False positive rate: how many of the other columns were taken for quasi-identifiers."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.confusion import confusion, ratio


def false_positive_rate(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the false positive rate, FP / (TN + FP) (Simões et al. 2025, Table 2).

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.

    Returns:
        The score; 0 where every column is a quasi-identifier.

    Units:
        A share, 0..1; lower is better.

    Raises:
        ValueError: When a found or a true column is not in the universe.

    Example:
        >>> false_positive_rate({"age", "zip"}, {"age", "sex", "job"}, {"age", "zip", "sex", "job", "note"})
        0.5
    """
    counts = confusion(found, truth, universe)
    return ratio(counts.false_positives, counts.true_negatives + counts.false_positives)


FALSE_POSITIVE_RATE = RecognitionScore(
    name="false_positive_rate",
    title="false positive rate",
    formula="FP / (TN + FP)",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1",
    compute=false_positive_rate,
    is_higher_better=False,
)
"""How many of the other columns were taken for quasi-identifiers."""
