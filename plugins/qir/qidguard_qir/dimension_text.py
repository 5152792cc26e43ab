"""What Algorithm 2 found, as lines of text."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qidguard.sdk import Cell, ResultTable, result_lines, shown_name
from qidguard_qir.dimensions import COLUMNS, size_text
from qidguard_qir.gain import Gain

if TYPE_CHECKING:
    from qidguard_qir.dimensions import ChosenDimension, Dimensions

NOTE = (
    "PG is the share of the mean prosecutor risk that was removed; NUE the percentage of the information that"
    " is kept; figures are means over the samples."
)
HEADINGS = ("dimension", "joined", "risk %", "PG %", "NUE %", "PG persons", "suppressed %", "chosen by %")


def headline(found: "Dimensions") -> Iterator[str]:
    """Yield what was chosen, by which anonymizer, and how far it came."""
    qids = found.quasi_identifiers
    if qids:
        columns = ", ".join(map(shown_name, qids))
        yield f"DIMENSION  {len(qids)} of {len(found.qids)} quasi-identifiers: {columns}"
    else:
        yield f"DIMENSION  none: no dimension of {len(found.qids)} has a figure"
    yield f"  anonymizer  {found.anonymizer}, on samples of {found.records:,} records"
    if found.is_interrupted:
        yield f"  stopped     after {len(found.runs):,} of {found.asked:,} rehearsals; whole samples count"
    for one in found.chosen:
        for dimension in one.missing:
            where = f"k = {one.k}, sample {size_text(one.size)}, dimension {dimension}"
            yield f"  no figure   {where}, in some sample: {_reason(found, one, dimension)}"


def lines(found: "Dimensions") -> Iterator[str]:
    """Yield what was chosen, how surely, and the figures behind it."""
    yield from headline(found)
    for one in found.chosen:
        yield ""
        yield _heading(one)
        rows = tuple(
            (at, shown_name(name), *figures, round(share)) for at, name, figures, share in _rows(found, one)
        )
        table = ResultTable(name="dimensions", title="Each dimension", columns=HEADINGS, rows=rows)
        yield from ("    " + line for line in result_lines(table))
    yield ""
    yield f"  {NOTE}"


def tables(found: "Dimensions") -> tuple[ResultTable, ...]:
    """Return the choices, the means of each dimension over the samples, and every rehearsal."""
    choices = ResultTable(
        name="choices",
        title="The chosen dimension for each k and size of sample",
        columns=("k", "size", "dimension", "chosen_by", "samples", "stability"),
        rows=tuple(
            (
                *(one.k, size_text(one.size), one.dimension, round(one.stability * len(one.choices))),
                *(len(one.choices), one.stability),
            )
            for one in found.chosen
        ),
    )
    means = ResultTable(
        name="means",
        title="Means over the samples",
        columns=(
            *("k", "size", "dimension", "joined", "risk_percent", "pg_percent", "nue_percent"),
            *("pg_persons", "suppressed_percent", "chosen_by_percent"),
        ),
        rows=tuple(
            (one.k, size_text(one.size), at, name, *figures, share)
            for one in found.chosen
            for at, name, figures, share in _rows(found, one)
        ),
    )
    every = ResultTable(
        name="rehearsals", title="Every rehearsal", columns=COLUMNS, rows=tuple(found.rows()), is_detail=True
    )
    return choices, means, every


def _heading(one: "ChosenDimension") -> str:
    asked = f"  k = {one.k}, sample {size_text(one.size)}"
    if one.dimension is None:
        return f"{asked}: no choice"
    samples = len(one.choices)
    agree = round(one.stability * samples)
    tied = sorted({t for choice in one.choices.values() for t in choice.tied})
    also = f"; tied in some sample: {', '.join(map(str, tied))}" if tied else ""
    return (
        f"{asked}: {one.dimension}, chosen by {agree} of {samples} sample{'' if samples == 1 else 's'}{also}"
    )


def _rows(found: "Dimensions", one: "ChosenDimension") -> Iterator[tuple[int, str, tuple[Cell, ...], float]]:
    """Yield for each dimension what joined, its risk and the means, and the share of the samples, percent."""
    for at, (name, risk) in enumerate(zip(found.qids, found.risks, strict=True), start=1):
        means = _means(found.of(one.size, one.k, at))
        yield at, name, (100 * risk, *means), 100 * one.shares.get(at, 0.0)


def _means(gains: Sequence[Gain]) -> tuple[float | None, ...]:
    """Return the means of PG and NUE in percent, of PG in persons and of what is suppressed in percent."""
    if not gains:
        return (None,) * 4
    return (
        mean([gain.privacy_gain for gain in gains]),
        mean([gain.kept for gain in gains]),
        mean([float(gain.anonymity_gain) for gain in gains]),
        mean([100 * gain.suppressed for gain in gains]),
    )


def mean(numbers: Sequence[float]) -> float:
    """Return the mean."""
    return sum(numbers) / len(numbers)


def _reason(found: "Dimensions", one: "ChosenDimension", dimension: int) -> str:
    return next(
        run.reason
        for run in found.runs
        if (run.size, run.k, run.dimension) == (one.size, one.k, dimension) and run.gain is None
    )
