"""Dice similarity: what both sets share of their mean size."""

from collections.abc import Iterable

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.confusion import confusion, ratio


def dice_similarity(
    found: Iterable[str],
    truth: Iterable[str],
    universe: Iterable[str],
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
) -> float:
    """Return the Dice similarity, 2α·|P ∩ A| / (α·|P|^β + |A|^β) (Simões et al. 2025, section 4.1).

    P is what was found and A the truth. The paper prints the numerator without the 2 in its text and with it
    in its Table 2; only with it two equal sets score 1. With α = β = 1 it is the F1 score.

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.
        alpha: Weight of what was found, > 0.
        beta: Exponent of both sizes, ≥ 1; below 1 two equal sets would score above 1.

    Returns:
        The score; 0 where both sets are empty.

    Units:
        A share, 0..1 for α = 1, and 0..2α/(α + 1) for another α; higher is better.

    Raises:
        ValueError: When a found or a true column is not in the universe, α is not above 0, or β is below 1.

    Example:
        >>> dice_similarity({"age", "zip"}, {"age", "sex"}, {"age", "zip", "sex"})
        0.5
    """
    if not (alpha > 0 and beta >= 1):
        raise ValueError(f"alpha must be above 0 and beta at least 1, not {alpha} and {beta}")
    counts = confusion(found, truth, universe)
    return ratio(2 * alpha * counts.true_positives, alpha * counts.found**beta + counts.actual**beta)


DICE_SIMILARITY = RecognitionScore(
    name="dice_similarity",
    title="Dice similarity",
    formula="2α·|P ∩ A| / (α·|P|^β + |A|^β), P what was found, A the truth, α = β = 1",
    source="Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1 and Table 2",
    compute=dice_similarity,
)
"""What both sets share of their mean size."""
