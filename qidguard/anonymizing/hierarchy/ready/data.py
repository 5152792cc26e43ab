"""The data of ready hierarchies: who says so, the levels, the groups, and how a value is read."""

import csv
import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

Path = tuple[str, ...]
"""The labels of a member on each level between the exact value and the top, from finer to coarser."""

OTHER = "other codes"
"""The label of what is no member of a system, on each level between the exact value and the top."""

_SAID = ("title", "publisher", "source", "edition", "note", "license")


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What a data file says.

    Args:
        title: What it groups, in words.
        publisher: Who publishes the groups, in few words.
        source: The publication.
        edition: Which edition, or of which date.
        note: What a user should know of it.
        license: On what terms its data are used.
        levels: The names of its levels, from finer to coarser, the exact one and the top left out.
        rows: Its rows as they stand there, without the header.
        sha256: The digest of the file, hex.
    """

    title: str
    publisher: str
    source: str
    edition: str
    note: str
    license: str
    levels: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    sha256: str = field(repr=False)

    def groups(self, level: str) -> Iterator[tuple[str, str]]:
        """Yield the code, prefix or range of each group of a level, and its label."""
        return ((code, label) for named, code, label in self.rows if named == level)


def read_sheet(name: str) -> Sheet:
    """Return the data file of a ready hierarchy.

    Example:
        >>> read_sheet("icd9").levels
        ('category', 'block', 'chapter')
    """
    content = files(__package__).joinpath(f"{name}.csv").read_bytes()
    lines = content.decode("utf-8").splitlines()
    notes = [line.removeprefix("# ").partition(": ") for line in lines if line.startswith("#")]
    said: dict[str, Any] = {key: value for key, _, value in notes}
    body = csv.reader(lines[len(notes) + 1 :], delimiter=";")
    return Sheet(
        **{key: said[key] for key in _SAID},
        levels=tuple(said["levels"].split(", ")),
        rows=tuple(map(tuple, body)),
        sha256=hashlib.sha256(content).hexdigest(),
    )


@dataclass(frozen=True, kw_only=True)
class ReadySystem(Sheet):
    """A published system of codes or names that a hierarchy can be made of, with the sheet that says so.

    Args:
        name: What a policy calls it, such as ``icd9``.
        spelling: How a value may be written.
        paths: Values of one column as text → the path of each, None for what is no member.
        members: A member of each of the finest groups that the data list, as it is written.
        listed: Position of the finest level whose groups the data list.
    """

    name: str
    spelling: str
    paths: Callable[[Sequence[str]], list[Path | None]] = field(repr=False)
    members: tuple[str, ...] = field(repr=False)
    listed: int = 0


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """Ranges of codes that do not overlap, each with a label.

    Args:
        lows: The first code of each range, ascending.
        highs: The last code of each range; what begins with it belongs to the range, too.
        labels: The label of each range.
    """

    lows: tuple[str, ...]
    highs: tuple[str, ...]
    labels: tuple[str, ...]

    def label(self, code: str) -> str | None:
        """Return the label of the range that holds a code; None where none does."""
        at = bisect_right(self.lows, code) - 1
        if at < 0 or code[: len(self.highs[at])] > self.highs[at]:
            return None
        return self.labels[at]


def code_ranges(groups: Sequence[tuple[str, str]]) -> Ranges:
    """Return ranges, each written as one code or as the first and the last with a hyphen.

    Example:
        >>> code_ranges([("E10-E14", "diabetes"), ("I10", "high blood pressure")]).label("E11.9")
        'diabetes'
    """
    ordered = sorted((*_ends(code), label) for code, label in groups)
    return Ranges(
        lows=tuple(low for low, _, _ in ordered),
        highs=tuple(high for _, high, _ in ordered),
        labels=tuple(label for _, _, label in ordered),
    )


def _ends(code: str) -> tuple[str, str]:
    low, _, high = code.partition("-")
    return low, high or low
