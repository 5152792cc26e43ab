"""What is tested: an anonymizer with its arguments and what it is expected to reach."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.protocol import Anonymizer
from qidguard.core.column import ColumnValues
from qidguard.core.errors import UserError
from qidguard.core.metric import Direction
from qidguard.core.parameter import Arguments, bind
from qidguard.core.verdict import Bound, Limit

if TYPE_CHECKING:
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.metric import Metric
    from qidguard.host import Host

HierarchyMaker = Callable[[ColumnValues], "Hierarchy"]


@dataclass(frozen=True, kw_only=True)
class LimitClaim:
    """A limit that the anonymizer is asked to reach on every table, or else to refuse.

    Args:
        metric: The metric.
        limit: At least or at most, by the metric's direction.
        arguments: The metric's checked arguments.
        owner: The plugin that offers it.
    """

    metric: "Metric"
    limit: Limit
    arguments: Arguments
    owner: str


@dataclass(frozen=True, kw_only=True)
class Subject:
    """An anonymizer under test.

    Args:
        anonymizer: The anonymizer.
        arguments: Its checked arguments.
        claims: What it is asked to reach.
        host: The loaded plugins, which offer the metrics.
        is_order_free: Whether another order of the records gives the same published records.
        hierarchy: Makes the hierarchy of a column; None gives the anonymizer none.
        seed: The seed of every run.
        is_real: Whether noise is drawn as in a release, and not rehearsed.
    """

    anonymizer: Anonymizer
    arguments: Arguments
    claims: tuple[LimitClaim, ...]
    host: "Host" = field(repr=False)
    is_order_free: bool = False
    hierarchy: HierarchyMaker | None = None
    seed: int = 20_261_113
    is_real: bool = False

    @property
    def asks(self) -> str:
        """Which limits its tasks ask for, in each combination; of persons where a table has an entity."""
        said = (
            f"{claim.metric.name} {claim.limit.bound.replace('_', ' ')} {claim.limit.value:g}"
            for claim in self.claims
        )
        return f"its tasks ask for {' and '.join(said) or 'no limit'}; claims= names others"

    @property
    def is_rehearsed(self) -> bool:
        """Whether it is asked for a rehearsal, in which the seed decides noise too."""
        return hasattr(self.anonymizer, "privacy_guarantee") and not self.is_real


def make_subject(
    anonymizer: Anonymizer,
    arguments: Mapping[str, Any],
    claims: Mapping[str, float],
    *,
    is_order_free: bool | None = None,
    hierarchy: HierarchyMaker | None = None,
) -> Subject:
    """Return an anonymizer under test, with arguments and claims checked.

    Args:
        anonymizer: The anonymizer.
        arguments: Parameter name → value, as a policy would give them.
        claims: Metric's name → the limit to reach.
        is_order_free: Whether the order of records decides nothing; None takes what the anonymizer says.
        hierarchy: Makes the hierarchy of a column.

    Raises:
        UserError: For an unknown, missing or wrong parameter, an unknown metric, or one without a direction.
    """
    from qidguard.host import load_host

    host = load_host()
    found = []
    for name, value in claims.items():
        metric = host.metric(name)
        if metric.direction is Direction.NEITHER:
            raise UserError(f"{name} has no safe side, so no anonymizer can be asked to reach a limit of it")
        bound = Bound.AT_LEAST if metric.direction is Direction.HIGHER_IS_SAFER else Bound.AT_MOST
        found.append(
            LimitClaim(
                metric=metric,
                limit=Limit(bound=bound, value=value),
                arguments=bind(metric.parameters, {}),
                owner=host.owner("metrics", name),
            )
        )
    is_free = getattr(anonymizer, "is_order_free", False) if is_order_free is None else is_order_free
    return Subject(
        anonymizer=anonymizer,
        arguments=bind(anonymizer.parameters, arguments),
        claims=tuple(found),
        host=host,
        is_order_free=bool(is_free),
        hierarchy=hierarchy,
    )
