"""Systems of age bands."""

import re
from collections.abc import Sequence

from qidguard.anonymizing.hierarchy.ready.data import read_sheet
from qidguard.anonymizing.hierarchy.ready.system import Path, ReadySystem, system_of

_AGE = re.compile(r"\s*([0-9]{1,3})(?:\.[0-9]*)?\s*")
_OLDEST = 130
"""Years of age from which on a number is no age."""


def age_system(name: str) -> ReadySystem:
    """Return a system of age bands by its data file."""
    sheet = read_sheet(name)
    label_at: list[list[str]] = []
    for level in sheet.levels:
        labels = [""] * _OLDEST
        for band, label in sheet.groups(level):
            low, _, high = band.partition("-")
            first, last = int(low), int(high) if high else _OLDEST - 1
            labels[first : last + 1] = [label] * (last + 1 - first)
        label_at.append(labels)

    def path(text: str) -> Path | None:
        written = _AGE.fullmatch(text)
        years = int(written[1]) if written else _OLDEST
        return tuple(labels[years] for labels in label_at) if years < _OLDEST else None

    def paths(texts: Sequence[str]) -> list[Path | None]:
        return [path(text) for text in texts]

    return system_of(
        name,
        sheet,
        spelling="a number of years from 0 to below 130; parts of a year are cut off",
        paths=paths,
        members=[str(age) for age in range(_OLDEST)],
    )
