"""The hierarchies that a policy declares, bound to the columns of a table."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.anonymize.hierarchy.automatic import automatic_hierarchy
from qidguard.anonymize.hierarchy.dates import date_hierarchy
from qidguard.anonymize.hierarchy.file import bind_rows
from qidguard.anonymize.hierarchy.intervals import interval_hierarchy
from qidguard.anonymize.hierarchy.prefix import prefix_hierarchy
from qidguard.anonymize.hierarchy.rows import Rows, read_rows
from qidguard.anonymize.hierarchy.taxonomy import Taxonomy, bind_taxonomy, read_taxonomy
from qidguard.core.column_values import ColumnValues
from qidguard.core.errors import DataError
from qidguard.core.hierarchy import Hierarchy

if TYPE_CHECKING:
    from qidguard.core.changes import ColumnSource
    from qidguard.core.policy import HierarchySettings, Policy

DeclaredFile = Rows | Taxonomy
"""What a file of a policy's hierarchies says."""


def bind_hierarchies(
    policy: "Policy", records: "ColumnSource", columns: "Collection[str] | None" = None
) -> dict[str, Hierarchy]:
    """Return the hierarchy of each column for which a policy declares one.

    Every file is read before any column is, so that a missing one costs nothing.

    Args:
        policy: The policy.
        records: The table.
        columns: The columns that are asked for; None for all that the policy declares one for.

    Returns:
        Column → hierarchy, in the policy's order; empty where it declares none.

    Units:
        None.

    Raises:
        PolicyError: At the line of the declaration, when a file cannot be read or does not fit the table.

    Example:
        >>> from qidguard.core.policy import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
        >>> bind_hierarchies(load_policy(fields), records=None)
        {}
    """
    files = read_declared(policy)
    found = {}
    for column, settings in policy.hierarchies.items():
        if columns is not None and column not in columns:
            continue
        try:
            found[column] = _made(settings, records.column(column), files.get(column))
        except DataError as error:
            raise policy.error(str(error), "hierarchies", column) from None
    return found


def read_declared(policy: "Policy") -> dict[str, DeclaredFile]:
    """Return what the files of a policy's hierarchies say, without any table.

    Args:
        policy: The policy.

    Returns:
        Column → its rows or its taxonomy, for each column that names a file.

    Units:
        None.

    Raises:
        PolicyError: At the line of the declaration, when a file is missing or not what it should be.

    Example:
        >>> from qidguard.core.policy import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
        >>> read_declared(load_policy(fields))
        {}
    """
    found: dict[str, DeclaredFile] = {}
    for column, settings in policy.hierarchies.items():
        try:
            if settings.file is not None:
                path = Path(policy.beside(settings.file))
                found[column] = read_rows(path, delimiter=settings.delimiter, encoding=settings.encoding)
            elif settings.taxonomy is not None:
                found[column] = read_taxonomy(Path(policy.beside(settings.taxonomy)))
        except DataError as error:
            raise policy.error(str(error), "hierarchies", column) from None
    return found


def _made(settings: "HierarchySettings", values: ColumnValues, read: DeclaredFile | None) -> Hierarchy:
    if isinstance(read, Rows):
        return bind_rows(read, values)
    if isinstance(read, Taxonomy):
        return bind_taxonomy(read, values)
    if settings.auto is not None:
        return automatic_hierarchy(values, settings.auto)
    if settings.dates is not None:
        units: Any = settings.dates  # the policy has checked them
        return date_hierarchy(values, units, written=settings.written)
    if settings.prefix is not None:
        return prefix_hierarchy(values, settings.prefix)
    return interval_hierarchy(
        values,
        widths=settings.intervals or (),
        origin=settings.origin or 0,
        bottom=settings.bottom,
        top=settings.top,
        cuts=settings.cuts or (),
    )
