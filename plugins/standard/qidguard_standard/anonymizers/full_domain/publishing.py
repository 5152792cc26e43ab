"""What is published of a column on a level, and what the receipt says of the search."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import Arguments, Original, Recoded
from qidguard_standard.anonymizers.full_domain.domain import STARRED, Domain, covered_losses
from qidguard_standard.anonymizers.full_domain.lattice import Lattice
from qidguard_standard.anonymizers.full_domain.loss import second_loss
from qidguard_standard.anonymizers.full_domain.requirement import Requirements
from qidguard_standard.anonymizers.full_domain.search import FullDomainSolution

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


def granularity_of(domain: Domain, level: int, kept: "NDArray[np.bool_]") -> float:
    """Return the share of a column's detail that is left, 0..1: 1 − the mean part of its values covered."""
    lost = covered_losses(domain, is_by_width=False)[level].take(domain.column.codes)
    return 1 - float(np.where(kept, lost, 1.0).mean()) if len(lost) else 1.0


def notes_on(
    lattice: Lattice,
    solution: FullDomainSolution,
    arguments: Arguments,
    requirements: Requirements,
    kept: "NDArray[np.bool_]",
) -> tuple[str, ...]:
    """Return the receipt's sentences."""
    marked = int((~kept).sum()) if arguments["suppress"] == "cells" else 0
    levels = ", ".join(
        f"{domain.column.name} {level} of {domain.levels - 1}"
        for domain, level in zip(lattice.domains, solution.levels or (), strict=True)
    )
    if not solution.is_proven:
        proof = (
            f"greedy: {solution.checked:,} of {lattice.nodes:,} combinations of levels were checked; a"
            f" smaller {arguments['loss']} may exist"
        )
    else:
        proof = (
            f"optimal: {solution.checked:,} of {lattice.nodes:,} combinations of levels were checked; every"
            f" other one is proven to break a limit or to have no smaller {arguments['loss']}"
        )
    second = second_loss(arguments)
    left = ", ".join(
        f"{domain.column.name} {granularity_of(domain, level, kept):.3g}"
        for domain, level in zip(lattice.domains, solution.levels or (), strict=True)
    )
    notes = [
        f"levels: {levels}",
        f"{proof} than {solution.loss:.6g}",
        (
            f"of an equal {arguments['loss']} the smallest {second} is taken, {solution.tie:.6g}, and of"
            " these the lowest levels in the order of the columns"
        ),
        f"granularity left, column by column: {left}",
    ]
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
