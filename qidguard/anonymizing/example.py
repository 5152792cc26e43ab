"""A rehearsal on four records, for the examples in this package's documentation."""

from typing import TYPE_CHECKING

from qidguard.anonymizing.in_memory import rehearse_on
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, ChosenAnonymizer, Records
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.core.column import ColumnValues, Recoded, ValueType
from qidguard.core.metric import Direction, Explanation, GroupBy, Metric, Unit
from qidguard.core.parameter import Arguments, Parameter
from qidguard.core.statistic import CLASSES
from qidguard.measuring.question import Question

if TYPE_CHECKING:
    from qidguard.anonymizing.coverage.coverage import Coverage
    from qidguard.engines.base import Table
    from qidguard.measuring.memory_records import MemoryRecords


class Decades:
    """Publishes the first digit of each value of the QIDs."""

    name = "decades"
    title = "ages by decade"
    parameters: tuple[Parameter, ...] = ()

    def anonymize(self, records: Records, arguments: Arguments, task: AnonymizationTask) -> Anonymized:  # noqa: ARG002 - what an anonymizer is given
        """Return the first digit of each QID."""
        import numpy as np

        columns = {}
        for name in task.quasi_identifiers:
            column = records.column(name)
            labels = tuple(None if text is None else f"{text[0]}0s" for text in column.texts)
            columns[name] = Recoded(codes=column.codes, values=labels)
        return Anonymized(kept=np.ones(records.records, dtype=np.bool_), columns=columns)


def rehearsed_example() -> RehearsedTable:
    """Return what becomes of them with ages by decade: 30s, 30s, 40s, 40s; the towns stay A, B, B, B."""
    task = AnonymizationTask(combinations=(("age",),), entity=None, sensitive=(), seed=0)
    method = ChosenAnonymizer(anonymizer=Decades(), arguments={}, owner="an example")
    return rehearse_on(held_example(), method, task)


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
    from qidguard.engines.duckdb.engine import ENGINE

    frame = pd.DataFrame({"age": [30, 30, 40, 40], "town": ["A", "B", "B", "B"]})
    return ENGINE.open(frame, ReadOptions(), Needs(), EngineSettings(threads=1))


def held_example() -> "MemoryRecords":
    """Return these records in memory."""
    from contextlib import closing

    from qidguard.measuring.memory_records import memory_records

    with closing(opened_example()) as table:
        return memory_records(table, ("age", "town"))


def ages() -> "Coverage":
    """Return the coverage of ages 17, 18, 19 and 30, published as ``[17, 19]`` and 18."""
    import numpy as np

    from qidguard.anonymizing.coverage.reading import read_coverage

    before = ColumnValues(
        name="age",
        value_type=ValueType.INTEGER,
        codes=np.array([1, 2, 3, 4], dtype=np.int32),
        texts=(None, "17", "18", "19", "30"),
        numbers=np.array([np.nan, 17, 18, 19, 30]),
    )
    after = ColumnValues(
        name="age",
        value_type=ValueType.TEXT,
        codes=np.array([1, 2, 1, 1], dtype=np.int32),
        texts=(None, "[17, 19]", "18"),
    )
    return read_coverage(before, after)
