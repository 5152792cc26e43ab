"""Disclosure risk: what an attacker who knows the mechanism believes of a target after the release."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from qidguard_hybrid_dp.evaluation.attacked import AttackedNoisyTable


@dataclass(frozen=True, kw_only=True)
class RiskTargets:
    """Persons whom an attacker looks for, and what is known of each.

    Args:
        values: Shape (targets, quasi-identifiers): original codes of categories, true numbers of numbers, in
            the order of ``AttackedNoisyTable.qids``.
        known: The same shape: whether the attacker knows the value (ν).
        sensitive: Shape (targets,), the true sensitive code; −1 for one that is not in the release.
        row: Shape (targets,), the target's record in the original; −1 where the person is in none.
    """

    values: NDArray[np.float64] = field(repr=False)
    known: NDArray[np.bool_] = field(repr=False)
    sensitive: NDArray[np.int64] = field(repr=False)
    row: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, kw_only=True)
class Posteriors:
    """What the attacker believes of each target.

    Args:
        identity: Shape (targets,), the posterior of the target's own record, 0..1; 0 without a record.
        sensitive: Shape (targets,), the posterior of the true sensitive value, 0..1.
        surest: Shape (targets,), that of the likeliest sensitive value, true or not, 0..1.
    """

    identity: NDArray[np.float64] = field(repr=False)
    sensitive: NDArray[np.float64] = field(repr=False)
    surest: NDArray[np.float64] = field(repr=False)


def posteriors(table: AttackedNoisyTable, targets: RiskTargets) -> Posteriors:
    """Return what the attacker believes of each target by Bayes' rule, all records being alike before.

    P(record | ν) ∝ Π over known quasi-identifiers of P(cell | true value): the mass of clamped discrete
    Laplace noise for numbers, 1 or 0 for categories and intervals. Where ν tells the target's partition,
    records of the other one have 0: the attacker is taken to know each record's. Where no record is possible,
    the attacker keeps the belief from before: 1/records, and the share of the sensitive value.

    Args:
        table: What is published, with its mechanism.
        targets: Whom the attacker looks for.

    Returns:
        The posteriors; each 0..1.

    Raises:
        ValueError: When the targets have other columns than the table.
    """
    if targets.values.shape[1] != len(table.qids):
        raise ValueError("what is known of targets has one column for each quasi-identifier")
    classes = int(table.sensitive.max(initial=-1)) + 1
    kinds = _Kinds.of(table)
    lookups = [
        one.lookup(targets.values[:, len(table.categories) + place])
        for place, one in enumerate(table.numbers)
    ]
    count = len(targets)
    identity, sensitive, surest = np.zeros(count), np.zeros(count), np.zeros(count)
    for target in range(count):
        known = targets.known[target]
        rows = np.flatnonzero(kinds.possible(targets.values[target], known)[kinds.of_record])
        weight = np.ones(len(rows))
        for place, one in enumerate(lookups):
            if known[len(table.categories) + place]:
                weight *= one.chances[one.asked[target]][one.cell[rows]]
        total = weight.sum()
        if not total:
            # nobody fits, so that nothing is learned
            rows, weight, total = np.arange(table.records), np.ones(table.records), float(table.records)
        by_class = np.bincount(table.sensitive[rows], weights=weight, minlength=classes) / total
        surest[target] = by_class.max()
        if targets.sensitive[target] >= 0:
            sensitive[target] = by_class[targets.sensitive[target]]
        own = table.row[targets.row[target]] if targets.row[target] >= 0 else -1
        at = int(np.searchsorted(rows, own))
        if own >= 0 and at < len(rows) and rows[at] == own:
            identity[target] = weight[at] / total
    return Posteriors(identity=identity, sensitive=sensitive, surest=surest)


@dataclass(frozen=True, kw_only=True)
class _Kinds:
    """The different combinations of published categories and partition: most records share theirs."""

    table: AttackedNoisyTable
    codes: NDArray[np.int64]
    violating: NDArray[np.bool_]
    of_record: NDArray[np.int64]
    tables: tuple[NDArray[np.bool_], ...]

    @classmethod
    def of(cls, table: AttackedNoisyTable) -> "_Kinds":
        part = (
            np.zeros(table.records, dtype=np.bool_) if table.partition is None else table.partition.violating
        )
        cells = np.column_stack([*(one.published for one in table.categories), part.astype(np.int64)])
        codes, of_record = np.unique(cells, axis=0, return_inverse=True)
        return cls(
            table=table,
            codes=codes[:, :-1],
            violating=codes[:, -1] == 1,
            of_record=of_record.ravel(),
            tables=tuple(one.possible for one in table.categories),
        )

    def possible(self, values: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which combinations a target may stand behind."""
        found = np.ones(len(self.codes), dtype=np.bool_)
        told = {}
        for place, (one, possible) in enumerate(zip(self.table.categories, self.tables, strict=True)):
            if known[place]:
                told[one.name] = int(values[place])
                found &= possible[int(values[place])][self.codes[:, place]]
        if self.table.partition is not None:
            is_violating = self.table.partition.of(told)
            if is_violating is not None:
                found &= self.violating == is_violating
        return found


def drawn_knowledge(targets: int, qids: int, seed: int) -> NDArray[np.bool_]:
    """Return which quasi-identifiers are known of each target: how many, evenly from 1 on, then which.

    Args:
        targets: How many targets.
        qids: How many quasi-identifiers, ≥ 1.
        seed: Seeds the draw.

    Returns:
        Shape (targets, qids); at least one of each target.

    Example:
        >>> drawn_knowledge(4, 3, seed=0).sum(axis=1).min() >= 1
        np.True_
    """
    draw = np.random.default_rng(seed)
    counts = draw.integers(1, qids + 1, size=targets)
    turn = draw.random((targets, qids)).argsort(axis=1).argsort(axis=1)
    known: NDArray[np.bool_] = turn < counts[:, None]
    return known


@dataclass(frozen=True, kw_only=True)
class Mean:
    """A mean with its 95 % interval.

    Args:
        value: The mean.
        low: Its lower end.
        high: Its upper end.
    """

    value: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """−1 where the whole interval lies below 0, 1 where it lies above, else 0."""
        return int(self.low > 0) - int(self.high < 0)


def mean_of(values: NDArray[np.float64]) -> Mean:
    """Return the mean with mean ± 1.96·s/√n; of paired differences it is the paired interval.

    Example:
        >>> mean_of(np.array([1.0, 1.0, 1.0]))
        Mean(value=1.0, low=1.0, high=1.0)
    """
    spread = _error(values)
    value = float(values.mean())
    return Mean(value=value, low=value - _Z * spread, high=value + _Z * spread)


def difference_of(first: NDArray[np.float64], second: NDArray[np.float64]) -> Mean:
    """Return the difference of the means of two groups of people, with its 95 % interval (Welch 1947)."""
    value = float(first.mean() - second.mean())
    spread = sqrt(_error(first) ** 2 + _error(second) ** 2)
    return Mean(value=value, low=value - _Z * spread, high=value + _Z * spread)


_Z = NormalDist().inv_cdf(0.975)


def _error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0


@dataclass(frozen=True, kw_only=True)
class RiskFigures:
    """What one published table gives away.

    Args:
        k: The k that was asked for.
        inside: The posteriors of targets who are in the release.
        outside: Those of persons who are not.
    """

    k: int
    inside: Posteriors = field(repr=False)
    outside: Posteriors = field(repr=False)

    @property
    def identity(self) -> float:
        """Mean posterior of the target's own record, 0..1."""
        return float(self.inside.identity.mean())

    @property
    def sensitive(self) -> float:
        """Mean posterior of the true sensitive value, 0..1."""
        return float(self.inside.sensitive.mean())

    @property
    def outsiders(self) -> float:
        """The same for persons who are not in the release: what it tells of anybody, 0..1."""
        return float(self.outside.sensitive.mean())

    @property
    def excess(self) -> Mean:
        """How much more is learned of who is in the release."""
        return difference_of(self.inside.sensitive, self.outside.sensitive)

    @property
    def above(self) -> float:
        """Share of the targets whose own record has a posterior above 1/k, 0..1."""
        return float((self.inside.identity > 1 / self.k + 1e-12).mean())

    @property
    def largest(self) -> float:
        """Equation (2): the largest posterior of any value for any target. It decides nothing."""
        return float(self.inside.surest.max())


def paired(ours: Sequence[float] | NDArray[np.float64], plain: Sequence[float] | NDArray[np.float64]) -> Mean:
    """Return the mean difference of the same targets with its paired 95 % interval; below 0 ours is safer.

    Example:
        >>> paired([0.2, 0.4], [0.3, 0.5]).sign
        -1
    """
    return mean_of(np.asarray(ours, dtype=np.float64) - np.asarray(plain, dtype=np.float64))
