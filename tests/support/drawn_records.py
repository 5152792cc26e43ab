"""Records whose samples say what they were drawn by."""

from copy import copy

from qidguard.sdk import MemoryRecords
from qidguard_qir.example import small


class Drawn(MemoryRecords):
    """The same records in every sample, with the size and the seed that were asked for."""

    drawn_by = ()

    @classmethod
    def of(cls, **columns):
        """Return records of columns of texts."""
        made = small(**columns)
        return cls.of_columns(map(made.column, made.names))

    def sample(self, size, seed):
        """Return the same records, with size and seed."""
        drawn = copy(self)
        drawn.drawn_by = (size, seed)
        return drawn
