"""What is tested: an anonymizer with its arguments and what it is expected to reach."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from qidguard.sdk import Anonymizer, Arguments, ColumnValues, Hierarchy, PolicyLimit, bind, policy_limit

HierarchyMaker = Callable[[ColumnValues], Hierarchy]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """An anonymizer under test.

    Args:
        anonymizer: The anonymizer.
        arguments: Its checked arguments.
        given: The arguments as they were given.
        claims: What it is asked to reach on every table, or else to refuse; each table has its own QIDs.
        is_order_free: Whether another order of the records gives the same published records.
        hierarchy: Makes the hierarchy of a column; None gives the anonymizer none.
        seed: The seed of every run.
        is_real: Whether noise is drawn as in a release, and not rehearsed.
    """

    anonymizer: Anonymizer
    arguments: Arguments
    given: Mapping[str, Any] = field(repr=False)
    claims: tuple[PolicyLimit, ...]
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
    is_free = getattr(anonymizer, "is_order_free", False) if is_order_free is None else is_order_free
    return Subject(
        anonymizer=anonymizer,
        arguments=bind(anonymizer.parameters, arguments),
        given=arguments,
        claims=tuple(policy_limit(name, value, ()) for name, value in claims.items()),
        is_order_free=bool(is_free),
        hierarchy=hierarchy,
    )
