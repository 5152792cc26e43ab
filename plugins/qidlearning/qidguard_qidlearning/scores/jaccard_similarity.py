"""Jaccard similarity: what both sets share of what either holds."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.confusion import confusion, ratio


def jaccard_similarity(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the Jaccard similarity, |P ∩ A| / |P ∪ A| (Simões et al. 2025, Table 2).

    P is what was found and A the truth.

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.

    Returns:
        The score; 0 where both sets are empty.

    Units:
        A share, 0..1; higher is better.

    Raises:
        ValueError: When a found or a true column is not in the universe.

    Example:
        >>> jaccard_similarity({"age", "zip"}, {"age", "sex", "job"}, {"age", "zip", "sex", "job", "note"})
        0.25
    """
    counts = confusion(found, truth, universe)
    return ratio(counts.true_positives, counts.found + counts.false_negatives)


JACCARD_SIMILARITY = RecognitionScore(
    name="jaccard_similarity",
    title="Jaccard similarity",
    formula="|P ∩ A| / |P ∪ A|",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1",
    compute=jaccard_similarity,
)
"""What both sets share of what either holds."""
