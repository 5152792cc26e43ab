"""Model utility: what models that learned from the published table are worth on the original."""

from qidguard_standard.models.measuring import Design, model_utility
from qidguard_standard.models.model_metrics import MODEL_METRICS
from qidguard_standard.models.model_plot import model_plot
from qidguard_standard.models.model_utility import ModelUtility
from qidguard_standard.models.training import MODELS

__all__ = ["MODELS", "MODEL_METRICS", "Design", "ModelUtility", "model_plot", "model_utility"]
