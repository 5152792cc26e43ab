"""What is measured, and what each measurement costs, before anything is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import combinations
from math import prod

from qidguard.sdk import DeclarationError, NoisedPart, NotMeasurable
from qidguard_hybrid_dp.private.domain import Domain
from qidguard_hybrid_dp.private.mechanisms import (
    choice_map,
    choice_scale,
    counts_map,
    laplace_scale,
    smallest_threshold,
    threshold_map,
)

LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**9), Fraction(10**6)
"""ε of one measurement: beyond, noise fits no count, or there is none."""

MOST_CELLS = 250_000
"""Most cells of one marginal: beyond, nearly all are empty and their noise drowns the rest."""

DISCOVERY_SHARE = Fraction(1, 5)
"""Share of ε that finds categories which are not declared; the rest is left where all are."""

FIRST_SHARE, CHOICE_SHARE = Fraction(3, 10), Fraction(1, 10)
"""Of a tree: the shares of ε for the counts that come first, of single columns or of these with the center,
and for the choice of its pairs."""


class Structure(StrEnum):
    """Which pairs of columns are counted."""

    STAR = "star"
    AUGMENTED_STAR = "augmented_star"
    TREE = "tree"


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One draw of a plan: noisy counts, categories found by their noisy count, or one pair of a tree chosen.

    Args:
        part: What it costs, its columns and its scale in records; what a tree chooses is among its columns.
        mapped: ε and δ of one record as OpenDP's map says.
        threshold: A category is found when its noisy number of records is above it.
    """

    part: NoisedPart
    mapped: tuple[float, float]
    threshold: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns."""
        return self.part.columns

    @property
    def scale(self) -> float:
        """Of its noise, records."""
        return float(self.part.scale)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that is measured, in order.

    Args:
        columns: The columns of the synthetic records, in order.
        declared: Column → its cells, of those that are declared.
        findings: Of the columns that are not.
        countings: Marginals whose columns are known.
        choosings: Pairs of a tree to be chosen.
        chosen: How each pair of a tree is counted, as many as there are choices.
        given: The center, where a tree joins the other columns and each of its pairs is counted with it.
    """

    columns: tuple[str, ...]
    declared: Mapping[str, Domain] = field(repr=False)
    findings: tuple[Drawing, ...]
    countings: tuple[Drawing, ...]
    choosings: tuple[Drawing, ...] = ()
    chosen: tuple[Drawing, ...] = ()
    given: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[NoisedPart, ...]:
        """What is drawn, in order; the costs add up to the whole budget."""
        drawn = (*self.findings, *self.countings, *self.choosings, *self.chosen)
        return tuple(one.part for one in drawn)


def plan_of(
    columns: Sequence[str],
    declared: Mapping[str, Domain],
    *,
    epsilon: Fraction,
    delta: Fraction,
    structure: Structure | None = None,
    center: str = "",
    weights: Mapping[str, Fraction] | None = None,
) -> Plan:
    """Return the plan of a star around ``center`` or of a tree, at ε and δ of one record in all.

    An augmented star joins the other columns by a tree as well, which is counted given the center, as in
    tree-augmented naive Bayes (Friedman, Geiger & Goldszmidt 1997). Without a structure all columns are
    counted together.

    Raises:
        DeclarationError: When a column is not declared and δ is 0.
        NotMeasurable: When a declared marginal has too many cells.
    """
    columns = tuple(columns)
    findings, rest = _findings(columns, declared, epsilon, delta)
    others = [name for name in columns if name != center]
    counted: list[tuple[str, ...]] = [(center, name) for name in others] or [(center,)]
    if structure is None:
        counted = [columns]
    for one in counted:
        shape_of(one, declared)
    weights = weights or {}
    plan = Plan(columns=columns, declared=declared, findings=findings, countings=())
    if structure in {None, Structure.STAR} or len(others) < (1 if structure is Structure.TREE else 2):
        return replace(plan, countings=_weighed(counted, rest, weights))
    given = () if structure is Structure.TREE else (center,)
    joined = tuple(name for name in columns if name not in given)
    edges = len(joined) - 1
    for a, b in combinations(joined, 2):
        shape_of((*given, a, b), declared)
    first: list[tuple[str, ...]] = [(*given, name) for name in joined]
    share = rest * (1 - FIRST_SHARE - CHOICE_SHARE) / edges
    return replace(
        plan,
        countings=_weighed(first, rest * FIRST_SHARE, weights),
        choosings=(_choosing(columns, rest * CHOICE_SHARE / edges),) * edges,
        chosen=(_counting(columns, share),) * edges,
        given=given,
    )


def split(total: Fraction, weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the shares of ``total`` that are as the weights; they add up to it exactly.

    Raises:
        ValueError: When there is no weight, or one that is not above 0.

    Example:
        >>> split(Fraction(1), [Fraction(1), Fraction(2)])
        (Fraction(1, 3), Fraction(2, 3))
    """
    if not weights or min(weights) <= 0:
        raise ValueError("a budget is split by weights above 0, at least one")
    everything = sum(weights, Fraction(0))
    return tuple(total * weight / everything for weight in weights)


def _weighed(
    marginals: Sequence[tuple[str, ...]], epsilon: Fraction, weights: Mapping[str, Fraction]
) -> tuple[Drawing, ...]:
    shares = split(epsilon, [weights.get(columns[-1], Fraction(1)) for columns in marginals])
    return tuple(_counting(columns, share) for columns, share in zip(marginals, shares, strict=True))


def _findings(
    columns: Sequence[str], declared: Mapping[str, Domain], epsilon: Fraction, delta: Fraction
) -> tuple[tuple[Drawing, ...], Fraction]:
    """Return how the columns that are not declared are found, and what is left of ε."""
    unknown = [name for name in columns if name not in declared]
    if not unknown:
        return (), epsilon
    if not delta:
        raise DeclarationError(
            f"categories of {', '.join(unknown)} are not declared, and finding them needs a delta above 0;"
            " declare them in categories (or bounds, for numbers), or set delta"
        )
    share = epsilon * DISCOVERY_SHARE / len(unknown)
    findings = tuple(_finding(name, share, delta / len(unknown)) for name in unknown)
    return findings, epsilon * (1 - DISCOVERY_SHARE)


def shape_of(columns: Sequence[str], domains: Mapping[str, Domain]) -> tuple[int, ...]:
    """Return the cells of each column of a marginal, 1 where nobody knows them yet.

    Raises:
        NotMeasurable: When it has more cells in all than are any use.
    """
    shape = tuple(domains[name].cells if name in domains else 1 for name in columns)
    if prod(shape) > MOST_CELLS:
        raise NotMeasurable(
            f"the marginal of {' and '.join(columns)} has {prod(shape):,} cells, more than {MOST_CELLS:,};"
            " declare fewer categories or bins"
        )
    return shape


def _counting(columns: tuple[str, ...], epsilon: Fraction) -> Drawing:
    scale = laplace_scale(_possible(epsilon))
    return Drawing(part=_part(columns, scale, epsilon), mapped=(counts_map(scale), 0.0))


def _finding(column: str, epsilon: Fraction, delta: Fraction) -> Drawing:
    scale = laplace_scale(_possible(epsilon))
    try:
        threshold = smallest_threshold(scale, delta)
    except OverflowError:
        raise DeclarationError(
            f"no threshold holds delta for the categories of {column}; raise delta or epsilon"
        ) from None
    part = _part((column,), scale, epsilon, delta=delta)
    return Drawing(part=part, mapped=threshold_map(scale, threshold), threshold=threshold)


def _choosing(columns: tuple[str, ...], epsilon: Fraction) -> Drawing:
    scale = choice_scale(_possible(epsilon))
    part = _part(columns, scale, epsilon, mechanism="permute_and_flip")
    return Drawing(part=part, mapped=(choice_map(scale), 0.0))


def _possible(epsilon: Fraction) -> Fraction:
    if not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
        raise DeclarationError(
            f"one of the measurements would have ε = {float(epsilon):.3g}, and it must lie between"
            f" {float(LEAST_EPSILON):g} and {float(MOST_EPSILON):g}; change epsilon or the weights"
        )
    return epsilon


def _part(
    columns: tuple[str, ...],
    scale: float,
    epsilon: Fraction,
    *,
    mechanism: str = "discrete_laplace",
    delta: Fraction = Fraction(0),
) -> NoisedPart:
    # a record more or less changes one cell by one
    return NoisedPart(
        columns=columns,
        mechanism=mechanism,
        scale=Fraction(scale),
        reach=Fraction(1),
        epsilon=epsilon,
        delta=delta,
    )
