"""How many examples of a property a run draws: a part in the run for every save, all of them in CI."""

import os
import random

IS_THOROUGH = os.environ.get("QIDGUARD_EXAMPLES") == "all"
"""Whether every example is drawn; what a property must have met at least once is asked for only then."""


def examples(thorough: int, fewest: int = 5) -> int:
    """Return the number of examples: all in CI, else a twentieth and at least ``fewest``."""
    if IS_THOROUGH:
        return thorough
    return min(thorough, max(fewest, thorough // 20))


def drawn_records(values: tuple[list, ...], *, tables: int, records: int) -> tuple[tuple[tuple, ...], ...]:
    """Return tables of records drawn from the values of each column, the same in every run."""
    draw = random.Random(20)  # noqa: S311 - test records guard no secret
    return tuple(
        tuple(tuple(draw.choice(column) for column in values) for _ in range(records)) for _ in range(tables)
    )
