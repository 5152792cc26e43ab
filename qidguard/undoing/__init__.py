"""Which published columns give away what was generalized."""

from qidguard.undoing.candidates import Candidates, candidates
from qidguard.undoing.find import find_undoings
from qidguard.undoing.reading_back import read_back
from qidguard.undoing.undoing import FEWEST_PERSONS, MOST_NOTES, LeftOut, NotMeasured, Undoing, Undoings, Way

__all__ = [
    "FEWEST_PERSONS",
    "MOST_NOTES",
    "Candidates",
    "LeftOut",
    "NotMeasured",
    "Undoing",
    "Undoings",
    "Way",
    "candidates",
    "find_undoings",
    "read_back",
]
