"""Dates and moments that a column writes as text or as whole numbers."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FORMS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"),
    *("%m-%d-%Y", "%d %b %Y", "%d-%b-%Y", "%d%b%Y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y", "%Y-%m", "%m/%Y"),
    *("%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%y%m%d"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%S", "T%H:%M", " %I:%M %p", " %H:%M:%S.%f", "T%H:%M:%S.%f")
_LIKE_A_DATE = re.compile(r"\d{6}|\d{8}|(?=.*\d{2})[\w ,]+([-/. ])[\w ,]+(\1\w+)?.*", re.DOTALL)

TRIED = 200
"""Values of which a form is found."""

READ = 0.95
"""The share of the values that must be a date in it."""


def days_of(texts: "tuple[str | None, ...]") -> "NDArray[np.float64] | None":
    """Return the value of each text in days since 1970, NaN for none; None where the texts are no dates.

    The first form counts in which 95 % of the values are dates; day and month are told apart by the values.

    Example:
        >>> days_of((None, "31.12.1970", "1.2.1971"))
        array([ nan, 364., 396.])
    """
    values = texts[1:]
    some = [str(text) for text in values[:: max(1, len(values) // TRIED)]]
    if len(some) < 2 or sum(_LIKE_A_DATE.fullmatch(text) is not None for text in some) < READ * len(some):  # noqa: PLR2004 - one value has no order
        return None
    import numpy as np
    import pandas as pd

    tried = pd.Series(some)
    for form in (day + time for time in _TIMES for day in _FORMS):
        read = pd.to_datetime(tried, format=form, errors="coerce")
        if read.notna().mean() >= READ:
            every = pd.to_datetime(pd.Series([str(text) for text in values]), format=form, errors="coerce")
            if every.notna().mean() < READ:
                continue
            moments = every.to_numpy().astype("datetime64[us]")
            numbers = moments.astype(np.int64) / 86_400_000_000
            return np.concatenate([[np.nan], np.where(np.isnat(moments), np.nan, numbers)])
    return None
