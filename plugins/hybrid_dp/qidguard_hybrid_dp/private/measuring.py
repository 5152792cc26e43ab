"""The noisy measurements of a plan."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from qidguard.sdk import ColumnValues
from qidguard_hybrid_dp.private.domain import Categories, Domain
from qidguard_hybrid_dp.private.mechanisms import Mechanisms
from qidguard_hybrid_dp.private.plan import Plan, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counted = Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True, kw_only=True)
class Marginal:
    """Noisy numbers of records over the cells of one column or several together.

    Args:
        columns: The columns.
        counts: Shape (cells of the first, …): whole numbers, some below 0.
        scale: Of the discrete Laplace noise in each of them, records.
    """

    columns: tuple[str, ...]
    counts: "NDArray[np.int64]" = field(repr=False)
    scale: float


@dataclass(frozen=True, kw_only=True)
class PrivateMeasurements:
    """What came of a plan: all of it is differentially private, and nothing else of the table is kept.

    Args:
        domains: Column → its cells, in the order of the columns.
        marginals: The noisy counts.
    """

    domains: Mapping[str, Domain] = field(repr=False)
    marginals: tuple[Marginal, ...]


def measured(
    columns: Mapping[str, ColumnValues], plan: Plan, mechanisms: Mechanisms, step: Callable[[int, int], None]
) -> PrivateMeasurements:
    """Return the measurements of a plan on these columns.

    Args:
        columns: The columns of the plan, of one table.
        plan: The plan.
        mechanisms: What draws the noise.
        step: Hears how many measurements of how many are done.

    Raises:
        NotMeasurable: When categories that were found make a marginal too large. What was drawn is spent.
    """
    total, done = len(plan.parts), 0
    step(done, total)
    domains = dict(plan.declared)
    for finding in plan.findings:
        [name] = finding.columns
        column = columns[name]
        is_present = column.codes > 0
        codes = column.codes[is_present].astype(np.int64)
        found = mechanisms.frequent(codes, finding.scale, finding.threshold)
        # in an order that tells nothing: codes follow the values, of which some are not published
        values = tuple(sorted(str(column.texts[code]) for code in found))
        domains[name] = Categories(name=name, values=values, value_type=column.value_type)
        done += 1
        step(done, total)
    coded = {name: domains[name].codes(columns[name]) for name in plan.columns}
    marginals = []
    for counting in plan.countings:
        marginals.append(_counted(coded, counting.columns, domains, counting.scale, mechanisms))
        done += 1
        step(done, total)
    firsts = {marginal.columns[-1]: marginal for marginal in marginals}
    joined = [name for name in plan.columns if name not in plan.given]
    part_of = {name: name for name in joined}
    scores: dict[tuple[str, str], int] = {}
    for choosing, counting in zip(plan.choosings, plan.chosen, strict=True):
        pairs = [(a, b) for a, b in combinations(joined, 2) if part_of[a] != part_of[b]]
        for pair in pairs:
            if pair not in scores:
                scores[pair] = _dependence(coded, plan.given, pair, domains, firsts)
        best = mechanisms.highest(np.array([scores[pair] for pair in pairs]), choosing.scale)
        a, b = pairs[best]
        old, into = part_of[b], part_of[a]
        part_of = {name: into if part == old else part for name, part in part_of.items()}
        marginals.append(_counted(coded, (*plan.given, a, b), domains, counting.scale, mechanisms))
        done += 2
        step(done, total)
    ordered = {name: domains[name] for name in plan.columns}
    return PrivateMeasurements(domains=ordered, marginals=tuple(marginals))


def _counted(
    coded: "Counted",
    columns: Sequence[str],
    domains: Mapping[str, Domain],
    scale: float,
    mechanisms: Mechanisms,
) -> Marginal:
    shape = shape_of(columns, domains)
    counts = mechanisms.counts(_cells(coded, columns, shape), prod(shape), scale)
    return Marginal(columns=tuple(columns), counts=counts.reshape(shape), scale=scale)


def _dependence(
    coded: "Counted",
    given: tuple[str, ...],
    pair: tuple[str, str],
    domains: Mapping[str, Domain],
    firsts: Mapping[str, Marginal],
) -> int:
    """Return Σ |count − what independence (given the center) of noisy counts lets expect|, in records.

    The expectation is rounded and public, so one record more or less changes the sum by 1 at most, exactly.
    """
    shape = shape_of((*given, *pair), domains)
    counts = np.bincount(_cells(coded, (*given, *pair), shape), minlength=prod(shape))
    left, right = (
        np.maximum(firsts[name].counts, 0).reshape(-1, size).astype(np.float64)
        for name, size in zip(pair, shape[-2:], strict=True)
    )
    totals = np.maximum((left.sum(axis=1) + right.sum(axis=1)) / 2, 1.0)
    expected = np.rint(left[:, :, None] * right[:, None, :] / totals[:, None, None]).astype(np.int64)
    return int(np.abs(counts.reshape(expected.shape) - expected).sum())


def _cells(coded: "Counted", columns: Sequence[str], shape: Sequence[int]) -> "NDArray[np.int64]":
    flat = np.zeros(len(coded[columns[0]]), dtype=np.int64)
    for name, size in zip(columns, shape, strict=True):
        flat = flat * size + coded[name]
    return flat
