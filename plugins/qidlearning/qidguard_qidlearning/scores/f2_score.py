"""F2 score: the F-beta score with β = 2, by which the paper's Table 7 compares."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.f_beta_score import f_beta_score


def f2_score(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the F2 score, 5·P·R / (4·P + R) (Simões et al. 2025, Tables 2 and 7).

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
        >>> f2_score({"age", "zip"}, {"age"}, {"age", "zip", "sex"})
        0.8333333333333334
    """
    return f_beta_score(found, truth, universe, beta=2)


F2_SCORE = RecognitionScore(
    name="f2_score",
    title="F2 score",
    formula="5·P·R / (4·P + R), P the precision and R the recall",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1 and Table 7",
    compute=f2_score,
)
"""Precision and recall in one figure, recall weighing twice as much."""
