"""The objective of the paper's medical example, section 5.1."""

from qidguard import Objective, Term

MEDICAL = Objective(
    name="medical",
    title="0.25·mean class size + 0.25·separation + 0.25·distinction − 0.15·accuracy + 0.1·covariate shift",
    terms=(
        # the paper wants a low k, yet adds it: the sign is the printed formula's
        Term(metric="mean_class_size", weight=0.25),
        Term(metric="separation", weight=0.25),
        Term(metric="distinction", weight=0.25),
        Term(metric="accuracy", weight=-0.15),
        Term(metric="covariate_shift", weight=0.10),
    ),
)
"""F = w₁k + w₂S + w₃D + w₄(1 − Acc) + w₅CS of Simões et al. 2025, section 5.1, without the constant w₄.

It needs a target and a treatment.
"""
