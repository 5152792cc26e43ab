"""One method of a comparison: whether the policy holds, the risk that is left and what was lost."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from qidguard.sdk import Arguments, AttackResult, Measurement, NewTableFacts, part_document

if TYPE_CHECKING:
    from qidguard.sdk import Plot

SMALLEST_CLASS = "k_anonymity"
HIGHEST_RISK = "prosecutor_risk_max"
AVERAGE_RISK = "prosecutor_risk_average"
LOSS = "ncp"
INFORMATION_LOSS = "information_loss"
RISKS = (SMALLEST_CLASS, HIGHEST_RISK, AVERAGE_RISK)
"""Metrics that are measured of every row, where a plugin offers them."""


class Status(StrEnum):
    """What came of a method."""

    AS_IT_IS = "as it is"
    PASSED = "passed"
    BLOCKED = "blocked"
    UNREACHABLE = "cannot"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class MethodRow:
    """What came of one method; it holds no value of the table.

    Args:
        label: The method's name, with the parameters that a person set.
        method: The anonymizer's name; empty for the table as it is.
        arguments: All its arguments.
        status: What came of it.
        is_passed: Whether the policy holds on what it made.
        sentences: Why the policy does not hold, or why nothing was made.
        figures: Metric → figure in its unit: smallest class, risks and losses; what could not be measured
            is not there.
        utility: Every loss that was measured, with the reason where there is no figure.
        records_suppressed: Records of the source that are not published; None where nothing was made, and for
            a new table.
        cells_changed: Cells of kept records that are not the source's; None as for the records.
        changed_share: Share of the published cells of the quasi-identifiers that are not the source's; None
            where nothing was made, and for a new table.
        attacks: What rehearsed attacks found.
        seconds: Wall time of the method alone; None where nothing was made.
        peak_bytes: Memory that the method held; None where nobody tells.
        plots: What the method drew of what it made, where that was asked for.
        would_charge: What a real run charges to the privacy budget, such as ``ε = 1/2``: of a method that
            draws noise the row is a rehearsal, whose noise is drawn by the seed and charged to nobody. None
            for all others.
        noised: A sentence for each QID combination with noise: what can be learned of a noised value, and
            over which columns limits were measured.
        new_table: What the method made in the place of the source's records, which has no losses that pair
            records and is not ranked by them; None where records were transformed.
    """

    label: str
    method: str = ""
    arguments: Arguments
    status: Status
    is_passed: bool
    sentences: tuple[str, ...] = ()
    figures: dict[str, float]
    utility: tuple[Measurement, ...] = ()
    records_suppressed: int | None = None
    cells_changed: int | None = None
    changed_share: float | None = None
    attacks: tuple[AttackResult, ...] = ()
    seconds: float | None = None
    peak_bytes: int | None = None
    plots: "tuple[Plot, ...]" = field(default=(), repr=False)
    would_charge: str | None = None
    noised: tuple[str, ...] = ()
    new_table: NewTableFacts | None = None

    @property
    def is_made(self) -> bool:
        """Whether there is a table to look at."""
        return self.status in {Status.AS_IT_IS, Status.PASSED, Status.BLOCKED}


def by_loss(row: MethodRow) -> tuple[float, float, str]:
    """Return what rows are sorted by: the loss, the average risk, the label.

    Args:
        row: A row.

    Returns:
        Two shares and a text; a figure that is missing counts as the largest.

    Units:
        Shares.

    Example:
        >>> row = MethodRow(
        ...     label="m", arguments={}, status=Status.PASSED, is_passed=True, figures={"ncp": 0.2}
        ... )
        >>> by_loss(row)
        (0.2, inf, 'm')
    """
    figures = row.figures
    return figures.get(LOSS, float("inf")), figures.get(AVERAGE_RISK, float("inf")), row.label


def position(row: MethodRow, risk: str = AVERAGE_RISK) -> tuple[float, float] | None:
    """Return a row's place on the plot: what was lost and the risk that is left; None where it has none.

    Args:
        row: A row.
        risk: The metric of the risk.

    Returns:
        Two shares, 0..1.

    Units:
        Shares.

    Example:
        >>> row = MethodRow(
        ...     label="m", arguments={}, status=Status.PASSED, is_passed=True, figures={"ncp": 0.2}
        ... )
        >>> position(row) is None
        True
    """
    if not row.is_made or LOSS not in row.figures or risk not in row.figures:
        return None
    return row.figures[LOSS], row.figures[risk]


def unbeaten(places: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the places that no other beats in loss and risk, each once, by what is lost.

    Example:
        >>> unbeaten([(0.5, 0.1), (0.2, 0.3), (0.5, 0.2)])
        [(0.2, 0.3), (0.5, 0.1)]
    """
    every = set(places)
    return sorted(p for p in every if not any(o != p and o[0] <= p[0] and o[1] <= p[1] for o in every))


def row_document(row: MethodRow) -> dict[str, Any]:
    """Return a row as plain values that JSON knows."""
    told = {one.name: getattr(row, one.name) for one in fields(row) if one.name != "plots"}
    losses = [{name: part_document(loss)[name] for name in _OF_LOSS} for loss in row.utility]
    seconds = None if row.seconds is None else round(row.seconds, 6)
    told |= {"status": row.status.value, "figures": finite_figures(row.figures), "utility": losses}
    return {name: part_document(value) for name, value in (told | {"seconds": seconds}).items()}


_OF_LOSS = ("metric", "title", "value", "unit", "sensitive", "reason")


def finite_figures(figures: Mapping[str, float]) -> dict[str, float | None]:
    """Return figures by metric, None for what JSON has no number for."""
    return {name: value if math.isfinite(value) else None for name, value in figures.items()}
