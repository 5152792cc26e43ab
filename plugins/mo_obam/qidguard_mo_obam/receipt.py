"""What the receipt says of a solution: counts, losses and what is proven, no value of the table."""

from typing import TYPE_CHECKING

import numpy as np

from qidguard_mo_obam.asked import OptimizationRequest
from qidguard_mo_obam.loss import information_loss
from qidguard_mo_obam.problem import ClusteringProblem, weighed
from qidguard_mo_obam.solving import Solved

if TYPE_CHECKING:
    from numpy.typing import NDArray


def notes_on(
    done: Solved, asked: OptimizationRequest, formed: int, seed: int, *, has_limits: bool
) -> tuple[str, ...]:
    """Return the sentences of the receipt.

    Args:
        done: The solution.
        asked: What was asked for.
        formed: Distinct combinations that are published.
        seed: The seed.
        has_limits: Whether clusters keep limits of sensitive attributes.
    """
    # decided when the moves are first needed
    from qidguard_mo_obam.moves.compiled import USES_NUMBA

    raw, standardized = (
        information_loss(weighed(done.problem, units), done.assignment) for units in ("raw", "standardized")
    )
    wanted = f"n_c = {asked.n_c}" if asked.n_c else "n_c free"
    wanted += f", k = {asked.k}, {asked.units} units"
    notes = [
        f"{formed:,} clusters were formed ({wanted})",
        f"information loss {raw:.6g} in raw units, {standardized:.6g} standardized",
        _proven(done, asked),
        *_entropy(done.problem, done.assignment),
        f"seed {seed}, {done.starts:,} searches"
        + (", ended by the time limit with the best so far" if done.is_cut else ", no time limit reached"),
    ]
    if (has_limits or not asked.n_c or asked.weight > 0) and not USES_NUMBA:
        notes.append(
            "without numba a hundredth of the moves is tried, and more is lost: pip install 'qidguard[numba]'"
        )
    return tuple(notes)


def _proven(done: Solved, asked: OptimizationRequest) -> str:
    deviation = done.problem.deviation
    if done.loss <= 0:
        return "nothing is lost, which is the least"
    if done.bound <= 0:
        why = "the time limit came first" if done.is_cut else "no bound above 0 was found"
        why = why if asked.n_c else "a bound is sought where n_c is set"
        return f"how far from the least loss this is was not proven: {why}"
    gap = 100.0 * max(0.0, done.loss - done.bound) / done.bound
    return (
        f"proven: no table of at most {asked.n_c or done.problem.rows:,} clusters loses less than"
        f" {done.bound / deviation:.6g} in {asked.units} units, so the loss is at most {_up(gap)} % above the"
        " least"
    )


def _up(percent: float) -> str:
    """Return a percentage rounded up in its third decimal place."""
    return f"{np.ceil(percent * 1000) / 1000:.3f}"


def _entropy(problem: ClusteringProblem, assignment: "NDArray[np.int64]") -> list[str]:
    if not problem.sensitive_codes:
        return []
    cluster = assignment[problem.combination]
    least = most = 0.0
    constant = 0
    for codes in problem.sensitive_codes:
        least += float(_bits(cluster, codes).min())
        whole = float(_bits(np.zeros_like(cluster), codes)[0])
        most += whole
        constant += whole == 0
    notes = [f"sum of least entropies {least:.4f} bits; no table has more than {most:.4f}"]
    if constant:
        notes.append(
            f"{constant} sensitive attribute(s) have a single value in the whole table, which every cluster"
            " tells"
        )
    return notes


def _bits(cluster: "NDArray[np.int64]", codes: "NDArray[np.int64]") -> "NDArray[np.float64]":
    """Return the entropy of a sensitive attribute in each cluster, bits."""
    span = int(codes.max(initial=0)) + 1
    keys, counted = np.unique(cluster * span + codes, return_counts=True)
    owner = keys // span
    shares = counted / np.bincount(cluster)[owner]
    return np.bincount(owner, weights=-shares * np.log2(shares)).astype(np.float64) + 0.0
