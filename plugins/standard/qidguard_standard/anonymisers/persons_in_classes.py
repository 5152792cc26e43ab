"""The persons in each class, kept up to date while records are taken out."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_standard.metrics.class_numbers import class_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PersonsInClasses:
    """The classes of one QID combination.

    A round costs time in proportion to the records that it takes out and to those in the classes it touches,
    so that a long chain of small rounds stays affordable.

    Args:
        codes: Shape (records, QIDs), each column's codes whole numbers ≥ 0.
        entity: Shape (records,), the code of each record's entity; None where each record is a person.
    """

    def __init__(self, codes: "NDArray[np.int32]", entity: "NDArray[np.int32] | None") -> None:
        self._number = class_numbers(codes)
        self._pair: NDArray[np.int64] | None = None
        if entity is None:
            self._persons = np.bincount(self._number)
        else:
            # a pair is an entity in a class; it counts as long as it has a record
            self._pair = class_numbers(np.stack([self._number, entity.astype(np.int64)], axis=1))
            self._pair_records = np.bincount(self._pair)
            self._class_of_pair = np.empty(len(self._pair_records), dtype=np.int64)
            self._class_of_pair[self._pair] = self._number
            self._persons = np.bincount(self._class_of_pair)
        self._members: NDArray[np.int64] | None = None

    def below(self, k: int) -> "NDArray[np.int64]":
        """Return the records in classes of fewer than ``k`` persons, before any is taken out.

        Args:
            k: Smallest class allowed, persons.

        Returns:
            Positions of the records, ascending.

        Units:
            None.

        Raises:
            Nothing.

        Example:
            >>> PersonsInClasses(np.array([[7], [8], [7]], dtype=np.int32), None).below(2).tolist()
            [1]
        """
        return np.flatnonzero((self._persons < k)[self._number])

    def take_out(self, records: "NDArray[np.int64]", k: int) -> "NDArray[np.int64]":
        """Take records out and return those of the classes touched that have fewer than ``k`` persons left.

        Args:
            records: Positions of records that have not been taken out before, each once.
            k: Smallest class allowed, persons.

        Returns:
            Positions of all records of those classes, the ones that were taken out included.

        Units:
            None.

        Raises:
            Nothing.

        Example:
            >>> classes = PersonsInClasses(np.array([[7], [8], [7]], dtype=np.int32), None)
            >>> classes.take_out(np.array([0]), 2).tolist()
            [0, 2]
        """
        touched = self._number[records]
        if self._pair is not None:
            pairs = self._pair[records]
            np.subtract.at(self._pair_records, pairs, 1)
            gone = np.unique(pairs[self._pair_records[pairs] == 0])
            touched = self._class_of_pair[gone]
        np.subtract.at(self._persons, touched, 1)
        return self._records_of(np.unique(touched[self._persons[touched] < k]))

    def _records_of(self, classes: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the records of some classes, one class after the other."""
        if self._members is None:
            # the records of class c are members[start[c] : start[c + 1]]
            self._members = np.argsort(self._number, kind="stable")
            self._start = np.concatenate([[0], np.cumsum(np.bincount(self._number))])
        start, sizes = self._start[classes], self._start[classes + 1] - self._start[classes]
        first = np.cumsum(sizes) - sizes
        places: NDArray[np.int64] = np.repeat(start - first, sizes) + np.arange(sizes.sum())
        return self._members[places]
