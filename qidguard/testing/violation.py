"""One thing that an anonymizer does and must not do."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A rule of the protocol that does not hold.

    Args:
        check: The name of the check that found it.
        sample: The name of the table on which it was found.
        sentence: What is wrong and what is expected. The kit's tables are made up, so it may hold values.
    """

    check: str
    sample: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.check}, on the table {self.sample!r}: {self.sentence}"
