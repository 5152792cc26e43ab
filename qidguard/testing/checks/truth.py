"""A generalised cell stands for the value that the record really has."""

from collections.abc import Iterator

import numpy as np

from qidguard.anonymize.coverage.reading import read_coverage
from qidguard.testing.trial import Trial


def truth(trial: Trial) -> Iterator[str]:
    """Yield the columns in which an interval, a set or a label does not cover the record's own value.

    A cell that stands for one value, such as a centroid or a perturbed one, need not be the record's.
    """
    if not trial.is_published or trial.receipt is None:
        return
    for name in sorted(trial.receipt.cells_changed):
        before, after = trial.before.column(name), trial.published.column(name)
        coverage = read_coverage(
            before,
            after,
            hierarchy=trial.task.hierarchies.get(name),
            suppression_mark=trial.task.suppression_mark,
        )
        if coverage.unreadable:
            yield (
                f"{coverage.unreadable:,} values published in {name!r} cannot be read; write intervals with"
                " interval_text, sets with set_text and suppressed cells as the task's suppression_mark"
            )
        wide = (coverage.counts > 1) & ~coverage.is_suppressed
        original = before.codes[trial.done.kept]
        wrong = np.count_nonzero(wide[after.codes] & ~coverage.covers(after.codes, original))
        if wrong:
            yield f"{wrong:,} generalised cells of {name!r} do not cover the record's own value"
