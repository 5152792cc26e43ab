"""The linear objective of the paper's listing 1."""

from qidguard import Objective, Term

LINEAR = Objective(
    name="linear",
    title="5·distinction + 0.5·separation − 0.4·mean class size + 0.2·Δdistinction + 0.2·Δseparation"
    " − penalty",
    terms=(
        Term(metric="distinction", weight=5.0),
        Term(metric="separation", weight=0.5),
        # the listing's k-anonymity is the paper's K(x) = 1/D(x), the mean class size
        Term(metric="mean_class_size", weight=-0.4),
        Term(metric="delta_distinction", weight=0.2),
        Term(metric="delta_separation", weight=0.2),
        Term(metric="attribute_length_penalty", weight=-1.0),
    ),
)
"""F(x) = Σ wᵢ·Mᵢ(x) with the six weights of Simões et al. 2025, listing 1."""
