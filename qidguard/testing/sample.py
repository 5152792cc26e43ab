"""A made-up table with its roles, on which a plugin is tested."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qidguard.core.errors import UserError

CSV = "table.csv"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A made-up table with its roles.

    Args:
        name: A short name, for messages.
        table: A pandas DataFrame or an Arrow table, or the text of a CSV.
        combinations: The QID combinations.
        sensitive: The sensitive attributes.
        entity: The column whose distinct values are the persons; None where each record is one.
        direct_identifiers: Columns that are never published.
        target: The column that users of the data predict, or None.
        row: A column of distinct values that nobody changes, by which records are told apart.
    """

    name: str
    table: Any = field(repr=False)
    combinations: tuple[tuple[str, ...], ...]
    sensitive: tuple[str, ...] = ()
    entity: str | None = None
    direct_identifiers: tuple[str, ...] = ()
    target: str | None = None
    row: str = "row"

    def __post_init__(self) -> None:
        if not self.combinations or not all(self.combinations):
            raise UserError(f"the sample {self.name!r} needs a combination of quasi-identifiers")

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Every column of any combination, once, in order."""
        return tuple(dict.fromkeys(name for columns in self.combinations for name in columns))

    def source(self, folder: Path) -> Any:
        """Return what an engine opens: the table, or the path of a CSV that is written into ``folder``.

        Args:
            folder: An existing folder.

        Returns:
            The source.

        Raises:
            OSError: When the CSV cannot be written.

        Example:
            >>> import tempfile
            >>> one = Sample(name="one", table="row,age", combinations=(("age",),))
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     one.source(Path(folder)).name
            'table.csv'
        """
        if not isinstance(self.table, str):
            return self.table
        path = folder / CSV
        path.write_text(self.table, encoding="utf-8")
        return path
