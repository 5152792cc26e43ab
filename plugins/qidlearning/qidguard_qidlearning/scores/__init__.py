"""The recognition scores of Table 2 of the paper: a found set of quasi-identifiers against the true one."""

from qidguard import RecognitionScore
from qidguard_qidlearning.scores.dice_similarity import DICE_SIMILARITY, dice_similarity
from qidguard_qidlearning.scores.f1_score import F1_SCORE, f1_score
from qidguard_qidlearning.scores.f2_score import F2_SCORE, f2_score
from qidguard_qidlearning.scores.f_beta_score import f_beta_score
from qidguard_qidlearning.scores.false_positive_rate import FALSE_POSITIVE_RATE, false_positive_rate
from qidguard_qidlearning.scores.jaccard_similarity import JACCARD_SIMILARITY, jaccard_similarity
from qidguard_qidlearning.scores.precision import PRECISION, precision
from qidguard_qidlearning.scores.recall import RECALL, recall
from qidguard_qidlearning.scores.recognition_accuracy import RECOGNITION_ACCURACY, recognition_accuracy
from qidguard_qidlearning.scores.specificity import SPECIFICITY, specificity

RECOGNITION_SCORES: tuple[RecognitionScore, ...] = (
    DICE_SIMILARITY,
    F1_SCORE,
    F2_SCORE,
    FALSE_POSITIVE_RATE,
    JACCARD_SIMILARITY,
    PRECISION,
    RECALL,
    RECOGNITION_ACCURACY,
    SPECIFICITY,
)
"""All of them, by name."""

__all__ = [
    "RECOGNITION_SCORES",
    "dice_similarity",
    "f1_score",
    "f2_score",
    "f_beta_score",
    "false_positive_rate",
    "jaccard_similarity",
    "precision",
    "recall",
    "recognition_accuracy",
    "specificity",
]
