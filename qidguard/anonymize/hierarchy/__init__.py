"""Make generalisation hierarchies: from files, intervals, dates, prefixes, taxonomies, and automatically."""

from qidguard.anonymize.hierarchy.automatic import AutomaticKind, automatic_hierarchy
from qidguard.anonymize.hierarchy.dates import DateUnit, date_hierarchy
from qidguard.anonymize.hierarchy.file import load_hierarchy
from qidguard.anonymize.hierarchy.intervals import interval_hierarchy
from qidguard.anonymize.hierarchy.level_sizes import LevelSizes, level_sizes
from qidguard.anonymize.hierarchy.own_values import own_hierarchy
from qidguard.anonymize.hierarchy.policy import bind_hierarchies, read_declared
from qidguard.anonymize.hierarchy.prefix import prefix_hierarchy
from qidguard.anonymize.hierarchy.rows import read_rows
from qidguard.anonymize.hierarchy.taxonomy import read_taxonomy, taxonomy_hierarchy
from qidguard.anonymize.hierarchy.writing import hierarchy_csv

__all__ = [
    "AutomaticKind",
    "DateUnit",
    "LevelSizes",
    "automatic_hierarchy",
    "bind_hierarchies",
    "date_hierarchy",
    "hierarchy_csv",
    "interval_hierarchy",
    "level_sizes",
    "load_hierarchy",
    "own_hierarchy",
    "prefix_hierarchy",
    "read_declared",
    "read_rows",
    "read_taxonomy",
    "taxonomy_hierarchy",
]
