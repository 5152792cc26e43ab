"""What earlier releases of a series showed of the persons of a table, and what is known of their stay."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEVER_SHOWN = -1
"""The trajectory of a person whom no earlier release showed."""
UNKNOWN = -1
"""The number of a wave, or of releases, that nobody knows."""


@dataclass(frozen=True, kw_only=True)
class EarlierPersons:
    """The earlier releases of a series, as far as they tell of the persons of a table.

    A trajectory is a joint class over all earlier releases: who shares it stood in the same class of each,
    where absence is a class. A series isolates nobody if every trajectory, with the release to come, is
    shared by at least k persons. A person with several records has the same numbers on each of them.

    Args:
        releases: Number of earlier releases, ≥ 0.
        trajectory: Shape (records,), the trajectory of each record's person, 0..trajectories−1;
            ``NEVER_SHOWN`` where no release showed the person.
        is_in_last: Shape (records,), whether the last release showed the person.
        gone: Shape (records,), the number of releases without the person among the present, this one
            counted: 0 for who is still here, 1 for who left since the last release.
        waited: Shape (records,), the number of earlier releases that a person who was never shown has waited
            for; 0 for all others; ``UNKNOWN`` where nobody kept it.
        exit_wave: Shape (records,), the number of releases until the person is known to leave, this one not
            counted; ``UNKNOWN`` where the exit is not known.
        missing: Shape (persons,), the trajectory of each person who was shown and has no record in the table.
        is_missing_in_last: Shape (persons,), whether the last release showed that person.

    Raises:
        ValueError: When the shapes do not belong together.

    A first release has no earlier persons: every record is ``NEVER_SHOWN``, as ``of_first`` says.

    Example:
        >>> first = EarlierPersons.of_first(3)
        >>> first.releases, first.trajectory.tolist(), len(first.missing)
        (0, [-1, -1, -1], 0)
    """

    releases: int
    trajectory: "NDArray[np.int64]"
    is_in_last: "NDArray[np.bool_]"
    gone: "NDArray[np.int64]"
    waited: "NDArray[np.int64]"
    exit_wave: "NDArray[np.int64]"
    missing: "NDArray[np.int64]"
    is_missing_in_last: "NDArray[np.bool_]"

    def __post_init__(self) -> None:
        records = {len(a) for a in (self.trajectory, self.is_in_last, self.gone, self.waited, self.exit_wave)}
        if len(records) != 1 or len(self.missing) != len(self.is_missing_in_last):
            raise ValueError("the arrays of earlier persons are not of the same records")

    def of_records(self, kept: "NDArray[np.bool_]") -> Self:
        """Return what is known of some of the records, as if the table had no others.

        Args:
            kept: Shape (records,), whether a record is among them.

        Returns:
            The same persons are missing.

        Raises:
            IndexError: When it is not one truth value a record.

        Example:
            >>> import numpy as np
            >>> len(EarlierPersons.of_first(3).of_records(np.array([True, False, True])).gone)
            2
        """
        return replace(
            self,
            trajectory=self.trajectory[kept],
            is_in_last=self.is_in_last[kept],
            gone=self.gone[kept],
            waited=self.waited[kept],
            exit_wave=self.exit_wave[kept],
        )

    @classmethod
    def of_first(cls, records: int) -> Self:
        """Return what is known before a first release of so many records.

        Args:
            records: Number of records, ≥ 0.

        Returns:
            Nobody was shown, nobody left, nobody waited and no exit is known.

        Example:
            >>> EarlierPersons.of_first(2).waited.tolist()
            [0, 0]
        """
        import numpy as np

        zeros = np.zeros(records, dtype=np.int64)
        return cls(
            releases=0,
            trajectory=np.full(records, NEVER_SHOWN),
            is_in_last=np.zeros(records, dtype=np.bool_),
            gone=zeros,
            waited=zeros,
            exit_wave=np.full(records, UNKNOWN),
            missing=np.zeros(0, dtype=np.int64),
            is_missing_in_last=np.zeros(0, dtype=np.bool_),
        )
