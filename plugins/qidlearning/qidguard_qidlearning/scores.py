"""The recognition scores of the paper's Table 2: a found set of quasi-identifiers against the true one.

P is what was found, A the truth; TP, FP, TN and FN count columns. Where a denominator is 0, so is the score.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from qidguard.sdk import RecognitionScore

_PAPER = "Simões, Vilela, Santos & Abreu 2025, QIDLearningLib, section 4.1"


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """How many columns were found or missed, rightly or wrongly."""

    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int

    @property
    def found(self) -> int:
        """|P|, the columns that were found."""
        return self.true_positives + self.false_positives

    @property
    def actual(self) -> int:
        """|A|, the true quasi-identifiers."""
        return self.true_positives + self.false_negatives

    @property
    def others(self) -> int:
        """The columns that are no quasi-identifiers."""
        return self.true_negatives + self.false_positives


def confusion(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> Confusion:
    """Return the four counts; ValueError for a column outside the universe, or a single text for a set."""
    sets = {"found": found, "truth": truth, "universe": universe}
    for name, columns in sets.items():
        if isinstance(columns, str):
            raise ValueError(f"{name} must be a set of column names, not the text {columns!r}")  # noqa: TRY004 - one error for every wrong set
    p, a, every = (frozenset(columns) for columns in sets.values())
    for name, columns in (("found", p), ("truth", a)):
        unknown = sorted(columns - every)
        if unknown:
            raise ValueError(f"{name} column {unknown[0]!r} is none of the table's columns; correct its name")
    return Confusion(
        true_positives=len(p & a),
        false_positives=len(p - a),
        true_negatives=len(every - p - a),
        false_negatives=len(a - p),
    )


def precision(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return how many of the found columns are quasi-identifiers, a share."""
    counts = confusion(found, truth, universe)
    return _ratio(counts.true_positives, counts.found)


def recall(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return how many of the quasi-identifiers were found, a share."""
    counts = confusion(found, truth, universe)
    return _ratio(counts.true_positives, counts.actual)


def specificity(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return how many of the other columns were left alone, a share."""
    counts = confusion(found, truth, universe)
    return _ratio(counts.true_negatives, counts.others)


def false_positive_rate(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return how many of the other columns were taken for quasi-identifiers, a share; lower is better."""
    counts = confusion(found, truth, universe)
    return _ratio(counts.false_positives, counts.others)


def jaccard_similarity(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return what both sets share of what either holds."""
    counts = confusion(found, truth, universe)
    return _ratio(counts.true_positives, counts.found + counts.false_negatives)


def f_beta_score(
    found: Iterable[str], truth: Iterable[str], universe: Iterable[str], *, beta: float
) -> float:
    """Return (1 + β²)·P·R / (β²·P + R): recall R weighs β times as much as precision P, β > 0."""
    if not beta > 0:
        raise ValueError(f"beta must be above 0, not {beta}")
    counts = confusion(found, truth, universe)
    # the same as by precision and recall, without their rounding
    rightly = (1 + beta**2) * counts.true_positives
    return _ratio(rightly, rightly + beta**2 * counts.false_negatives + counts.false_positives)


def f1_score(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the harmonic mean of precision and recall."""
    return f_beta_score(found, truth, universe, beta=1)


def f2_score(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return the F-beta score with β = 2, by which the paper's Table 7 compares."""
    return f_beta_score(found, truth, universe, beta=2)


def dice_similarity(
    found: Iterable[str],
    truth: Iterable[str],
    universe: Iterable[str],
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
) -> float:
    """Return 2α·|P ∩ A| / (α·|P|^β + |A|^β), α > 0, β ≥ 1; with α = β = 1 it is the F1 score.

    The paper prints the numerator without the 2 in its text and with it in its Table 2; only with it two
    equal sets score 1. With β below 1 they would score above 1.
    """
    if not (alpha > 0 and beta >= 1):
        raise ValueError(f"alpha must be above 0 and beta at least 1, not {alpha} and {beta}")
    counts = confusion(found, truth, universe)
    return _ratio(2 * alpha * counts.true_positives, alpha * counts.found**beta + counts.actual**beta)


def recognition_accuracy(found: Iterable[str], truth: Iterable[str], universe: Iterable[str]) -> float:
    """Return |P ∩ A| / |A|, which the paper calls accuracy: it is the recall, and not (TP + TN) / all."""
    return recall(found, truth, universe)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


RECOGNITION_SCORES: tuple[RecognitionScore, ...] = (
    RecognitionScore(
        name="dice_similarity",
        title="Dice similarity",
        formula="2α·|P ∩ A| / (α·|P|^β + |A|^β), P what was found, A the truth, α = β = 1",
        source=f"{_PAPER} and Table 2",
        compute=dice_similarity,
    ),
    RecognitionScore(
        name="f1_score", title="F1 score", formula="2·P·R / (P + R)", source=_PAPER, compute=f1_score
    ),
    RecognitionScore(
        name="f2_score",
        title="F2 score",
        formula="5·P·R / (4·P + R), P the precision and R the recall",
        source=f"{_PAPER} and Table 7",
        compute=f2_score,
    ),
    RecognitionScore(
        name="false_positive_rate",
        title="false positive rate",
        formula="FP / (TN + FP)",
        source=_PAPER,
        compute=false_positive_rate,
        is_higher_better=False,
    ),
    RecognitionScore(
        name="jaccard_similarity",
        title="Jaccard similarity",
        formula="|P ∩ A| / |P ∪ A|",
        source=_PAPER,
        compute=jaccard_similarity,
    ),
    RecognitionScore(
        name="precision", title="precision", formula="TP / (TP + FP)", source=_PAPER, compute=precision
    ),
    RecognitionScore(name="recall", title="recall", formula="TP / (TP + FN)", source=_PAPER, compute=recall),
    RecognitionScore(
        name="recognition_accuracy",
        title="Accuracy (as QIDLearningLib defines it: recall)",
        formula="|P ∩ A| / |A|",
        source=_PAPER,
        compute=recognition_accuracy,
    ),
    RecognitionScore(
        name="specificity",
        title="specificity",
        formula="TN / (TN + FP)",
        source=_PAPER,
        compute=specificity,
    ),
)
"""All of them, by name."""
