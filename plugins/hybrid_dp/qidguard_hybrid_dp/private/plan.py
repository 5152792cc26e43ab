"""What is measured, and what each measurement costs, before anything is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

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
class Counting:
    """Noisy counts over the cells of one column or two.

    Args:
        columns: The columns; empty for what a tree chooses when it is measured.
        scale: Of the discrete Laplace noise, records.
        part: What it costs.
        mapped: ε of one record as OpenDP's map says.
    """

    columns: tuple[str, ...]
    scale: float
    part: NoisedPart
    mapped: float


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Categories of a column found by their noisy number of records.

    Args:
        column: The column.
        scale: Of the discrete Laplace noise, records.
        threshold: A category is found when its noisy number of records is above it.
        part: What it costs.
        mapped: ε and δ of one record as OpenDP's map says.
    """

    column: str
    scale: float
    threshold: int
    part: NoisedPart
    mapped: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class ChosenPair:
    """One pair of a tree chosen among all that connect it.

    Args:
        scale: Of the noisy maximum, records.
        part: What it costs.
        mapped: ε of one record as OpenDP's map says.
    """

    scale: float
    part: NoisedPart
    mapped: float


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
    findings: tuple[Finding, ...]
    countings: tuple[Counting, ...]
    choosings: tuple[ChosenPair, ...] = ()
    chosen: tuple[Counting, ...] = ()
    given: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[NoisedPart, ...]:
        """What is drawn, in order; the costs add up to the whole budget."""
        steps: tuple[Finding | Counting | ChosenPair, ...]
        steps = (*self.findings, *self.countings, *self.choosings, *self.chosen)
        return tuple(step.part for step in steps)


def plan_of(
    columns: Sequence[str],
    declared: Mapping[str, Domain],
    *,
    structure: Structure,
    center: str,
    epsilon: Fraction,
    delta: Fraction,
    weights: Mapping[str, Fraction],
) -> Plan:
    """Return the plan of a star around ``center`` or of a tree, at ε and δ of one record in all.

    An augmented star joins the other columns by a tree as well, which is counted given the center, as in
    tree-augmented naive Bayes (Friedman, Geiger & Goldszmidt 1997).

    Raises:
        DeclarationError: When a column is not declared and δ is 0.
        NotMeasurable: When a declared marginal has too many cells.
    """
    findings, rest = _findings(columns, declared, epsilon, delta)
    others = [name for name in columns if name != center]
    pairs: list[tuple[str, ...]] = [(center, name) for name in others] or [(center,)]
    _check_cells(pairs, declared)
    if structure is Structure.STAR or len(others) < (1 if structure is Structure.TREE else 2):
        return Plan(
            columns=tuple(columns),
            declared=declared,
            findings=findings,
            countings=_weighed(pairs, rest, weights),
        )
    given = () if structure is Structure.TREE else (center,)
    joined = tuple(name for name in columns if name not in given)
    edges = len(joined) - 1
    chosen_of = [(*given, a, b) for at, a in enumerate(joined) for b in joined[at + 1 :]]
    _check_cells(chosen_of, declared)
    first: list[tuple[str, ...]] = [(*given, name) for name in joined]
    share = rest * (1 - FIRST_SHARE - CHOICE_SHARE) / edges
    return Plan(
        columns=tuple(columns),
        declared=declared,
        findings=findings,
        countings=_weighed(first, rest * FIRST_SHARE, weights),
        choosings=(_choosing(tuple(columns), rest * CHOICE_SHARE / edges),) * edges,
        chosen=(_counting(tuple(columns), share, is_chosen=True),) * edges,
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
) -> tuple[Counting, ...]:
    shares = split(epsilon, [weights.get(columns[-1], Fraction(1)) for columns in marginals])
    return tuple(_counting(columns, share) for columns, share in zip(marginals, shares, strict=True))


def joint_plan(
    columns: Sequence[str], declared: Mapping[str, Domain], *, epsilon: Fraction, delta: Fraction
) -> Plan:
    """Return the plan of one marginal over all columns together, at ε and δ of one record in all.

    Raises:
        DeclarationError: As ``plan_of``.
    """
    findings, rest = _findings(columns, declared, epsilon, delta)
    _check_cells([tuple(columns)], declared)
    return Plan(
        columns=tuple(columns),
        declared=declared,
        findings=findings,
        countings=(_counting(tuple(columns), rest),),
    )


def _findings(
    columns: Sequence[str], declared: Mapping[str, Domain], epsilon: Fraction, delta: Fraction
) -> tuple[tuple[Finding, ...], Fraction]:
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


def check_cells(columns: Sequence[str], cells: int) -> None:
    """Raise NotMeasurable where a marginal has more cells than are any use."""
    if cells > MOST_CELLS:
        raise NotMeasurable(
            f"the marginal of {' and '.join(columns)} has {cells:,} cells, more than {MOST_CELLS:,}; declare"
            " fewer categories or bins"
        )


def _check_cells(marginals: Sequence[tuple[str, ...]], declared: Mapping[str, Domain]) -> None:
    for columns in marginals:
        cells = 1
        for name in columns:
            cells *= declared[name].cells if name in declared else 1
        check_cells(columns, cells)


def _counting(columns: tuple[str, ...], epsilon: Fraction, *, is_chosen: bool = False) -> Counting:
    scale = laplace_scale(_possible(epsilon))
    part = _part(columns, "discrete_laplace", scale, epsilon)
    return Counting(columns=() if is_chosen else columns, scale=scale, part=part, mapped=counts_map(scale))


def _finding(column: str, epsilon: Fraction, delta: Fraction) -> Finding:
    scale = laplace_scale(_possible(epsilon))
    try:
        threshold = smallest_threshold(scale, delta)
    except OverflowError:
        raise DeclarationError(
            f"no threshold holds delta for the categories of {column}; raise delta or epsilon"
        ) from None
    return Finding(
        column=column,
        scale=scale,
        threshold=threshold,
        part=_part((column,), "discrete_laplace", scale, epsilon, delta),
        mapped=threshold_map(scale, threshold),
    )


def _choosing(columns: tuple[str, ...], epsilon: Fraction) -> ChosenPair:
    scale = choice_scale(_possible(epsilon))
    return ChosenPair(
        scale=scale, part=_part(columns, "permute_and_flip", scale, epsilon), mapped=choice_map(scale)
    )


def _possible(epsilon: Fraction) -> Fraction:
    if not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
        raise DeclarationError(
            f"one of the measurements would have ε = {float(epsilon):.3g}, and it must lie between"
            f" {float(LEAST_EPSILON):g} and {float(MOST_EPSILON):g}; change epsilon or the weights"
        )
    return epsilon


def _part(
    columns: tuple[str, ...], mechanism: str, scale: float, epsilon: Fraction, delta: Fraction = Fraction(0)
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
