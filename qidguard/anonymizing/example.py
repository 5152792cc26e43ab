"""A rehearsal on four records, for the examples in this package's documentation."""

from qidguard.anonymizing.in_memory import rehearse_on
from qidguard.anonymizing.protocol import AnonymizationTask, Anonymized, Records
from qidguard.anonymizing.rehearsed_table import RehearsedTable
from qidguard.core.column import Recoded
from qidguard.core.parameter import Arguments, Parameter
from qidguard.measuring.example import held_example


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
    return rehearse_on(held_example(), Decades(), {}, task, owner="an example")
