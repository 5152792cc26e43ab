"""What a metric that is no group-by may see of records that are in classes: the classes, and no column."""

from typing import TYPE_CHECKING, NoReturn

import numpy as np

from qidguard.core.errors import NotMeasurable
from qidguard.core.view import Cells, Codes, Grouping
from qidguard.engines.classes import AttributeValues, Chunk, Floats, Ints
from qidguard.measuring.lattice.records import Records

if TYPE_CHECKING:
    from qidguard.core.column import ColumnFacts
    from qidguard.core.order import ValueOrder


class GroupedView:
    """A ``TableView`` of classes; whatever needs a column of the table is not measurable over it."""

    sampling_fraction: float | None = None
    history = None
    changes = None
    is_interrupted = False

    def __init__(self, chunk: Chunk, records: Records, values: AttributeValues | None, sizes: Ints) -> None:
        self._chunk = chunk
        self._sizes = sizes
        self._records = records
        self._values = values

    @property
    def has_entities(self) -> bool:
        """Whether persons are entities."""
        return self._records.entity is not None

    @property
    def columns(self) -> "tuple[ColumnFacts, ...]":
        """Classes have no columns: NotMeasurable."""
        _refuse()

    def class_sizes(self, qids: tuple[str, ...]) -> Ints:
        """Return the size of every class, in persons."""
        if len(qids) != 1:
            _refuse()
        return self._sizes

    def cells(self, grouping: Grouping) -> Cells:
        """Return the cells of the classes."""
        cells, values = self._chunk.cells, self._values
        if grouping.sensitive is None or cells is None or values is None:
            _refuse()
        lengths = np.diff(cells.starts, append=len(cells.n))
        return Cells(
            class_id=np.repeat(np.arange(len(cells.starts)), lengths),
            value=cells.value,
            n=cells.n,
            size=self._chunk.size,
            table_n=values.persons,
            has_missing=bool(len(values.code)) and int(values.code[0]) == 0,
        )

    def codes(self, qids: tuple[str, ...], beside: tuple[str, ...] = ()) -> Codes:  # noqa: ARG002 - as above
        """Classes have no columns: NotMeasurable."""
        _refuse()

    def order(self, name: str) -> "ValueOrder":  # noqa: ARG002 - the view of a table has this signature
        """Classes have no columns: NotMeasurable."""
        _refuse()

    def numbers(self, name: str) -> Floats:  # noqa: ARG002 - the view of a table has this signature
        """Classes have no columns: NotMeasurable."""
        _refuse()


def _refuse() -> NoReturn:
    raise NotMeasurable("it needs the table's columns, and only classes are held; measure the table itself")
