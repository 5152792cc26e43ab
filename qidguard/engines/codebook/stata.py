"""Labels from a Stata file, by pandas; of its records only the first is read."""

import struct
from io import BytesIO
from typing import TYPE_CHECKING

from qidguard.core.codebook import Codebook

if TYPE_CHECKING:
    from pandas.io.stata import StataReader


def stata_labels(content: bytes) -> Codebook:
    """Return the labels of the variables that have one, and which have labels of values."""
    from pandas.io.stata import StataReader

    try:
        with StataReader(BytesIO(content)) as reader:
            labels = reader.variable_labels()
            coded = _coded(reader)
    except struct.error:
        raise ValueError("it is no Stata file") from None
    return Codebook(
        labels={name: label.strip() for name, label in labels.items() if label.strip()}, coded=coded
    )


def _coded(reader: "StataReader") -> frozenset[str]:
    """Return the variables whose values have labels: pandas reads them as categories."""
    if not reader.value_labels():
        return frozenset()
    try:
        first = reader.read(nrows=1, convert_categoricals=True)
    except ValueError:  # two values have one label; then nothing is known
        return frozenset()
    return frozenset(str(name) for name in first.columns if first[name].dtype == "category")
