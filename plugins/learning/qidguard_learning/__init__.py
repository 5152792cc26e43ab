"""Models that learn from a published table, scored against the same models on its original.

A library on ``qidguard.sdk``, for plugins and notebooks: it offers no hook.
"""

from qidguard_learning.comparing import compare_models, model_table, model_utility
from qidguard_learning.material import MOST_TARGET_VALUES
from qidguard_learning.model_plot import model_plot
from qidguard_learning.models import MODELS
from qidguard_learning.splits import LearningDesign
from qidguard_learning.utility import ModelUtility

__all__ = [
    "MODELS",
    "MOST_TARGET_VALUES",
    "LearningDesign",
    "ModelUtility",
    "compare_models",
    "model_plot",
    "model_table",
    "model_utility",
]
