"""A made-up table with its roles, on which a plugin is tested."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import UserError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


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


ILLNESSES = ("influenza", "migraine", "bronchitis", "allergies")
TOWNS = ("Ahlstadt", "Bergdorf", "Coburgia", "Dunkirken", "Elmshorno")

Columns = dict[str, list[Any]]


def frame(columns: Columns) -> Any:
    """Return a pandas DataFrame with the columns that every table has, beside those given.

    Args:
        columns: Column → values, all of one length.

    Returns:
        ``row`` (distinct), ``name`` (a direct identifier), the columns, and ``illness`` (sensitive) where
        there is none of this name.

    Raises:
        ValueError: When columns are of different lengths.

    Example:
        >>> list(frame({"age": [30, 40]}))
        ['row', 'name', 'age', 'illness']
    """
    import pandas as pd

    records = len(next(iter(columns.values())))
    rest: Columns = {"illness": [ILLNESSES[i % len(ILLNESSES)] for i in range(records)]} | columns
    order = [*columns, *(name for name in rest if name not in columns)]
    named = {"row": list(range(records)), "name": [f"Person-{i:06d}-surname" for i in range(records)]}
    return pd.DataFrame(named | {name: rest[name] for name in order})


def sample(name: str, columns: Columns, *qids: str, is_arrow: bool = False, **more: Any) -> Sample:
    """Return a sample whose direct identifier and sensitive attribute are the usual ones.

    Args:
        name: Its name.
        columns: Column → values.
        qids: The one combination; ``combinations`` takes its place.
        is_arrow: Whether it is an Arrow table and no DataFrame.
        more: Fields of ``Sample``.
    """
    roles: dict[str, Any] = {
        "combinations": (qids,),
        "sensitive": ("illness",),
        "direct_identifiers": ("name",),
    }
    table = frame(columns)
    if is_arrow:
        import pyarrow as pa

        table = pa.table({column: columns.get(column, list(table[column])) for column in table})
    return Sample(name=name, table=table, **(roles | more))


MOST_RECORDS = 24


def drawn_samples() -> "SearchStrategy[Sample]":
    """Return a hypothesis strategy for small tables of mixed types, with ties, NULL and entities.

    Returns:
        A strategy; each table has 1..24 records, a number, a text, a date and a Boolean as quasi-identifiers,
        one or all pairs of them as combinations, and sometimes an entity column.

    Raises:
        UserError: When hypothesis is not installed.

    Example:
        >>> drawn_samples().__class__.__module__.split(".")[0]
        'hypothesis'
    """
    try:
        from hypothesis import strategies as st
    except ImportError as missing:
        raise UserError("tables are drawn by hypothesis, which is not installed; install it") from missing
    return st.integers(1, MOST_RECORDS).flatmap(lambda records: _of(st, records))


def _of(st: Any, records: int) -> "SearchStrategy[Sample]":
    def column(values: Any) -> Any:
        return st.lists(values, min_size=records, max_size=records)

    floats = st.floats(allow_nan=False, width=32)
    integers = st.integers(-3, 3) | st.integers(-(2**40), 2**40)
    texts = st.sampled_from(["", "north-west", "south-east", "*", "[1, 2]", "{a, b}", "it's"]) | st.text(
        max_size=3
    )
    drawn: SearchStrategy[Sample] = st.builds(
        _sample,
        number=column(st.none() | integers) | column(floats),
        text=column(st.none() | texts.filter(_is_storable)),
        born=column(st.none() | st.dates()),
        flag=column(st.booleans()),
        illness=column(st.sampled_from(ILLNESSES)),
        patient=st.none() | column(st.none() | st.integers(0, 5).map("patient-{:04d}".format)),
        is_of_pairs=st.booleans(),
    )
    return drawn


def _is_storable(text: str) -> bool:
    """Whether a database holds a text."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _sample(*, patient: list[str | None] | None, is_of_pairs: bool, **columns: list[Any]) -> Sample:
    qids = ("number", "text", "born", "flag")
    pairs = tuple((one, other) for i, one in enumerate(qids) for other in qids[i + 1 :])
    table: Columns = columns if patient is None else columns | {"patient": patient}
    if all(value is None for value in columns["number"]):
        table = table | {"number": [0] * len(columns["number"])}
    return sample(
        "drawn",
        table,
        combinations=pairs if is_of_pairs else (qids,),
        entity=None if patient is None else "patient",
    )
