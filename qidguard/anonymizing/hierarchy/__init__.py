"""Make generalization hierarchies: from files, intervals, dates, prefixes, taxonomies, and automatically."""

from qidguard.anonymizing.hierarchy.automatic import AutomaticKind, automatic_hierarchy
from qidguard.anonymizing.hierarchy.dates import DateUnit, date_hierarchy
from qidguard.anonymizing.hierarchy.file import hierarchy_csv, load_hierarchy
from qidguard.anonymizing.hierarchy.intervals import interval_hierarchy
from qidguard.anonymizing.hierarchy.level_sizes import LevelSizes, level_sizes, own_hierarchy
from qidguard.anonymizing.hierarchy.policy import bind_hierarchies, read_declared
from qidguard.anonymizing.hierarchy.prefix import prefix_hierarchy
from qidguard.anonymizing.hierarchy.rows import read_rows
from qidguard.anonymizing.hierarchy.taxonomy import read_taxonomy, taxonomy_hierarchy

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
