"""Dates and moments that a column writes as text or as whole numbers."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

READ = 0.95
"""The share of the values that must be a date."""


def days_of(texts: "tuple[str | None, ...]") -> "NDArray[np.float64] | None":
    """Return the value of each text in days since 1970, NaN for none; None where the texts are no dates.

    At least 95 % of two or more values must be dates. Where two orders of day and month are possible, or two
    centuries, it is the first: an order among values needs no more.

    Example:
        >>> days_of((None, "31.12.1970", "1.2.1971"))
        array([ nan, 364., 396.])
    """
    import numpy as np

    from qidguard.core.dates import read_dates

    values = [str(text) for text in texts[1:]]
    if len(values) < 2:  # noqa: PLR2004 - one value has no order
        return None
    reading = read_dates(values)
    if reading.is_years or reading.read < READ * len(values):
        return None
    return np.concatenate([[np.nan], reading.days])
