"""Methods beside plain k-anonymity by what they give away of the same targets (Tables IV and V)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from qidguard.sdk import Progress, UserError
from qidguard_hybrid_dp.evaluation.case import PrivacyCase
from qidguard_hybrid_dp.evaluation.risk import (
    Mean,
    Posteriors,
    RiskFigures,
    RiskTargets,
    drawn_knowledge,
    paired,
    posteriors,
)
from qidguard_hybrid_dp.evaluation.trial import PLAIN, CaseTrial, attacked_table, until_stopped
from qidguard_hybrid_dp.qids import numbers_of

RANDOM, FULL = "random", "full"
"""What the attacker knows (ν): some of the quasi-identifiers, drawn for each target, or all of them."""


@dataclass(frozen=True, kw_only=True)
class RiskRow:
    """What one trial gives away of the targets under one ν, beside plain k-anonymity at the same k.

    Args:
        label: The method with its settings.
        k: The k that was asked for.
        knowledge: ``random`` or ``full``.
        figures: The posteriors.
        identity: Ours less plain k-anonymity, mean posterior of the own record; None for plain itself.
        sensitive: The same of the true sensitive value.
    """

    label: str
    k: int
    knowledge: str
    figures: RiskFigures = field(repr=False)
    identity: Mean | None = None
    sensitive: Mean | None = None


@dataclass(frozen=True, kw_only=True)
class Sought:
    """The persons whom the attacker looks for: some of the release, some who were left out.

    Args:
        inside: Targets in the release, with all of their quasi-identifiers.
        outside: Targets who are not in it.
    """

    inside: RiskTargets = field(repr=False)
    outside: RiskTargets = field(repr=False)


def sought_in(case: PrivacyCase, targets: int, *, knowledge: str) -> Sought:
    """Return who is looked for, drawn by the case's seed: the same persons and the same ν for every method.

    Args:
        case: The table, with people left out.
        targets: How many persons of the release, ≥ 1; as many at most as it has.
        knowledge: ``random`` or ``full``.

    Raises:
        UserError: When nobody was left out of the release, or fewer than two targets are asked for.
    """
    held, inside = case.everybody.records, case.records.records
    if held == inside:
        raise UserError("disclosure risk is held against persons who are not in the release; leave some out")
    if targets < 2:  # noqa: PLR2004 - an interval needs two
        raise UserError(f"an interval needs at least 2 targets, not {targets}")
    draw = np.random.default_rng([case.seed, 1])
    rows = np.sort(draw.choice(inside, size=min(targets, inside), replace=False))
    others = np.arange(inside, held)[:targets]
    return Sought(
        inside=_targets(case, rows, rows, knowledge, 2),
        outside=_targets(case, others, np.full(len(others), -1), knowledge, 3),
    )


def _targets(
    case: PrivacyCase, rows: NDArray[np.int64], own: NDArray[np.int64], knowledge: str, stream: int
) -> RiskTargets:
    names = (*case.categorical, *case.numeric)
    values = np.column_stack([_values(case, name, rows) for name in names])
    known = np.ones(values.shape, dtype=np.bool_)
    if knowledge == RANDOM:
        known = drawn_knowledge(len(rows), len(names), case.seed * 8 + stream)
    sensitive = _codes(case, case.sensitive[0], rows)
    return RiskTargets(values=values, known=known, sensitive=sensitive, row=own)


def _values(case: PrivacyCase, name: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    if name in case.categorical:
        return _codes(case, name, rows).astype(np.float64)
    return numbers_of(case.everybody.column(name))[rows]


def _codes(case: PrivacyCase, name: str, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the release's codes of some people's values; ``UNSEEN`` where it has no such value."""
    column = case.everybody.column(name)
    found: NDArray[np.int64] = column.codes_in(case.records.column(name))[column.codes[rows]]
    return found


def risk_rows(
    case: PrivacyCase,
    trials: Sequence[CaseTrial],
    targets: int,
    *,
    progress: Progress | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> tuple[RiskRow, ...]:
    """Return what each trial gives away, under random and full ν, beside plain k-anonymity at the same k.

    Args:
        case: The table, with people left out.
        trials: What methods made of it. Those that could not be done, or whose mechanism nobody knows, are
            left out.
        targets: How many persons of the release are looked for.
        progress: Hears of each trial and ν.
        is_stopped: Asked before each whether to stop.

    Returns:
        A row for each trial and ν, in the order of k; what was done where it was stopped, Ctrl-C too.
    """
    possible = [one for one in trials if one.done is not None and one.has_mechanism]
    # plain first: the others are held against it
    possible.sort(key=lambda trial: (trial.k, trial.method != PLAIN))
    sought = {one: sought_in(case, targets, knowledge=one) for one in (RANDOM, FULL)}
    plain: dict[tuple[int, str], Posteriors] = {}
    seen = lru_cache(maxsize=1)(lambda at: attacked_table(possible[at], case))

    def row(at: int, knowledge: str) -> RiskRow:
        one, table = possible[at], seen(at)
        inside = posteriors(table, sought[knowledge].inside)
        outside = posteriors(table, sought[knowledge].outside)
        beside = plain.get((one.k, knowledge))
        if one.method == PLAIN:
            plain[one.k, knowledge] = inside
        return RiskRow(
            label=one.label,
            k=one.k,
            knowledge=knowledge,
            figures=RiskFigures(k=one.k, inside=inside, outside=outside),
            identity=None if beside is None else paired(inside.identity, beside.identity),
            sensitive=None if beside is None else paired(inside.sensitive, beside.sensitive),
        )

    steps = [partial(row, at, knowledge) for at in range(len(possible)) for knowledge in sought]
    return tuple(until_stopped("attacking", steps, progress, is_stopped))
