"""The hierarchies that a policy declares, their files, and the digests of those for the record."""

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.hierarchy.assembling import prefix_hierarchy
from qidguard.anonymizing.hierarchy.automatic import automatic_hierarchy
from qidguard.anonymizing.hierarchy.dates import date_hierarchy
from qidguard.anonymizing.hierarchy.file import HierarchyRows, bind_rows, read_rows
from qidguard.anonymizing.hierarchy.intervals import interval_hierarchy
from qidguard.anonymizing.hierarchy.ready import ready_hierarchy
from qidguard.anonymizing.hierarchy.ready.catalog import ready_system
from qidguard.anonymizing.hierarchy.taxonomy import Taxonomy, bind_taxonomy, read_taxonomy
from qidguard.core.column import ColumnValues
from qidguard.core.errors import UserError
from qidguard.core.hierarchy import Hierarchy
from qidguard.core.system import open_plain, why

if TYPE_CHECKING:
    from qidguard.core.versions import ColumnSource
    from qidguard.policy import HierarchySettings, Policy


def hierarchy_digests(policy: "Policy") -> dict[str, str]:
    """Return the digests of the files of a policy's hierarchies as they are now, to be compared alone.

    What is used is named by ``DeclaredHierarchies.digests``: another file may stand there by then. Data of
    ready hierarchies count as files, as another version may have others.
    """
    of_files = {
        place[1]: _digest(policy, place[1], written)
        for place, written in policy.files_beside.items()
        if place[0] == "hierarchies"
    }
    return {**of_files, **ready_digests(policy)}


def ready_digests(policy: "Policy") -> dict[str, str]:
    """Return column → the digest of the data of its ready hierarchy, hex."""
    return {
        column: ready_system(settings.ready).sha256
        for column, settings in policy.hierarchies.items()
        if settings.ready is not None
    }


def _digest(policy: "Policy", column: str, written: str) -> str:
    try:
        with open_plain(Path(policy.resolve(written))) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError, UserError) as error:
        sentence = f"the hierarchy's file cannot be read ({why(error)}); check its path and rights"
        raise policy.error(sentence, "hierarchies", column) from None


DeclaredFile = HierarchyRows | Taxonomy
"""What a file of a policy's hierarchies says."""


def bind_hierarchies(
    policy: "Policy",
    records: "ColumnSource",
    columns: "Collection[str] | None" = None,
    *,
    files: "Mapping[str, DeclaredFile] | None" = None,
) -> dict[str, Hierarchy]:
    """Return the hierarchy of each column for which a policy declares one.

    Every file is read before any column is, so that a missing one costs nothing; those that are given as
    ``files`` are not read again.

    Example:
        >>> from qidguard.policy import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
        >>> bind_hierarchies(load_policy(fields), records=None)
        {}
    """
    files = read_declared(policy) if files is None else files
    bound = {}
    for column, settings in policy.hierarchies.items():
        if columns is not None and column not in columns:
            continue
        try:
            bound[column] = _made(policy, settings, records.column(column), files.get(column))
        except UserError as error:
            raise policy.error(str(error), "hierarchies", column) from None
    return bound


def read_declared(policy: "Policy") -> dict[str, DeclaredFile]:
    """Return what the files of a policy's hierarchies say, without any table.

    Example:
        >>> from qidguard.policy import load_policy
        >>> fields = {"qidguard": 1, "name": "p", "roles": {"quasi_identifiers": ["age"]}}
        >>> fields["thresholds"] = [{"metric": "k_anonymity", "at_least": 5}]
        >>> read_declared(load_policy(fields))
        {}
    """
    declared: dict[str, DeclaredFile] = {}
    for column, settings in policy.hierarchies.items():
        try:
            if settings.file is not None:
                path = Path(policy.resolve(settings.file))
                declared[column] = read_rows(path, delimiter=settings.delimiter, encoding=settings.encoding)
            elif settings.taxonomy is not None:
                declared[column] = read_taxonomy(Path(policy.resolve(settings.taxonomy)))
        except UserError as error:
            raise policy.error(str(error), "hierarchies", column) from None
    return declared


def _made(
    policy: "Policy", settings: "HierarchySettings", values: ColumnValues, read: DeclaredFile | None
) -> Hierarchy:
    if read is not None:
        return bind_rows(read, values) if isinstance(read, HierarchyRows) else bind_taxonomy(read, values)
    if settings.ready is not None:
        return ready_hierarchy(values, settings.ready)
    if settings.auto is not None:
        return automatic_hierarchy(values, settings.auto)
    if settings.dates is not None:
        units: Any = settings.dates  # the policy has checked them
        return date_hierarchy(
            values,
            units,
            written=settings.written,
            latest=settings.latest,
            as_of=policy.evidence.data_as_of,
        )
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
