"""Which published columns give away what was generalized."""

from qidguard.undoing.find import find_undoings
from qidguard.undoing.reading_back import read_back
from qidguard.undoing.undoing import FEWEST_PERSONS, NotMeasured, Undoing, Undoings, Way

__all__ = [
    "FEWEST_PERSONS",
    "NotMeasured",
    "Undoing",
    "Undoings",
    "Way",
    "find_undoings",
    "read_back",
]
