"""What the plugin provides."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qidguard.sdk import hookimpl

if TYPE_CHECKING:
    from qidguard.sdk import LeakCheck, Leaks, LeakTask


class Undoing:
    """The check of columns that are known, or tell, what a generalization was to hide."""

    name = "undoing"
    title = "columns that are known, or tell, what a generalization was to hide"

    def find(self, task: "LeakTask") -> "Leaks":
        """Return which published columns undo the generalization of quasi-identifiers."""
        from qidguard_checks.undoing.search import leaks_in

        return leaks_in(task)


@hookimpl
def qidguard_leaks() -> "Iterable[LeakCheck]":
    """Return the check of what a generalization was to hide."""
    return (Undoing(),)
