"""What the whole table says of each value of the attribute."""

from dataclasses import dataclass

import numpy as np

from qidguard.measure.expression.vector import Vector, doubles, integers
from qidguard.measure.lattice.records import Floats, Ints, Records


@dataclass(frozen=True, kw_only=True)
class TableValues:
    """The attribute's values in the whole table, by dense code.

    Args:
        code: The table's own code of each value.
        persons: How many persons have it.
        number: The value as a number, NaN where there is none; None where nobody asks for numbers.
    """

    code: Ints
    persons: Ints
    number: Floats | None

    def at(self, value: Ints) -> dict[str, Vector]:
        """Return the columns of cells with these values."""
        total = int(self.persons.sum())
        found = {
            "value": integers(self.code.take(value)),
            "table_n": integers(self.persons.take(value)),
            "table_share": doubles((self.persons / total).take(value)),
            "table_values": integers(np.full(1, len(self.persons))),
        }
        if self.number is not None:
            found["number"] = doubles(self.number.take(value))
        return found


def table_values(records: Records, numbers: Floats | None) -> TableValues:
    """Return the values of the records' attribute; ``numbers`` are by the table's own code."""
    if records.attribute is None:
        raise ValueError("the records were read without an attribute")
    if records.entity is None:
        persons = np.bincount(records.attribute, weights=records.weights, minlength=records.values)
    else:
        pairs = np.unique(records.attribute * records.entities + records.entity)
        persons = np.bincount(pairs // records.entities, minlength=records.values)
    code = records.attribute_codes
    return TableValues(
        code=code,
        persons=persons.astype(np.int64),
        number=None if numbers is None else numbers.take(code),
    )
