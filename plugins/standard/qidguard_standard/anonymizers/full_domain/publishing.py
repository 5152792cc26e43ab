"""What is published of a column on a level, and what the receipt says of the search."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Original, Recoded
from qidguard_standard.anonymizers.full_domain.domain import STARRED, Domain
from qidguard_standard.anonymizers.full_domain.lattice import Lattice
from qidguard_standard.anonymizers.full_domain.requirement import Requirements
from qidguard_standard.anonymizers.full_domain.search import Solution

if TYPE_CHECKING:
    from numpy.typing import NDArray


def published(domain: Domain, level: int, kept: "NDArray[np.bool_] | None") -> Recoded:
    """Return what is published in place of a column."""
    codes = domain.column.codes
    if level:
        groups, values = domain.groups[level].take(codes), domain.labels[level]
        if kept is not None:
            groups = np.where(kept, groups, STARRED)
        return Recoded(codes=groups, values=values)
    mark = domain.labels[0][STARRED]
    exact = np.where(kept, codes + 1, 0) if kept is not None else codes + 1
    return Recoded(codes=exact, values=(mark, *(Original(code) for code in range(len(domain.column.texts)))))


def notes_on(
    lattice: Lattice, solution: Solution, arguments: Arguments, requirements: Requirements, marked: int
) -> tuple[str, ...]:
    """Return the receipt's sentences."""
    levels = ", ".join(
        f"{domain.column.name} {level} of {domain.levels - 1}"
        for domain, level in zip(lattice.domains, solution.levels or (), strict=True)
    )
    if arguments["search"] == "greedy":
        proof = (
            f"greedy: {solution.checked:,} of {lattice.nodes:,} combinations of levels were checked; a"
            f" smaller {arguments['loss']} may exist"
        )
    else:
        proof = (
            f"optimal: {solution.checked:,} of {lattice.nodes:,} combinations of levels were checked; every"
            f" other one is proven to break a limit or to have no smaller {arguments['loss']}"
        )
    notes = [f"levels: {levels}", f"{proof} than {solution.loss:.6g}"]
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
