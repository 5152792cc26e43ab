"""A small table and a question that the examples of this room share."""

from typing import TYPE_CHECKING

from qidguard.core.metric import Direction, Explanation, GroupBy, Metric, Unit
from qidguard.core.statistic import CLASSES
from qidguard.measuring.question import Question

if TYPE_CHECKING:
    from qidguard.engines.base import Table
    from qidguard.measuring.memory_records import MemoryRecords

CLASSES_QUESTION = Question(
    metric=Metric(
        name="classes",
        title="number of classes",
        unit=Unit.CLASSES,
        minimum=0,
        maximum=float("inf"),
        direction=Direction.LOWER_IS_SAFER,
        method=GroupBy(statistics=(CLASSES,), compute=lambda values, _: values["classes"] or 0),
        explanation=Explanation(
            meaning="How many combinations of values occur.",
            formula="the number of equivalence classes",
            source="an example",
            good_value="none",
            missing="NULL is a value of its own",
            empty="0",
            single_class="1",
        ),
    ),
    arguments={},
    owner="an example",
)
"""How many equivalence classes there are."""


def opened_example() -> "Table":
    """Return four records of two columns, opened: ages 30, 30, 40, 40 in the towns A, B, B, B."""
    import pandas as pd

    from qidguard.engines.base import EngineSettings, Needs, ReadOptions
    from qidguard.engines.duckdb import ENGINE

    frame = pd.DataFrame({"age": [30, 30, 40, 40], "town": ["A", "B", "B", "B"]})
    return ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings(threads=1))


def held_example() -> "MemoryRecords":
    """Return these records in memory."""
    from contextlib import closing

    from qidguard.measuring.memory_records import memory_records

    with closing(opened_example()) as table:
        return memory_records(table, ("age", "town"))
