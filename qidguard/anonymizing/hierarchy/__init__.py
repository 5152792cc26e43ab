"""Make generalization hierarchies: from files, intervals, dates, published systems of codes, and others."""

from qidguard.anonymizing.hierarchy.assembling import prefix_hierarchy
from qidguard.anonymizing.hierarchy.automatic import AutomaticKind, automatic_hierarchy
from qidguard.anonymizing.hierarchy.dated_columns import day_numbers
from qidguard.anonymizing.hierarchy.dates import DateUnit, automatic_dates, date_hierarchy
from qidguard.anonymizing.hierarchy.file import hierarchy_csv, load_hierarchy
from qidguard.anonymizing.hierarchy.intervals import interval_hierarchy
from qidguard.anonymizing.hierarchy.level_sizes import LevelSizes, level_sizes, own_hierarchy
from qidguard.anonymizing.hierarchy.policy import bind_hierarchies, read_declared
from qidguard.anonymizing.hierarchy.ready import (
    ReadySystem,
    listed_hierarchy,
    ready_hierarchy,
    ready_names,
    ready_system,
    recognize_system,
    unknown_values,
)
from qidguard.anonymizing.hierarchy.rows import read_rows
from qidguard.anonymizing.hierarchy.taxonomy import read_taxonomy, taxonomy_hierarchy

__all__ = [
    "AutomaticKind",
    "DateUnit",
    "LevelSizes",
    "ReadySystem",
    "automatic_dates",
    "automatic_hierarchy",
    "bind_hierarchies",
    "date_hierarchy",
    "day_numbers",
    "hierarchy_csv",
    "interval_hierarchy",
    "level_sizes",
    "listed_hierarchy",
    "load_hierarchy",
    "own_hierarchy",
    "prefix_hierarchy",
    "read_declared",
    "read_rows",
    "read_taxonomy",
    "ready_hierarchy",
    "ready_names",
    "ready_system",
    "recognize_system",
    "taxonomy_hierarchy",
    "unknown_values",
]
