"""Ready hierarchies: published systems of codes, names and ages as data with their source."""

from qidguard.anonymizing.hierarchy.ready.binding import listed_hierarchy, ready_hierarchy, unknown_values
from qidguard.anonymizing.hierarchy.ready.catalog import ready_names, ready_system
from qidguard.anonymizing.hierarchy.ready.recognizing import recognize_system
from qidguard.anonymizing.hierarchy.ready.system import OTHER, ReadySystem

__all__ = [
    "OTHER",
    "ReadySystem",
    "listed_hierarchy",
    "ready_hierarchy",
    "ready_names",
    "ready_system",
    "recognize_system",
    "unknown_values",
]
