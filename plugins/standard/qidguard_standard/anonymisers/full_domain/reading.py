"""Reading the table: its quasi-identifiers with their hierarchies, and what cannot be worked with."""

from qidguard import Hierarchy, NotMeasurable, Records, Task
from qidguard_standard.anonymisers.full_domain.closeness import Closeness
from qidguard_standard.anonymisers.full_domain.domain import Domain, domains_of
from qidguard_standard.anonymisers.full_domain.requirement import Requirements
from qidguard_standard.anonymisers.readable_hierarchy import readable_hierarchy


def read_domains(records: Records, task: Task) -> tuple[Domain, ...]:
    """Return the QIDs with their hierarchies, automatic ones where the policy names none.

    Args:
        records: The table.
        task: Its QIDs, their hierarchies and the suppression mark.

    Returns:
        The columns in the order of ``Task.quasi_identifiers``.

    Units:
        None.

    Raises:
        NotMeasurable: When a hierarchy does not fit its column, or the entity is a QID.

    Example:
        >>> read_domains.__name__
        'read_domains'
    """
    if task.entity in task.quasi_identifiers:
        raise NotMeasurable(
            f"{task.entity!r} is the entity and cannot be generalised; take it out of the QIDs"
        )
    columns = [records.column(name) for name in task.quasi_identifiers]
    hierarchies: list[Hierarchy] = []
    for column in columns:
        found = task.hierarchies.get(column.name)
        if found is None:
            found = readable_hierarchy(column)
        if found.groups.shape[1] != len(column.texts):
            raise NotMeasurable(
                f"the hierarchy of {column.name!r} is bound to other values than the column's; bind it anew"
            )
        hierarchies.append(found)
    return domains_of(columns, hierarchies, task.suppression_mark)


def check_marks(domains: tuple[Domain, ...]) -> None:
    """Check that what a level publishes as the mark stays so: else marks would help finer levels only.

    Args:
        domains: The QIDs.

    Units:
        None.

    Raises:
        NotMeasurable: When a coarser level shows what a finer one publishes as the mark.

    Example:
        >>> check_marks(())
    """
    for domain in domains:
        for level in range(domain.levels - 1):
            if (domain.is_starred(level) & ~domain.is_starred(level + 1)).any():
                raise NotMeasurable(
                    f"level {level} of {domain.column.name!r} publishes values as the suppression mark that"
                    f" level {level + 1} shows; suppress records, or let the coarser levels keep the mark"
                )


def check_order(requirements: Requirements, has_missing: dict[str, bool]) -> None:
    """Check that an attribute whose order is used has no missing values.

    Args:
        requirements: What has to hold.
        has_missing: Sensitive attribute → whether NULL occurs in it.

    Units:
        None.

    Raises:
        NotMeasurable: When NULL, which has no place in an order, occurs.

    Example:
        >>> check_order(Requirements(criteria={}, exact=(), claims=()), {})
    """
    for criteria in requirements.criteria.values():
        for one in criteria:
            if isinstance(one, Closeness) and one.is_ordered and has_missing[one.sensitive]:
                raise NotMeasurable(
                    f"column {one.sensitive!r} has missing values, which have no place in an order; take"
                    " t-closeness with equal distance"
                )
