"""Scores of recognition: how well a found set of quasi-identifiers fits the true one."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RecognitionScore:
    """A figure of a found set of columns against a ground truth.

    Args:
        name: A plain identifier.
        title: The field's standard term.
        formula: How it comes out of true and false positives and negatives.
        source: Where the formula stands.
        compute: (found, truth, every column) → the score, a share 0..1, higher is better unless
            ``is_higher_better`` says otherwise.
        is_higher_better: Whether a perfect recognition has the score 1 (else 0).
    """

    name: str
    title: str
    formula: str
    source: str
    compute: Callable[[frozenset[str], frozenset[str], frozenset[str]], float]
    is_higher_better: bool = True
