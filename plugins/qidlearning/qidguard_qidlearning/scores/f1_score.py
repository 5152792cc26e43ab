"""F1 score: the harmonic mean of precision and recall."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.f_beta_score import f_beta_score


def f1_score(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the F1 score, 2·P·R / (P + R) (Simões et al. 2025, Table 2).

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.

    Returns:
        The score; 0 where nothing was found rightly.

    Units:
        A share, 0..1; higher is better.

    Raises:
        ValueError: When a found or a true column is not in the universe.

    Example:
        >>> f1_score({"age", "zip"}, {"age", "sex", "job"}, {"age", "zip", "sex", "job", "note"})
        0.4
    """
    return f_beta_score(found, truth, universe, beta=1)


F1_SCORE = RecognitionScore(
    name="f1_score",
    title="F1 score",
    formula="2·P·R / (P + R)",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1",
    compute=f1_score,
)
"""The harmonic mean of precision and recall."""
