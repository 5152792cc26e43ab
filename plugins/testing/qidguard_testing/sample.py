"""A made-up table with its roles, on which a plugin is tested."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qidguard.sdk import UserError

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

    Example:
        >>> drawn_samples().__class__.__module__.split(".")[0]
        'hypothesis'
    """
    from hypothesis import strategies as st

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


HOSTILE = ('a"b', "it's", "SELECT", "ünï cødé", "a;--", " a ")
"""Column names that are words of SQL, hold quotes, or are not plain ASCII."""


def types() -> Sample:
    """Return 32 records of a column of each type: NaN, infinity, −0.0, moments, Booleans, large numbers.

    It is an Arrow table where Arrow is installed, since pandas takes NaN as missing.
    """
    measures = [float("nan"), float("inf"), -0.0, 0.0, None, -float("inf"), 12_345.5, 54_321.25]
    columns: Columns = {
        "flag": [(True, False, None)[i % 3] for i in range(32)],
        "measure": [measures[i % 8] for i in range(32)],
        "born": [date(1960, 1, 1) + timedelta(days=400 * (i % 5)) for i in range(32)],
        "seen": [datetime(2020, 1, 1) + timedelta(hours=7 * (i % 6)) for i in range(32)],  # noqa: DTZ001 - without a zone
        "large": [2**60 + i % 4 for i in range(32)],
        "empty": ["" if i % 2 else "Ünïcode" for i in range(32)],
    }
    return sample("types", columns, *columns, is_arrow=find_spec("pyarrow") is not None)


def names() -> Sample:
    """Return 24 records whose columns have hostile names."""
    columns: Columns = {
        name: [f"value-{j}-{i % (j + 2)}" for i in range(24)] for j, name in enumerate(HOSTILE)
    }
    return sample("hostile names", columns, *HOSTILE)


def persons() -> Sample:
    """Return 40 records of 16 persons, some without one; several records of a person are one person."""
    columns: Columns = {
        "patient": [None if i % 13 == 12 else f"patient-{i * 5 % 16:04d}" for i in range(40)],  # noqa: PLR2004 - one in 13
        "income": [35_000 + 1_000 * (i % 4) for i in range(40)],
        "town": [TOWNS[i % 2] for i in range(40)],
    }
    return sample("several records a person", columns, "income", "town", entity="patient")


def visits() -> Sample:
    """Return 72 records of 12 persons, six alike of each, two persons to an income: many records, few people.

    Who counts records takes a class of twelve for large, and it is two persons.
    """
    columns: Columns = {
        "patient": [f"patient-{i // 6:04d}" for i in range(72)],
        "income": [35_000 + 1_000 * (i // 12) for i in range(72)],
        "town": [TOWNS[i // 24] for i in range(72)],
    }
    return sample("many records of few persons", columns, "income", "town", entity="patient")


def subsets() -> Sample:
    """Return 36 records for an attacker who knows any two of three quasi-identifiers."""
    columns: Columns = {
        "income": [23_000 + 100 * (i * 7 % 12) for i in range(36)],
        "town": [TOWNS[i * i // 5 % 3] for i in range(36)],
        "sex": ["mf"[i // 7 % 2] for i in range(36)],
    }
    pairs = (("income", "town"), ("income", "sex"), ("town", "sex"))
    return sample("any two of three", columns, combinations=pairs)


def alike() -> Sample:
    """Return 20 records that all have one illness: no class can hold two."""
    columns: Columns = {
        "income": [30_000 + i % 3 for i in range(20)],
        "illness": [ILLNESSES[0]] * 20,
    }
    return sample("one sensitive value", columns, "income")


def outlier() -> Sample:
    """Return 30 records of whom one is far from all others."""
    columns: Columns = {
        "income": [*(20_000 + i % 4 for i in range(29)), 9_876_543],
        "town": [*(TOWNS[i % 2] for i in range(29)), TOWNS[4]],
    }
    return sample("an outlier", columns, "income", "town")


def large(records: int = 100_000) -> Sample:
    """Return 100,000 records of five quasi-identifiers of different kinds, made from a fixed seed."""
    import numpy as np
    import pandas as pd

    generator = np.random.default_rng(20_261_113)
    towns = np.array([f"Town-{i:04d}" for i in range(200)], dtype=object)
    rank = np.minimum(generator.zipf(1.6, records) - 1, 199)
    table = pd.DataFrame(
        {
            "row": np.arange(records),
            "name": [f"Person-{i:06d}-surname" for i in range(records)],
            "age": generator.integers(17, 91, records),
            "sex": np.array(["female", "male"], dtype=object)[generator.integers(0, 2, records)],
            "town": towns[rank],
            "income": np.round(generator.lognormal(10.3, 0.6, records), -2),
            "school": np.array([f"school-{i:02d}" for i in range(16)], dtype=object)[
                generator.integers(0, 16, records)
            ],
            "illness": np.array(ILLNESSES, dtype=object)[generator.integers(0, 4, records)],
        }
    )
    return Sample(
        name=f"{records:,} records",
        table=table,
        combinations=(("age", "sex", "town", "income", "school"),),
        sensitive=("illness",),
        direct_identifiers=("name",),
    )
