"""Reading the table: its quasi-identifiers with their hierarchies, and what cannot be worked with."""

from collections.abc import Collection

from qidguard.sdk import AnonymizationTask, Hierarchy, NotMeasurable, Records, ValueOrder, readable_hierarchy
from qidguard_standard.anonymizers.full_domain.diversity import Closeness
from qidguard_standard.anonymizers.full_domain.domain import Domain, domains_of
from qidguard_standard.anonymizers.full_domain.requirement import Requirements


def read_domains(
    records: Records, task: AnonymizationTask, as_they_are: Collection[str] = ()
) -> tuple[Domain, ...]:
    """Return the QIDs with their hierarchies, automatic ones where the policy names none.

    What is to stay as it is has one level: l and t of a QID that is sensitive, too, are of what is published.
    """
    if task.entity in task.quasi_identifiers:
        raise NotMeasurable(
            f"{task.entity!r} is the entity and cannot be generalized; take it out of the QIDs"
        )
    columns = [records.column(name) for name in task.quasi_identifiers]
    hierarchies: list[Hierarchy] = []
    for column in columns:
        hierarchy = task.hierarchies.get(column.name)
        if hierarchy is None:
            hierarchy = readable_hierarchy(column)
        if hierarchy.groups.shape[1] != len(column.texts):
            raise NotMeasurable(
                f"the hierarchy of {column.name!r} is bound to other values than the column's; bind it anew"
            )
        hierarchies.append(hierarchy)
    domains = domains_of(columns, hierarchies, task.suppression_mark)
    return tuple(one.exact() if one.column.name in as_they_are else one for one in domains)


def check_marks(domains: tuple[Domain, ...]) -> None:
    """Check that what a level publishes as the mark stays so: else marks would help finer levels only."""
    for domain in domains:
        for level in range(domain.levels - 1):
            if (domain.is_starred(level) & ~domain.is_starred(level + 1)).any():
                raise NotMeasurable(
                    f"level {level} of {domain.column.name!r} publishes values as the suppression mark that"
                    f" level {level + 1} shows; suppress records, or let the coarser levels keep the mark"
                )


def check_order(
    requirements: Requirements, has_missing: dict[str, bool], orders: dict[str, ValueOrder]
) -> None:
    """Check that an attribute whose order is used has one, and no missing values."""
    for criteria in requirements.criteria.values():
        for criterion in criteria:
            if not (isinstance(criterion, Closeness) and criterion.is_ordered):
                continue
            if orders[criterion.sensitive].by is None:
                raise NotMeasurable(orders[criterion.sensitive].why_not)
            if has_missing[criterion.sensitive]:
                raise NotMeasurable(
                    f"column {criterion.sensitive!r} has missing values, which have no place in an order;"
                    " take t-closeness with equal distance"
                )
