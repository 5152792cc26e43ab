"""Accuracy (as QIDLearningLib defines it: recall): how many of the quasi-identifiers were found."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.recall import recall


def recognition_accuracy(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the accuracy by the paper's definition, |P ∩ A| / |A| (Simões et al. 2025, Table 2).

    P is what was found and A the truth. It is the recall under another name, and not the accuracy
    (TP + TN) / all that the word means elsewhere.

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
        >>> recognition_accuracy({"age", "zip"}, {"age", "sex", "job"}, {"age", "zip", "sex", "job", "note"})
        0.3333333333333333
    """
    return recall(found, truth, universe)


RECOGNITION_ACCURACY = RecognitionScore(
    name="recognition_accuracy",
    title="Accuracy (as QIDLearningLib defines it: recall)",
    formula="|P ∩ A| / |A|",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1",
    compute=recognition_accuracy,
)
"""The recall under the name that the paper gives it."""
