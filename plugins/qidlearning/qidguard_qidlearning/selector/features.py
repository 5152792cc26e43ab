"""Features: what scikit-learn passes on, as a table with names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FEWEST_RECORDS = 2
"""One record alone is told from nobody."""


def columns_of(features: Any) -> Sequence[object] | None:
    """Return a table's column names; None for an array, a list or a sparse matrix."""
    columns = getattr(features, "columns", None)
    return None if columns is None or callable(columns) else list(columns)


def as_frame(features: Any, names: Sequence[object] | None) -> "pd.DataFrame":
    """Return features as a pandas table that can be searched; the caller's is never changed.

    Columns of an array are called x0, x1, … as scikit-learn calls them; so are those of a table whose names
    are not texts, or not all different.

    Args:
        features: A table or an array of two dimensions.
        names: The table's names, or None.

    Returns:
        A table with as many columns.

    Units:
        None.

    Raises:
        ValueError: When it has fewer than 2 records, or no column.

    Example:
        >>> import numpy as np
        >>> list(as_frame(np.zeros((2, 2)), None).columns)
        ['x0', 'x1']
    """
    import pandas as pd

    if hasattr(features, "to_pandas"):
        features = features.to_pandas()
    frame = pd.DataFrame(features, copy=False)
    if len(frame) < FEWEST_RECORDS or not len(frame.columns):
        raise ValueError(
            f"a table with n_samples = {len(frame)} and {len(frame.columns)} columns has no quasi-identifier"
            f" to find; it needs {FEWEST_RECORDS} records and a column"
        )
    has_names = names is not None and all(isinstance(n, str) and n for n in names)
    if not has_names or len(set(names or ())) != len(frame.columns):
        frame = frame.set_axis([f"x{i}" for i in range(len(frame.columns))], axis=1)
    return frame


def varying(column: "pd.Series[Any]") -> bool:
    """Return whether a column has two values at least, a missing one counting as a value."""
    return len(column.unique()) > 1
