"""The chain of entries, walked row by row: what was changed, added or taken away."""

from collections.abc import Iterator

from qidguard.ledger.row import NO_HASH, Row, is_sealed


class Chain:
    """How far the chain holds; each row is held against the one before.

    Args:
        sequence: The last entry that is known to be as it was written; 0 begins at the beginning.
        digest: Its hash.
    """

    def __init__(self, sequence: int = 0, digest: str = NO_HASH) -> None:
        self.sequence, self.hash = sequence, digest

    def faults(self, row: Row) -> Iterator[str]:
        """Yield what is wrong with the next row, and go on behind it."""
        if type(row.sequence) is not int:
            yield "an entry has no number for its sequence"
            return
        yield from self._place(row)
        if not is_sealed(row):
            yield f"entry {row.sequence!a} was changed: its hash is not that of its content"
        self.sequence, self.hash = max(self.sequence, row.sequence), row.hash

    def _place(self, row: Row) -> Iterator[str]:
        expected = self.sequence + 1
        if row.sequence < 1:
            yield f"entry {row.sequence} stands before the first"
        elif row.sequence < expected:
            yield f"entry {row.sequence} stands there more than once"
        elif row.sequence > expected:
            last = row.sequence - 1
            yield (
                f"entry {expected} is missing"
                if last == expected
                else f"entries {expected} to {last} are missing"
            )
        elif row.previous_hash != self.hash:
            before = f"entry {self.sequence}" if self.sequence else "the beginning"
            yield f"entry {row.sequence} does not follow {before}: its previous hash is another"
