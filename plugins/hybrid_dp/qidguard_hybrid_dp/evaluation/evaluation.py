"""Methods beside one another on one table: what they keep, lose and cost (Table III, Fig. 11 to 18)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Plot, Progress, ResultTable, UserError, read_coverage
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.loss import PartitionLoss, partition_loss
from qidguard_hybrid_dp.evaluation.minorities import ReadableCategory, readable_minorities
from qidguard_hybrid_dp.evaluation.originality import Originality, originality
from qidguard_hybrid_dp.evaluation.statistics_kept import NumberStatistics, number_statistics
from qidguard_hybrid_dp.evaluation.trial import CaseTrial, until_stopped
from qidguard_hybrid_dp.patterns.categories import CATEGORIES, CategoryLimits, ranks_of
from qidguard_hybrid_dp.qids import numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_CLASSES = (5, 10, 20, 50, 100)
"""The k at which methods are compared where nobody says."""
TRYING = "trying methods"
"""What progress calls it."""
_ALL = "all"


@dataclass(frozen=True, kw_only=True)
class MeasuredTrial:
    """A trial with its figures; it holds names and figures, no value of the table.

    Args:
        trial: What was tried.
        originality: Cells that are as they were.
        losses: The loss of each part, and of all records first.
        statistics: What became of each numeric quasi-identifier.
        minorities: What can still be read of each pattern-friendly quasi-identifier.
    """

    trial: CaseTrial
    originality: Originality = field(repr=False)
    losses: tuple[PartitionLoss, ...] = field(repr=False)
    statistics: tuple[NumberStatistics, ...] = field(repr=False)
    minorities: tuple[ReadableCategory, ...] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class TableEvaluation:
    """What methods come to on one table.

    Args:
        records: Records of the table.
        qids: The quasi-identifiers.
        friendly: The pattern-friendly ones.
        measured: What could be done, in the order of k.
        failed: What could not, with the reason.
        asked: Trials that were asked for; more than were tried where it was stopped early.
        printed: Whether the paper's figures stand beside.
    """

    records: int
    qids: tuple[str, ...]
    friendly: tuple[str, ...]
    measured: tuple[MeasuredTrial, ...] = field(repr=False)
    failed: tuple[CaseTrial, ...]
    asked: int
    printed: bool = False

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before the end."""
        return len(self.measured) + len(self.failed) < self.asked

    @property
    def headline(self) -> str:
        """What was tried, and what could not be done."""
        from qidguard_hybrid_dp.evaluation.evaluation_text import headline

        return "\n".join(headline(self))

    def tables(self) -> tuple[ResultTable, ...]:
        """Return originality, losses, statistics, minorities and time; the paper's figures where asked."""
        from qidguard_hybrid_dp.evaluation.evaluation_text import tables_of

        return tables_of(self)

    def plots(self) -> dict[str, Plot]:
        """Return the plots of these by name."""
        from qidguard_hybrid_dp.evaluation.evaluation_plots import plots_of

        return plots_of(self)


def evaluate_in(
    case: PrivacyCase,
    plan: Sequence[Callable[[], CaseTrial]],
    *,
    printed: bool = False,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> TableEvaluation:
    """Return what the methods of a plan come to; one that cannot be done is told with its reason.

    Args:
        case: The table.
        plan: What is tried, each when its turn comes.
        printed: Whether the paper's figures of Adult stand beside.
        progress: Hears of finished trials.
        is_stopped: Asked before each trial whether to stop; Ctrl-C does the same once something is done.

    Raises:
        UserError: When ``printed`` is asked for and this is not the paper's table.
    """
    if printed:
        _check_adult(case)
    tried = until_stopped(TRYING, plan, progress, is_stopped)
    parts = next((one.violating for one in tried if one.violating is not None and one.friendly), None)
    friendly = next((one.friendly for one in tried if one.friendly), ())
    measured = tuple(measure(one, case, parts, friendly) for one in tried if one.done is not None)
    return TableEvaluation(
        records=case.records.records,
        qids=case.qids,
        friendly=friendly,
        measured=measured,
        failed=tuple(one for one in tried if one.done is None),
        asked=len(plan),
        printed=printed,
    )


def measure(
    trial: CaseTrial, case: PrivacyCase, parts: "NDArray[np.bool_] | None", friendly: Sequence[str]
) -> MeasuredTrial:
    """Return the figures of a trial, held against the same parts of the table as every other.

    Args:
        trial: One that could be done.
        case: The table on which it was tried.
        parts: Shape (records,), the violating part; None where the table has no parts.
        friendly: The columns whose minorities are counted.
    """
    changes = trial.changes
    losses = [partition_loss(changes, case.qids, _ALL)]
    if parts is not None:
        losses.append(partition_loss(changes, case.qids, "violating", parts))
        losses.append(partition_loss(changes, case.qids, "other", ~parts))
    minorities: list[ReadableCategory] = []
    for name in friendly:
        minorities += readable_minorities(changes, name, categories_of(case, name))
    return MeasuredTrial(
        trial=trial,
        originality=originality(changes, case.qids),
        losses=tuple(losses),
        statistics=tuple(statistics_of(trial, case, name) for name in case.numeric),
        minorities=tuple(minorities),
    )


def categories_of(case: PrivacyCase, name: str) -> list[str]:
    """Return the category of each of a column's values; empty for a code that no record has."""
    column = case.records.column(name)
    counts = np.bincount(column.codes, minlength=len(column.texts))
    ranks = ranks_of(counts, CategoryLimits())
    return [
        CATEGORIES[rank].value if count else ""
        for rank, count in zip(ranks.tolist(), counts.tolist(), strict=True)
    ]


def statistics_of(trial: CaseTrial, case: PrivacyCase, name: str) -> NumberStatistics:
    """Return what a trial made of a numeric quasi-identifier; an interval counts by its middle."""
    changes = trial.changes
    before, after = changes.before.column(name), changes.after.column(name)
    centers = read_coverage(before, after, suppression_mark=changes.suppression_mark).centers
    low, high = map(float, case.bounds[name])
    return number_statistics(name, numbers_of(before)[changes.kept], centers[after.codes], (low, high))


_WHITE, _USA = 0.854, 0.896
_NEAR = 0.02


def _check_adult(case: PrivacyCase) -> None:
    for name, share in (("race", _WHITE), ("native-country", _USA)):
        if name in case.categorical:
            column = case.records.column(name)
            largest = np.bincount(column.codes).max() / case.records.records
            if abs(largest - share) <= _NEAR:
                continue
        raise UserError(
            f"the paper's figures are of Adult, whose {name!r} has one value in {share:.1%} of the records;"
            " leave them out, or name race and native-country as quasi-identifiers of that table"
        )
