"""Which subsets the walk must answer, as a tree of their prefixes in the walk's order of columns."""

from collections.abc import Sequence


class Wanted:
    """The wanted sets, each a bit mask with the walk's first column in bit 0.

    The columns before ``head`` are walked; those behind are the tail, whose subsets are answered at once.

    Args:
        masks: The sets, none twice, none empty.
        head: Number of columns that are walked.
    """

    def __init__(self, masks: Sequence[int], head: int) -> None:
        inside = (1 << head) - 1
        self._below: dict[int, int] = {}
        self._tails: dict[int, list[tuple[int, int]]] = {}
        self._children: dict[int, list[int]] = {}
        seen = {0}
        for row, mask in enumerate(masks):
            prefix = mask & inside
            self._tails.setdefault(prefix, []).append((mask >> head, row))
            while prefix not in seen:
                seen.add(prefix)
                last = prefix.bit_length() - 1
                prefix ^= 1 << last
                self._children.setdefault(prefix, []).append(last)
        for children in self._children.values():
            children.sort()

    def tails(self, prefix: int) -> list[tuple[int, int]]:
        """Return the wanted sets with this prefix: the mask of the tail's columns and the answer's row."""
        return self._tails.get(prefix, [])

    def children(self, prefix: int) -> list[int]:
        """Return the columns, ascending, by which the prefix goes on."""
        return self._children.get(prefix, [])

    def below(self, prefix: int) -> int:
        """Return how many wanted sets begin with the prefix."""
        if prefix not in self._below:
            self._below[prefix] = len(self.tails(prefix)) + sum(
                self.below(prefix | 1 << column) for column in self.children(prefix)
            )
        return self._below[prefix]
