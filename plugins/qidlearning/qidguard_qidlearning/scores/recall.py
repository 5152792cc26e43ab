"""Recall: how many of the quasi-identifiers were found."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.confusion import confusion, ratio


def recall(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the recall, TP / (TP + FN) (Simões et al. 2025, Table 2).

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.

    Returns:
        The score; 0 where there are no quasi-identifiers.

    Units:
        A share, 0..1; higher is better.

    Raises:
        ValueError: When a found or a true column is not in the universe.

    Example:
        >>> recall({"age", "zip"}, {"age", "sex", "job"}, {"age", "zip", "sex", "job", "note"})
        0.3333333333333333
    """
    counts = confusion(found, truth, universe)
    return ratio(counts.true_positives, counts.actual)


RECALL = RecognitionScore(
    name="recall",
    title="recall",
    formula="TP / (TP + FN)",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1",
    compute=recall,
)
"""How many of the quasi-identifiers were found."""
