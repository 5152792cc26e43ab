"""A feature selector for scikit-learn: the quasi-identifiers of a table as a step of a pipeline."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from qidguard.sdk import Objective, UserError, discover

if TYPE_CHECKING:
    import pandas as pd


FEWEST_RECORDS = 2
"""One record alone is told from nobody."""


class QidSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn publishes no types
    """Keeps the quasi-identifiers of a table, or everything else.

    ``fit`` makes the search of ``qidguard.discover`` on the records it is given: direct identifiers that
    recognizers know and constant columns are no candidates, and the best set by the objective is taken. It
    sees codes and counts, and cannot know what an outsider knows. Each distinct value is a value of its own,
    NaN and None too, so a measurement is best left out or binned before.

    Args:
        strategy: A search strategy's name; None lets the size of the search decide.
        objective: An objective, its name, or metrics with their weights; None is ``recognition``.
        parameters: The strategy's parameters, by name.
        candidates: Names of the columns to choose from (x0, x1, … for an array); None takes all that may be.
        largest: The largest number of columns to select; None sets no limit.
        seed: The seed of what is drawn at random: the same seed selects the same columns.
        budget_seconds: When the search stops; None is 60 seconds, ``math.inf`` never.
        threads: How many threads may work; None takes all. The selection does not depend on it.
        inverse: Whether the quasi-identifiers are dropped and the rest is kept.

    Attributes:
        support_: For each column whether it is kept, a Boolean array.
        quasi_identifiers_: The names of the quasi-identifiers found, in the table's order.
        fitness_: The set's fitness, NaN where there was nothing to search.
        left_out_: Column → why it was no candidate.
        is_optimum_: Whether no other set has a higher fitness, proven.
        n_features_in_: How many columns ``fit`` saw.
        feature_names_in_: Their names, where ``fit`` was given a table with names.

    Example:
        >>> import pandas as pd
        >>> table = pd.DataFrame(
        ...     {"age": [30, 30, 41, 52], "ward": ["a", "b", "a", "b"], "site": [1, 1, 1, 1]}
        ... )
        >>> selector = QidSelector(objective={"distinction": 1}).set_output(transform="pandas")
        >>> list(selector.fit_transform(table))
        ['age', 'ward']
        >>> list(selector.set_params(inverse=True).fit_transform(table))
        ['site']
    """

    def __init__(  # noqa: PLR0913 - each is one decision about the search, as scikit-learn wants them
        self,
        *,
        strategy: str | None = None,
        objective: str | Objective | Mapping[str, float] | None = None,
        parameters: Mapping[str, object] | None = None,
        candidates: list[str] | None = None,
        largest: int | None = None,
        seed: int = 0,
        budget_seconds: float | None = None,
        threads: int | None = None,
        inverse: bool = False,
    ) -> None:
        self.strategy = strategy
        self.objective = objective
        self.parameters = parameters
        self.candidates = candidates
        self.largest = largest
        self.seed = seed
        self.budget_seconds = budget_seconds
        self.threads = threads
        self.inverse = inverse

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Find the quasi-identifiers of a table; ValueError for what is no table of at least 2 records.

        ``X`` is a pandas or polars table, or an array of shape (records, columns), and is never changed. NaN
        and None are values of their own. ``y`` is ignored, as by any feature selector without a target.
        """
        _ = y
        names = _columns_of(X)
        if names is None:
            X = validate_data(  # noqa: N806 - as above
                self, X, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=FEWEST_RECORDS
            )
        else:
            validate_data(self, X, skip_check_array=True)
        frame = _as_frame(X, names)
        columns = [str(name) for name in frame.columns]
        wanted = columns if self.candidates is None else list(self.candidates)
        unknown = [name for name in wanted if name not in columns]
        if unknown:
            raise ValueError(f"candidates are columns of the table, and {unknown[0]!r} is none; leave it out")
        found: frozenset[str] = frozenset()
        self.fitness_, self.is_optimum_ = np.nan, True
        self.left_out_ = {}
        if any(_varying(frame[name]) for name in wanted):
            try:
                discovery = discover(
                    frame,
                    strategy=self.strategy,
                    objective=self.objective,
                    parameters=self.parameters,
                    candidates=self.candidates,
                    largest=self.largest,
                    seed=self.seed,
                    budget_seconds=self.budget_seconds,
                    threads=self.threads,
                )
            except UserError as error:
                raise ValueError(str(error)) from error
            found = frozenset(discovery.quasi_identifiers)
            self.fitness_ = float(discovery.search.best.own_fitness)
            self.is_optimum_ = bool(discovery.search.is_optimum)
            self.left_out_ = dict(discovery.left_out)
        else:
            self.left_out_ = dict.fromkeys(columns, "no candidate has more than one value")
        is_found = np.array([name in found for name in columns], dtype=np.bool_)
        self.quasi_identifiers_ = np.array([name for name in columns if name in found], dtype=object)
        self.support_ = ~is_found if self.inverse else is_found
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        support: NDArray[np.bool_] = self.support_
        return support

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _columns_of(features: Any) -> Sequence[object] | None:
    """Return a table's column names; None for an array, a list or a sparse matrix."""
    columns = getattr(features, "columns", None)
    return None if columns is None or callable(columns) else list(columns)


def _as_frame(features: Any, names: Sequence[object] | None) -> "pd.DataFrame":
    """Return features as a pandas table that can be searched; the caller's is never changed.

    Columns of an array are called x0, x1, … as scikit-learn calls them; so are those of a table whose names
    are not texts, or not all different.
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


def _varying(column: "pd.Series[Any]") -> bool:
    """Return whether a column has two values at least, a missing one counting as a value."""
    return len(column.unique()) > 1
