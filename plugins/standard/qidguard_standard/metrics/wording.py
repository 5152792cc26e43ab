"""Sentences that hold for several metrics, so that ``qidguard explain`` says them alike."""

QID_NULL = (
    "NULL in a QID is a value of its own: records that lack it form classes of their own and none is dropped."
)

SENSITIVE_NULL = f"{QID_NULL} NULL in the sensitive attribute is a value of its own as well."

EMPTY = "Not measurable: the table has no records."

NO_LIMIT = "No source sets a number for it: the limit is your own, to be reasoned and written down."

ENTITY_SHARES = (
    "With an entity column a value's persons are the distinct entities that have it in the class; one entity "
    "with two values counts for both, and shares are taken of the sum over the values."
)

COVERED = (
    "Not measurable where a class is absent from the population table, or larger than there: then the table "
    "is no part of that population and the figure would be fiction."
)
