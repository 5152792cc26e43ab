"""The hierarchy of a categorical QID: the policy's, or an automatic one that anybody can read."""

from qidguard.sdk import AnonymizationTask, Records
from qidguard_hybrid_dp.clusters.categorical import Categorical


def categorical_of(records: Records, names: tuple[str, ...], task: AnonymizationTask) -> list[Categorical]:
    """Return categorical QIDs with their hierarchies."""
    from qidguard.sdk import readable_hierarchy  # it brings policies, which plugins load without

    columns = [records.column(name) for name in names]
    return [
        Categorical(
            name=column.name,
            codes=column.codes,
            hierarchy=task.hierarchies.get(column.name) or readable_hierarchy(column),
        )
        for column in columns
    ]
