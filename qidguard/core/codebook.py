"""A codebook: what the columns of a table are called in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Codebook:
    """The labels of columns, as whoever made the table wrote them down.

    Args:
        labels: Column → its label; a name in other case is found too.
        coded: The columns of which it says what single values stand for.
        sha256: The digest of the file that it was read from, hex; nothing where it was no file.
    """

    labels: Mapping[str, str] = field(repr=False)
    coded: frozenset[str] = frozenset()
    sha256: str = ""

    def label(self, column: str) -> str:
        """Return a column's label; nothing where the codebook does not know the column.

        Example:
            >>> Codebook(labels={"V012": "Age of respondent"}).label("v012")
            'Age of respondent'
        """
        if column in self.labels:
            return self.labels[column]
        folded = column.casefold()
        return next((label for name, label in self.labels.items() if name.casefold() == folded), "")

    def is_coded(self, column: str) -> bool:
        """Return whether the codebook says what single values of a column stand for.

        Example:
            >>> Codebook(labels={}, coded=frozenset({"SEX"})).is_coded("sex")
            True
        """
        return column.casefold() in {name.casefold() for name in self.coded}
