"""Labels from a Stata file, by pandas; its records are not read."""

import struct
from collections.abc import Mapping
from pathlib import Path


def stata_labels(file: Path) -> Mapping[str, str]:
    """Return name → label of the variables that have one."""
    from pandas.io.stata import StataReader

    try:
        with StataReader(file) as reader:
            labels = reader.variable_labels()
    except struct.error:
        raise ValueError("it is no Stata file") from None
    return {name: label.strip() for name, label in labels.items() if label.strip()}
