"""What is published of a column on a level, and what the receipt says of the search."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard import Arguments, Original, Recoded
from qidguard_standard.anonymisers.full_domain.domain import STARRED, Domain
from qidguard_standard.anonymisers.full_domain.lattice import Lattice
from qidguard_standard.anonymisers.full_domain.requirement import Requirements
from qidguard_standard.anonymisers.full_domain.search import Found

if TYPE_CHECKING:
    from numpy.typing import NDArray


def published(domain: Domain, level: int, kept: "NDArray[np.bool_] | None") -> Recoded:
    """Return what is published in place of a column.

    Args:
        domain: The column.
        level: Its level.
        kept: For each record whether its cell is published on the level, else with the mark; None for all.

    Returns:
        The labels of the level's groups; on the exact level the original values.

    Units:
        None.

    Raises:
        IndexError: When there is no such level.

    Example:
        >>> published.__name__
        'published'
    """
    codes = domain.column.codes
    if level:
        found, values = domain.groups[level].take(codes), domain.labels[level]
        if kept is not None:
            found = np.where(kept, found, STARRED)
        return Recoded(codes=found, values=values)
    mark = domain.labels[0][STARRED]
    exact = np.where(kept, codes + 1, 0) if kept is not None else codes + 1
    return Recoded(codes=exact, values=(mark, *(Original(code) for code in range(len(domain.column.texts)))))


def notes_on(
    lattice: Lattice, found: Found, arguments: Arguments, requirements: Requirements, marked: int
) -> tuple[str, ...]:
    """Return the receipt's sentences.

    Args:
        lattice: The lattice.
        found: What the search found.
        arguments: The anonymiser's arguments.
        requirements: What holds.
        marked: Records that are published with the mark in each QID.

    Returns:
        The levels, how far the optimum is proven, and what was left to the audit.

    Units:
        Records.

    Raises:
        KeyError: When an argument is not there.

    Example:
        >>> notes_on.__name__
        'notes_on'
    """
    levels = ", ".join(
        f"{domain.column.name} {level} of {domain.levels - 1}"
        for domain, level in zip(lattice.domains, found.levels or (), strict=True)
    )
    if arguments["search"] == "greedy":
        proof = (
            f"greedy: {found.checked:,} of {lattice.nodes:,} combinations of levels were checked; a smaller"
            f" {arguments['loss']} may exist"
        )
    else:
        proof = (
            f"optimal: {found.checked:,} of {lattice.nodes:,} combinations of levels were checked; every"
            f" other one is proven to break a limit or to have no smaller {arguments['loss']}"
        )
    notes = [f"levels: {levels}", f"{proof} than {found.loss:.6g}"]
    if marked:
        notes.append(f"{marked:,} records are published with the suppression mark in each quasi-identifier")
    if requirements.unreckoned:
        notes.append(
            f"not reckoned with, left to the audit: {', '.join(requirements.unreckoned)}, which the classes"
            " of one table do not tell"
        )
    exact = sorted({t.metric.name for t in requirements.exact if not t.metric.is_monotone})
    if exact:
        notes.append(
            f"no level was ruled out by {', '.join(exact)}, which need not improve on coarser levels"
        )
    return tuple(notes)
