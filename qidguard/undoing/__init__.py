"""Which published columns undo the generalization of quasi-identifiers."""

from qidguard.undoing.candidates import Candidates, candidates
from qidguard.undoing.find import find_undoings
from qidguard.undoing.reading_back import read_back
from qidguard.undoing.undoing import FEWEST_PERSONS, MOST_NOTES, NotMeasured, Undoing, Undoings

__all__ = [
    "FEWEST_PERSONS",
    "MOST_NOTES",
    "Candidates",
    "NotMeasured",
    "Undoing",
    "Undoings",
    "candidates",
    "find_undoings",
    "read_back",
]
