"""Ready hierarchies: published systems of codes, names and ages as data with their source."""

from qidguard.anonymizing.hierarchy.assembling import assemble, labeled_level, text_column
from qidguard.anonymizing.hierarchy.ready.catalog import ready_system
from qidguard.anonymizing.hierarchy.ready.data import OTHER, Path
from qidguard.core.column import ColumnValues
from qidguard.core.hierarchy import SUPPRESSED, Hierarchy


def ready_hierarchy(values: ColumnValues, system: str) -> Hierarchy:
    """Return the hierarchy of a column by a published system of codes, such as the diagnoses of ICD-9-CM.

    ``qidguard hierarchy ready`` lists the systems with source, edition and levels. A value stands in the
    groups of its code, whether it is written with or without a point, in capitals or not, or with zeros lost;
    how is said there. A code that stands higher than a level keeps the label of its own level. What is no
    member, such as a typing error or a code of a newer edition, is ``other codes`` on each level below the
    top; ``qidguard hierarchy show`` counts such values. NULL, and a cell that is already ``*``, stays apart
    below the top.

    Args:
        values: The column; numbers count as they are written.
        system: The name of the system.

    Returns:
        The hierarchy: the exact values, the levels of the system, and ``*`` above.

    Units:
        Codes; ages in years.

    Raises:
        DataError: When there is no such system.

    Example:
        >>> import numpy as np
        >>> illness = ColumnValues(
        ...     name="diag",
        ...     value_type="text",
        ...     codes=np.array([1, 2, 3], dtype=np.int32),
        ...     texts=(None, "250.01", "5", "typo"),
        ... )
        >>> found = ready_hierarchy(illness, "icd9")
        >>> found.labels[1], found.labels[3][1]
        ((None, '250', '005', 'other codes'), '240-279 endocrine, nutritional, metabolic, immunity')
    """
    source = ready_system(system)
    texts = [str(text) for text in values.texts[1:]]
    found = source.paths(texts)
    others = (OTHER,) * len(source.levels)
    marks: Path = (SUPPRESSED,) * len(source.levels)
    paths = [marks if text == SUPPRESSED else path or others for text, path in zip(texts, found, strict=True)]
    levels = [labeled_level([path[level] for path in paths]) for level in range(len(source.levels))]
    return assemble(values, levels, origin=system)


def unknown_values(hierarchy: Hierarchy) -> int:
    """Return how many values of a hierarchy of a ready system are no members of it.

    Example:
        >>> unknown_values(listed_hierarchy("icd9"))
        0
    """
    import numpy as np

    labels = hierarchy.labels[1]
    return int(np.count_nonzero(hierarchy.groups[1] == labels.index(OTHER))) if OTHER in labels else 0


def listed_hierarchy(system: str) -> Hierarchy:
    """Return the groups that the data of a ready system list, without any table.

    Example:
        >>> listed_hierarchy("icd9").labels[0][1]
        '001-009 intestinal infectious diseases'
    """
    source = ready_system(system)
    read = zip(source.members, source.paths(source.members), strict=True)
    path_of = {member: path for member, path in read if path is not None}
    paths = {path[source.listed]: path for path in path_of.values()}
    first = source.listed + 1
    if len(paths) == 1:
        # all that is listed is one group, such as the areas of the Safe Harbor
        paths, first = path_of, source.listed
    above = range(first, len(source.levels))
    levels = [labeled_level([path[level] for path in paths.values()]) for level in above]
    return assemble(text_column(system, paths), levels, origin=system)
