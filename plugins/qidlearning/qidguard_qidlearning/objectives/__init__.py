"""The objectives that the paper names, and the one that recognises quasi-identifiers by default."""

from qidguard import Objective
from qidguard_qidlearning.objectives.linear import LINEAR
from qidguard_qidlearning.objectives.medical import MEDICAL
from qidguard_qidlearning.objectives.ratio import RATIO
from qidguard_qidlearning.objectives.recognition import RECOGNITION

OBJECTIVES: tuple[Objective, ...] = (LINEAR, MEDICAL, RATIO, RECOGNITION)
"""All of them, by name."""
