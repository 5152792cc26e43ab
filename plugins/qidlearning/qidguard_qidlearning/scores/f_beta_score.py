"""F-beta score: precision and recall in one figure, recall weighing β times as much."""

from collections.abc import Iterable

from qidguard_qidlearning.scores.confusion import confusion, ratio


def f_beta_score(
    found: Iterable[str], truth: Iterable[str], universe: Iterable[str], *, beta: float
) -> float:
    """Return the F-beta score, (1 + β²)·P·R / (β²·P + R) (Simões et al. 2025, Table 2).

    Args:
        found: The columns that a recognition found.
        truth: The true quasi-identifiers.
        universe: Every column of the table.
        beta: How many times as much recall R weighs as precision P, > 0.

    Returns:
        The score; 0 where nothing was found rightly.

    Units:
        A share, 0..1; higher is better.

    Raises:
        ValueError: When a found or a true column is not in the universe, or β is not above 0.

    Example:
        >>> f_beta_score({"age", "zip"}, {"age", "sex"}, {"age", "zip", "sex"}, beta=3)
        0.5
    """
    if not beta > 0:
        raise ValueError(f"beta must be above 0, not {beta}")
    counts = confusion(found, truth, universe)
    # the same as by precision and recall, without their rounding
    rightly = (1 + beta**2) * counts.true_positives
    return ratio(rightly, rightly + beta**2 * counts.false_negatives + counts.false_positives)
