"""The ratio objective of the paper's section 5.2."""

from qidguard import Objective, Term

RATIO = Objective(
    name="ratio",
    title="(5·distinction + 0.5·separation − 0.4·mean class size + 0.2·Δdistinction + 0.2·Δseparation)"
    " / (5·penalty)",
    terms=(
        Term(metric="distinction", weight=5.0),
        Term(metric="separation", weight=0.5),
        Term(metric="mean_class_size", weight=-0.4),
        Term(metric="delta_distinction", weight=0.2),
        Term(metric="delta_separation", weight=0.2),
    ),
    divisors=(Term(metric="attribute_length_penalty", weight=5.0),),
)
"""f(x) = (β₁D + β₂S − β₃K + β₄ΔD + β₅ΔS) / (α·A(x)) of Simões et al. 2025, section 5.2.

The paper prints no α and β with it, and none fit its table 6. These are its listing's: β = (5, 0.5, 0.4, 0.2,
0.2), α = 5.
"""
