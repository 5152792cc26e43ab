"""How many persons a missed threshold concerns, for exceptions, which let no more of them pass."""

import math
from typing import TYPE_CHECKING

from qidguard.core.report import AuditReport
from qidguard.core.verdict import Bound, ThresholdResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from qidguard.engines.base import Snapshot


def persons_concerned(
    snapshot: "Snapshot", report: AuditReport, entity: str | None
) -> tuple[int | None, ...]:
    """Return for each threshold of a report the persons in the classes that miss it; None where none blocks.

    A threshold that asks for so many persons of a class concerns those in smaller classes. Of any other
    one, and of one that counts persons over several releases, nobody can tell whom it spares: it concerns
    every person of the table.
    """
    verdict = report.verdict
    if verdict is None:
        return ()
    everybody = report.records if report.entities is None else report.entities
    counted: dict[tuple[tuple[str, ...], int], int] = {}

    def count(result: ThresholdResult) -> int | None:
        if not result.is_blocking:
            return None
        figure, limit = result.measurement, result.limit
        is_of_classes = figure.unit == report.person and limit.bound is Bound.AT_LEAST and figure.qids
        if not is_of_classes:
            return everybody
        asked = figure.qids, math.ceil(limit.value)
        if asked not in counted:
            counted[asked] = _persons_below(snapshot, *asked, entity)
        return counted[asked] or everybody

    return tuple(map(count, verdict.thresholds))


def _persons_below(snapshot: "Snapshot", qids: "Sequence[str]", size: int, entity: str | None) -> int:
    import numpy as np

    # a mark of suppression may differ from what the audit saw as one value, which only makes classes smaller
    classes = _numbered(snapshot.codes(qids))
    if entity is None:
        sizes = np.bincount(classes)
        return int(sizes[sizes < size].sum())
    persons = snapshot.codes([entity])[:, 0].astype(np.int64)
    pairs = np.unique(classes * (int(persons.max()) + 1) + persons)
    of_class = pairs // (int(persons.max()) + 1)
    is_below = np.bincount(of_class)[of_class] < size
    return len(np.unique(pairs[is_below] % (int(persons.max()) + 1)))


def _numbered(codes: "NDArray[np.int32]") -> "NDArray[np.int64]":
    """Return the class of each record, numbered from 0; columns are joined one by one: no code is long."""
    import numpy as np

    classes = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        both = classes * (int(column.max()) + 1) + column
        classes = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return classes
