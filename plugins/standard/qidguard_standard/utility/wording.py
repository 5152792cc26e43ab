"""Sentences that the explanations of several metrics share."""

NO_NUMBER = "It is a measure of utility, so neither way is safer; a policy may limit it from either side."

MISSING = (
    "NULL is one of a column's values where it occurs. A NULL that was kept is no change; one that stands in "
    "place of a value is a suppressed cell."
)

NUMBERS_MISSING = (
    "NULL and suppressed cells have no number and are left out, in the original and in the published table."
)

EMPTY = "Not measurable: the original table has no records."

CELLS = (
    "What a published cell covers is read from its text (qidguard.sdk.read_coverage); where a text cannot be "
    "read, the figure is not measurable."
)

MIDDLE = (
    "A generalized cell enters with the middle of its interval, or of the lowest and highest number covered."
)

EVENLY = "A generalized cell counts evenly for each value that it covers."

ALIGNED = "It needs to be known which record became which."
