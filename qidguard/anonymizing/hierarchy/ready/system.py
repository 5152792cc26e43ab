"""A ready hierarchy: a published system of codes or names, and the groups that each member stands in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from qidguard.anonymizing.hierarchy.ready.data import Sheet

Path = tuple[str, ...]
"""The labels of a member on each level between the exact value and the top, from finer to coarser."""

OTHER = "other codes"
"""The label of what is no member of a system, on each level between the exact value and the top."""


@dataclass(frozen=True, kw_only=True)
class ReadySystem:
    """A published system of codes or names that a hierarchy can be made of.

    Args:
        name: What a policy calls it, such as ``icd9``.
        title: What it groups, in words.
        publisher: Who publishes the groups, in few words.
        source: The publication.
        edition: Which edition, or of which date.
        note: What a user should know of it.
        license: On what terms its data are used.
        levels: The names of its levels, from finer to coarser, the exact one and the top left out.
        spelling: How a value may be written.
        paths: Values of one column as text → the path of each, None for what is no member.
        members: A member of each of the finest groups that the data list, as it is written.
        sha256: The digest of the data file, hex.
        listed: Position of the finest level whose groups the data list.
    """

    name: str
    title: str
    publisher: str
    source: str
    edition: str
    note: str
    license: str
    levels: tuple[str, ...]
    spelling: str
    paths: Callable[[Sequence[str]], list[Path | None]] = field(repr=False)
    members: tuple[str, ...] = field(repr=False)
    sha256: str = field(repr=False)
    listed: int = 0


def system_of(
    name: str,
    sheet: Sheet,
    *,
    spelling: str,
    paths: Callable[[Sequence[str]], list[Path | None]],
    members: Sequence[str],
    listed: int = 0,
) -> ReadySystem:
    """Return the system that a data file describes."""
    return ReadySystem(
        name=name,
        title=sheet.title,
        publisher=sheet.publisher,
        source=sheet.source,
        edition=sheet.edition,
        note=sheet.note,
        license=sheet.license,
        levels=sheet.levels,
        spelling=spelling,
        paths=paths,
        members=tuple(members),
        sha256=sheet.sha256,
        listed=listed,
    )
