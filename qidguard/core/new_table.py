"""What is known of a new table: one whose records are none of the source's, and what its figures mean."""

from dataclasses import dataclass
from enum import StrEnum


class NewTableKind(StrEnum):
    """What the records of a new table are.

    Synthetic records are drawn and look like persons, and none of them is one. In a table of counts each
    record is a cell, a combination of values, with the number of persons in it.
    """

    SYNTHETIC_RECORDS = "synthetic_records"
    COUNTS = "counts"


_WHAT = {
    NewTableKind.SYNTHETIC_RECORDS: "Its records are synthetic, and none of them is a person's",
    NewTableKind.COUNTS: "It is a table of counts, and none of its records is a person's",
}
_SIZE = {
    NewTableKind.SYNTHETIC_RECORDS: "counts synthetic records",
    NewTableKind.COUNTS: "counts cells of the table",
}


@dataclass(frozen=True, kw_only=True)
class NewTableFacts:
    """What may be said in public of a new table.

    Args:
        kind: What its records are.
        counts: The column that holds the counts; None for synthetic records.
        is_guaranteed: Whether a guarantee of differential privacy covers it.
    """

    kind: NewTableKind
    counts: str | None = None
    is_guaranteed: bool = False

    @property
    def title(self) -> str:
        """What it is, in two or three words."""
        return "synthetic records" if self.kind is NewTableKind.SYNTHETIC_RECORDS else "table of counts"

    @property
    def sentence(self) -> str:
        """What thresholds on it mean, and what protects."""
        protects = (
            "what protects is the guarantee of differential privacy"
            if self.is_guaranteed
            else "no guarantee of differential privacy protects it either"
        )
        return (
            f"{_WHAT[self.kind]}: a threshold on class sizes {_SIZE[self.kind]} as published, not persons,"
            f" and protects nobody; {protects}."
        )
