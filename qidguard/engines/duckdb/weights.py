"""Sampling weights: the share of the population that they stand for, and what is odd about them."""

from duckdb import DuckDBPyConnection

from qidguard.core.errors import DataError
from qidguard.engines.base import Needs
from qidguard.engines.duckdb import naming
from qidguard.engines.duckdb.sources import Staged

_ROUNDING = 1e-6
_ABOUT_ONE = 1.01
"""The largest mean of weights that were scaled to a mean of 1 and rounded."""
_CONTRADICTION = 0.1
"""How far apart the share by weights and the stated one may lie, relative to the stated one."""


def sampled(
    connection: DuckDBPyConnection, staged: Staged, needs: Needs
) -> tuple[float | None, tuple[str, ...]]:
    """Return the share of the population that is in the table, 0 < f ≤ 1 or None, and notes on weights.

    The policy's figure comes first; without one it is n / Σ weights. Weights are relative where their mean
    is below 1, or about 1 and some are below it, which no design weight is: they say who stands for more than
    others, and not for how many, so that the share must be stated.

    Raises:
        DataError: When a weight is no positive number, or weights are relative and nobody states the share.
    """
    stated = needs.sampling_fraction
    if needs.weight is None:
        return stated, ()
    records, total, least, most, below_one = _summed(connection, staged, needs.weight)
    if not records:
        return stated, ()
    mean = total / records
    is_relative = mean < 1 - _ROUNDING or (least < 1 - _ROUNDING and mean <= _ABOUT_ONE)
    is_constant = most - least <= _ROUNDING and abs(mean - 1) <= _ROUNDING
    if stated is None:
        if is_relative:
            raise DataError(
                f"the weights in {needs.weight!r} add up to {total:,.6g} for {records:,} records: they are"
                " relative, and tell no number of persons in the population; state sampling_fraction"
            )
        return min(1.0, records / total), _below(needs.weight, below_one)
    if is_relative or (is_constant and stated < 1):
        sentence = (
            f"The weights in {needs.weight!r} add up to {total:,.6g} for {records:,} records: they are"
            f" relative, and were scaled to the {records / stated:,.6g} that a"
            f" sampling_fraction of {stated:.4g} tells."
        )
        return stated, (sentence,)
    notes = _below(needs.weight, below_one)
    if abs(records / total - stated) > _CONTRADICTION * stated:
        sentence = (
            f"The policy states a sampling_fraction of {stated:.4g}, and by the weights in {needs.weight!r}"
            f" it is {records / total:.4g} ({records:,} records for {total:,.6g} persons); one of the two is"
            " wrong. Estimates from the sampling fraction use the first, those from weights the second."
        )
        notes = (*notes, sentence)
    return stated, notes


def _below(weight: str, records: int) -> tuple[str, ...]:
    if not records:
        return ()
    sentence = (
        f"{records:,} records have a weight below 1 in {weight!r}; nobody stands for less than one person,"
        " so a class counts in the population at least as many persons as in the table."
    )
    return (sentence,)


def _summed(
    connection: DuckDBPyConnection, staged: Staged, weight: str
) -> tuple[int, float, float, float, int]:
    """Return records, sum, least and largest weight, and records below 1; DataError for a bad weight."""
    column = naming.column(staged.names.index(weight))
    records, good, total, least, most, below_one = connection.execute(
        "SELECT count(*), count(CASE WHEN w > 0 AND w < 'Infinity'::DOUBLE THEN 1 END),\n"
        "sum(w), min(w), max(w), count(CASE WHEN w < 1 THEN 1 END)\n"
        f"FROM (SELECT TRY_CAST({column} AS DOUBLE) AS w FROM {staged.relation})"
    ).fetchall()[0]
    if good != records:
        raise DataError(
            f"the weight column {weight!r} must hold a positive, finite number in every record, but"
            f" {records - good:,} of them do not (missing, zero, negative, infinite or no number);"
            " correct the weights or take the role away"
        )
    if not records:
        return 0, 0.0, 0.0, 0.0, 0
    return int(records), float(total), float(least), float(most), int(below_one)
