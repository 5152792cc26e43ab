"""An evaluation as lines and tables."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.sdk import Cell, ResultTable, shown_name
from qidguard_hybrid_dp.evaluation.printed import printed_table
from qidguard_hybrid_dp.evaluation.statistics_kept import BINS, QUANTILES
from qidguard_hybrid_dp.evaluation.trial import PLAIN, RKA, SVD

if TYPE_CHECKING:
    from qidguard_hybrid_dp.evaluation.evaluation import MeasuredTrial, TableEvaluation

STAND_INS = (
    "The paper compares with RKA and SVD3DR, which it does not define: the stand-ins are ours, and nothing is"
    " claimed from them."
)


def headline(found: "TableEvaluation") -> Iterator[str]:
    """Yield what was tried, which columns are pattern-friendly, and why a method has no figures."""
    yield f"EVALUATED  {len(found.measured)} published tables of {found.records:,} records, in memory"
    yield f"  quasi-identifiers  {', '.join(map(shown_name, found.qids))}"
    friendly = ", ".join(map(shown_name, found.friendly)) or "none: no part is violating"
    yield f"  pattern-friendly   {friendly}"
    if found.is_interrupted:
        done = len(found.measured) + len(found.failed)
        yield f"  stopped            after {done:,} of {found.asked:,} trials"
    for one in found.failed:
        yield f"  no figures         k={one.k}, {one.label}: {one.reason}"
    if any(one.trial.method in {RKA, SVD} for one in found.measured):
        yield f"  {STAND_INS}"


def tables_of(found: "TableEvaluation") -> tuple[ResultTable, ...]:
    """Return the tables; one that would have no rows is left out."""
    made = [
        originality_table(found),
        loss_table(found),
        statistics_table(found),
        minorities_table(found),
        seconds_table(found),
    ]
    if found.printed:
        made.append(printed_table(found.measured))
    return tuple(one for one in made if one.rows)


def originality_table(found: "TableEvaluation") -> ResultTable:
    """Return the share of cells that are as they were, over all and by column."""
    own = ("k", "method", "all")
    return ResultTable(
        name="originality",
        title="Originality: share of quasi-identifier cells that are exactly as they were",
        columns=(*own, *(f"column {name}" if name in own else name for name in found.qids)),
        rows=tuple(
            (
                *_who(one),
                _short(one.originality.share),
                *(_short(one.originality.by_column[name]) for name in found.qids),
            )
            for one in found.measured
        ),
        note="Plain k-anonymity generalizes numbers; noise leaves some as they are.",
    )


def loss_table(found: "TableEvaluation") -> ResultTable:
    """Return DM of (4) and the losses of numbers in each part."""
    rows = [
        (
            *_who(one),
            part.partition,
            part.records,
            round(part.distortion, 3),
            _short(part.categorical),
            _short(part.changed),
            _short(part.distance),
        )
        for one in found.measured
        for part in one.losses
    ]
    return ResultTable(
        name="loss",
        title="Information loss in each part (Fig. 11, 12)",
        columns=("k", "method", "part", "records", "DM", "DM a cell", "numbers changed", "distance"),
        rows=tuple(rows),
        note="DM is (4), Σ l/l′ with weight 1 over categorical cells, l′ the levels above the exact one. The"
        " paper's IL of numbers is the share that changed; distance is the mean change as a share of the"
        " column's span.",
    )


def statistics_table(found: "TableEvaluation") -> ResultTable:
    """Return what became of the statistics of each numeric column."""
    return ResultTable(
        name="statistics",
        title="Statistics of numbers, published less original (Fig. 14, 15)",
        columns=(
            *("k", "method", "column", "mean", "spread ×"),
            *(f"q{round(100 * one)}" for one in QUANTILES),
            *("outside", "unchanged", "histogram"),
        ),
        rows=tuple(
            (
                *_who(one),
                number.column,
                round(number.mean, 3),
                round(number.spread, 3),
                *(round(moved, 2) for moved in number.quantiles),
                number.outside,
                _short(number.unchanged),
                _short(number.variation),
            )
            for one in found.measured
            for number in one.statistics
        ),
        note="outside counts published numbers beyond the declared bounds; histogram is the total variation"
        f" of {BINS} bins, 0..1. An interval counts by its middle.",
    )


def minorities_table(found: "TableEvaluation") -> ResultTable:
    """Return what can still be read of each value category."""
    return ResultTable(
        name="minorities",
        title="Minorities: records whose value of a pattern-friendly column can still be read",
        columns=("k", "method", "column", "category", "values", "records", "readable", "values gone"),
        rows=tuple(
            (
                *_who(one),
                rare.column,
                rare.category,
                rare.distinct,
                rare.records,
                _short(rare.readable),
                rare.gone,
            )
            for one in found.measured
            for rare in one.minorities
        ),
    )


def seconds_table(found: "TableEvaluation") -> ResultTable:
    """Return the time of each step, and how many times longer plain k-anonymity takes at the same k."""
    steps = tuple(dict.fromkeys(step for one in found.measured for step in one.trial.seconds))
    plain = {one.trial.k: one.trial.total for one in found.measured if one.trial.method == PLAIN}
    rows: list[tuple[Cell, ...]] = []
    for one in found.measured:
        beside = plain.get(one.trial.k)
        told = [one.trial.seconds.get(step) for step in steps]
        ratio = None if beside is None or not one.trial.total else round(beside / one.trial.total, 2)
        rows.append(
            (
                *_who(one),
                *(None if s is None else round(s, 3) for s in told),
                round(one.trial.total, 3),
                ratio,
            )
        )
    return ResultTable(
        name="seconds",
        title="Wall time of each step, s (Fig. 18)",
        columns=("k", "method", *steps, "total", "plain / this"),
        rows=tuple(rows),
        note="All in one run; plain k-anonymity is the same kernel over all quasi-identifiers.",
    )


def _who(one: "MeasuredTrial") -> tuple[int, str]:
    return one.trial.k, one.trial.label


def _short(share: float | None) -> float | None:
    return None if share is None else round(share, 4)
