"""The objectives that the paper names, and the one that recognizes quasi-identifiers by default."""

from qidguard.sdk import Objective, Term

_GAINS = (
    Term(metric="distinction", weight=5.0),
    Term(metric="separation", weight=0.5),
    # the listing's k-anonymity is the paper's K(x) = 1/D(x), the mean class size
    Term(metric="mean_class_size", weight=-0.4),
    Term(metric="delta_distinction", weight=0.2),
    Term(metric="delta_separation", weight=0.2),
)

LINEAR = Objective(
    name="linear",
    title="5·distinction + 0.5·separation − 0.4·mean class size + 0.2·Δdistinction + 0.2·Δseparation"
    " − penalty",
    terms=(*_GAINS, Term(metric="attribute_length_penalty", weight=-1.0)),
)
"""F(x) = Σ wᵢ·Mᵢ(x) with the six weights of Simões et al. 2025, listing 1."""


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


RATIO = Objective(
    name="ratio",
    title="(5·distinction + 0.5·separation − 0.4·mean class size + 0.2·Δdistinction + 0.2·Δseparation)"
    " / (5·penalty)",
    terms=_GAINS,
    divisors=(Term(metric="attribute_length_penalty", weight=5.0),),
)
"""f(x) = (β₁D + β₂S − β₃K + β₄ΔD + β₅ΔS) / (α·A(x)) of Simões et al. 2025, section 5.2.

The paper prints no α and β with it, and none fit its table 6. These are its listing's: β = (5, 0.5, 0.4, 0.2,
0.2), α = 5.
"""


RECOGNITION = Objective(
    name="recognition",
    title="What each column tells of its own, at a price of 0.3 bits a column",
    terms=(
        Term(metric="own_information"),
        Term(metric="column_count", weight=-0.3),
    ),
)
"""F(x) = own information − 0.3·|x|, in bits.

A quasi-identifier is a column by which outsiders can tell people apart. What counts can say of that: it tells
something (a flag that is set for 5 % of the people tells 0.29 bits: the price of a column is about that), it
tells something that no other column tells (a function of another one does not), and it is no measurement that
nobody outside holds (where many are alone by it). What outsiders really know, no count can say.

Distinction and separation are no terms: with four strong columns nearly everybody is unique, and from then on
neither sees a further column, while a single measurement raises both more than any quasi-identifier does.
"""


OBJECTIVES: tuple[Objective, ...] = (LINEAR, MEDICAL, RATIO, RECOGNITION)
"""All of them, by name."""
