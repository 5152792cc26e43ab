"""What is to be measured: a metric with its arguments over a set of QIDs."""

from dataclasses import dataclass
from itertools import combinations
from math import comb

from qidguard.core.grouping import Grouping
from qidguard.core.metric import GroupBy, Metric
from qidguard.core.parameter import Arguments
from qidguard.core.statistic import Statistic
from qidguard.core.verdict import Bound


@dataclass(frozen=True, kw_only=True)
class Question:
    """One figure that is asked for.

    Args:
        metric: The metric.
        arguments: Its checked arguments.
        qids: The columns that may be known.
        sensitive: The sensitive attribute, for a metric that is measured per attribute.
        bound: Which side of its limit is allowed; decides which subset is the worst.
        knows_any: The attacker knows any this many of the QIDs; None means all of them.
        owner: The plugin that offers the metric, for errors.
    """

    metric: Metric
    arguments: Arguments
    qids: tuple[str, ...]
    sensitive: str | None
    bound: Bound
    owner: str
    knows_any: int | None = None

    @property
    def subsets(self) -> int:
        """Number of QID subsets to measure."""
        return 1 if self.knows_any is None else comb(len(self.qids), self.knows_any)

    def groupings(self) -> list[Grouping]:
        """Return one grouping for every subset that an attacker may know."""
        chosen = [self.qids] if self.knows_any is None else combinations(self.qids, self.knows_any)
        return [Grouping(qids=tuple(qids), sensitive=self.sensitive) for qids in chosen]

    def statistics(self) -> tuple[Statistic, ...]:
        """Return the statistics the metric needs; none for a function of the table."""
        return self.metric.method.needs(self.arguments) if isinstance(self.metric.method, GroupBy) else ()

    def worse(self, left: float, right: float) -> float:
        """Return the value that is further on the wrong side."""
        return min(left, right) if self.bound is Bound.AT_LEAST else max(left, right)
