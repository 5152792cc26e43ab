"""A comparison on a page: one row a method, then which to take, and why the others do not do."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from qidguard.sdk import PageRow, ResultPage, visible
from qidguard_comparison.recommendation import sentences_of
from qidguard_comparison.row import (
    AVERAGE_RISK,
    HIGHEST_RISK,
    INFORMATION_LOSS,
    LOSS,
    SMALLEST_CLASS,
    MethodRow,
    Status,
)

if TYPE_CHECKING:
    from qidguard_comparison.comparison import Comparison

Looks = Literal["plain", "best", "bad", "aside"]

MODEL_CHANGE = "model_f1_change"

_LEFT_OUT: Final = (
    *("MB", "IL", "cells", "correlations", "s", "means", "highest risk", "NCP by groups", "1-way"),
    *("F1 change", "suppressed", "changed"),
)
"""Columns that a narrow table leaves out, in this order."""


def comparison_page(comparison: "Comparison") -> ResultPage:
    """Return a comparison as a console and a notebook show it: risks and losses in percent."""
    rows, methods = (comparison.original, *comparison.methods), comparison.methods
    columns = {title: read for title, read in _COLUMNS.items() if any(map(read, rows))}
    best = comparison.best
    return ResultPage(
        heading=f"{comparison.source}: {comparison.records:,} records, policy {comparison.policy}",
        best="" if best is None else best.label,
        columns=("method", "policy", *columns),
        rows=tuple(
            PageRow(
                cells=(row.label, _word(row), *(read(row) or "-" for read in columns.values())),
                looks="best" if best is not None and row.label == best.label else _LOOKS[row.status],
            )
            for row in rows
        ),
        words=2,
        left_out=_LEFT_OUT,
        legend={**_WORDS, "": "Smaller is better."} if columns.keys() & _WORDS.keys() else {},
        sentences=tuple(_recommended(comparison)),
        missed={"What the others miss": _beside(methods, lambda row: row.sentences)},
        lists={
            "Attacks": _beside(methods, lambda row: [attack.sentence for attack in row.attacks]),
            "Noise": _beside(methods, lambda row: row.noised),
        },
        ending="Interrupted: methods are missing." if comparison.is_interrupted else "",
    )


def _beside(rows: Sequence[MethodRow], told: Callable[[MethodRow], Sequence[str]]) -> list[str]:
    """Return what is told of rows, each sentence after its method."""
    return [f"{row.label}: {sentence}" for row in rows for sentence in told(row)]


def _recommended(comparison: "Comparison") -> Iterator[str]:
    """Yield which method to take and why, and which are beaten by another."""
    best = comparison.best
    if best is None:
        yield "No method makes the policy hold."
        return
    found = comparison.recommendation
    if LOSS in best.figures:
        loss = _percent(best.figures[LOSS])
        yield f"{visible(best.label)} loses least ({loss} NCP) among those on which the policy holds."
    else:
        yield (
            f"{visible(best.label)} leaves least average risk among those on which the policy holds; NCP was"
            " not measured."
        )
    yield from (visible(sentence) for sentence in (sentences_of(found) if found is not None else ()))
    front = {row.label for row in comparison.frontier}
    beaten = [visible(row.label) for row in comparison.methods if row.is_made and row.label not in front]
    if beaten:
        yield f"Beaten in both risk and loss, or equal in one and worse in the other: {', '.join(beaten)}."


_LOOKS: Final[dict[Status, Looks]] = {
    Status.PASSED: "plain",
    Status.BLOCKED: "bad",
    Status.UNREACHABLE: "bad",
    Status.FAILED: "bad",
    Status.AS_IT_IS: "aside",
}

_WORDS = {
    "NCP": "NCP: share of detail lost, a set by its own values",
    "NCP by groups": "by groups: a set by the group of its hierarchy",
    "1-way": "1-way: tables of one quasi-identifier moved, at most",
    "2-way": "2-way: tables of two moved, on average",
    "means": "means: moved by standard deviations",
    "changed": "changed: cells that are not the original's",
}


def _word(row: MethodRow) -> str:
    if row.status is Status.AS_IT_IS:
        return "holds" if row.is_passed else "does not hold"
    words = {Status.PASSED: "holds", Status.BLOCKED: "does not hold", Status.UNREACHABLE: "cannot"}
    return words.get(row.status, "FAILED")


def _figure(row: MethodRow, metric: str, *, is_share: bool = True) -> str:
    if metric not in row.figures:
        return ""
    value = row.figures[metric]
    return _percent(value) if is_share else f"{value:,.4g}"


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"


def _excess(row: MethodRow) -> str:
    return _percent(max(attack.excess for attack in row.attacks)) if row.attacks else ""


_COLUMNS: dict[str, Callable[[MethodRow], str]] = {
    "k": lambda row: _figure(row, SMALLEST_CLASS, is_share=False),
    "highest risk": lambda row: _figure(row, HIGHEST_RISK),
    "average risk": lambda row: _figure(row, AVERAGE_RISK),
    "NCP": lambda row: _figure(row, LOSS),
    "NCP by groups": lambda row: _figure(row, "hierarchy_ncp"),
    "1-way": lambda row: _figure(row, "marginal_total_variation"),
    "2-way": lambda row: _figure(row, "two_way_total_variation"),
    "correlations": lambda row: _figure(row, "correlation_shift", is_share=False),
    "means": lambda row: _figure(row, "mean_shift", is_share=False),
    "IL": lambda row: _figure(row, INFORMATION_LOSS, is_share=False),
    "F1 change": lambda row: _figure(row, MODEL_CHANGE, is_share=False),
    "attack excess": _excess,
    "rehearsed, charges": lambda row: row.would_charge or "",
    "suppressed": lambda row: "" if row.records_suppressed is None else f"{row.records_suppressed:,}",
    "changed": lambda row: "" if row.changed_share is None else _percent(row.changed_share),
    "cells": lambda row: "" if row.cells_changed is None else f"{row.cells_changed:,}",
    "s": lambda row: "" if row.seconds is None else f"{row.seconds:.2f}",
    "MB": lambda row: "" if row.peak_bytes is None else f"{row.peak_bytes / 1e6:,.0f}",
}
"""Titles of the columns, and what a row has in each; a column that no row fills is left out."""
