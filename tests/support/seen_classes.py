"""What metrics see of tables that are written as codes, or of which only the class sizes are known."""

from collections import Counter

import numpy as np

from qidguard.sdk import Codes


class Coded:
    """A table of rows of codes."""

    def __init__(self, rows, entities=None, *, mark=-1, sampling_fraction=None, is_interrupted=False):
        keyed = [(*row, 0 if entities is None else entities[i]) for i, row in enumerate(rows)]
        distinct = sorted(counts := Counter(keyed))
        self.sampling_fraction, self.has_entities = sampling_fraction, entities is not None
        self.is_interrupted = is_interrupted
        width = len(rows[0]) if rows else 1
        self.qids = tuple(f"q{column}" for column in range(width))
        self.table = Codes(
            codes=np.array([row[:-1] for row in distinct], dtype=np.int32).reshape(len(distinct), width),
            records=np.array([counts[row] for row in distinct], dtype=np.int64),
            entity=None if entities is None else np.array([row[-1] for row in distinct]),
            suppressed=(mark,) * width,
        )

    def codes(self, qids):
        """Return the codes it was made with."""
        assert len(qids) == len(self.qids)
        return self.table


class Sized:
    """A table of which only the class sizes are known, and perhaps whose its rows are."""

    is_interrupted = False

    def __init__(self, sizes, fraction=0.1, entity=None):
        self.sizes, self.sampling_fraction, self.entity = sizes, fraction, entity
        self.has_entities = entity is not None

    def class_sizes(self, qids):
        """Return the sizes it was made with."""
        assert qids
        return np.array(self.sizes, dtype=np.int64)

    def codes(self, qids):
        """Return the entities it was made with; the codes are not looked at."""
        rows = len(self.entity or [])
        return Codes(
            codes=np.zeros((rows, len(qids)), dtype=np.int32),
            records=np.ones(rows, dtype=np.int64),
            entity=np.array(self.entity),
            suppressed=(-1,) * len(qids),
        )
