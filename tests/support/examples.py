"""How many examples of a property a run draws: few for every save, more in CI, all where somebody asks."""

import os
import random
from collections.abc import Iterable

SHARES = {"": 20, "more": 4, "all": 1}
"""Value of QIDGUARD_EXAMPLES → which part of the examples is drawn: one in so many."""

_LEVEL = os.environ.get("QIDGUARD_EXAMPLES", "")
if _LEVEL not in SHARES:
    raise ValueError(f"QIDGUARD_EXAMPLES is {_LEVEL!r}; it is one of {', '.join(map(repr, SHARES))}")

IS_THOROUGH = _LEVEL != ""
"""Whether more than for every save is drawn; what is counted out and not drawn is counted out whole then."""
IS_WHOLE = _LEVEL == "all"
"""Whether everything is drawn, and tables of benchmarks are as large as their figures say."""


def examples(thorough: int, fewest: int = 5) -> int:
    """Return the number of examples: a part of ``thorough``, and at least ``fewest``."""
    return min(thorough, max(fewest, thorough // SHARES[_LEVEL]))


def drawn_records(values: tuple[list, ...], *, tables: int, records: int) -> tuple[tuple[tuple, ...], ...]:
    """Return tables of records drawn from the values of each column, the same in every run."""
    draw = random.Random(20)  # noqa: S311 - test records guard no secret
    return tuple(
        tuple(tuple(draw.choice(column) for column in values) for _ in range(records)) for _ in range(tables)
    )


def holds_a_value(row: Iterable[object]) -> bool:
    """Whether a record holds anything: NULL, NaN and white space alone are no values."""
    return any(value is not None and value == value and str(value).strip() for value in row)  # noqa: PLR0124
