"""What Algorithm 2 found, as lines of text."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qidguard_qir.aligned import aligned
from qidguard_qir.dimensions import size_text
from qidguard_qir.gain import Gain

if TYPE_CHECKING:
    from qidguard_qir.dimensions import ChosenDimension, Dimensions

NOTE = (
    "PG is the share of the mean prosecutor risk that was removed; NUE the percentage of the information that"
    " is kept; figures are means over the samples."
)
HEADINGS = ("dimension", "joined", "risk %", "PG %", "NUE %", "PG persons", "suppressed %", "chosen by %")


def lines(found: "Dimensions") -> Iterator[str]:
    """Yield what was chosen, how surely, and the figures behind it."""
    qids = found.quasi_identifiers
    if qids:
        yield f"DIMENSION  {len(qids)} of {len(found.qids)} quasi-identifiers: {', '.join(qids)}"
    else:
        yield f"DIMENSION  none: no dimension of {len(found.qids)} has a figure"
    yield f"  anonymizer  {found.anonymizer}, on samples of {found.records:,} records"
    if found.is_interrupted:
        yield f"  stopped     after {len(found.runs):,} of {found.asked:,} rehearsals; whole samples count"
    for one in found.chosen:
        yield ""
        yield _heading(one)
        yield from ("    " + line for line in aligned(HEADINGS, _rows(found, one)))
        for dimension in one.missing:
            yield f"    dimension {dimension} has no figure in some sample: {_reason(found, one, dimension)}"
    yield ""
    yield f"  {NOTE}"


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


def _rows(found: "Dimensions", one: "ChosenDimension") -> list[tuple[str, ...]]:
    return [
        (str(at), name, f"{100 * risk:.3g}", *_figures(found.of(one.size, one.k, at)), _share(one, at))
        for at, (name, risk) in enumerate(zip(found.qids, found.risks, strict=True), start=1)
    ]


def _figures(gains: Sequence[Gain]) -> tuple[str, str, str, str]:
    if not gains:
        return "-", "-", "-", "-"
    figures = (
        mean([gain.privacy_gain for gain in gains]),
        mean([gain.kept for gain in gains]),
        mean([float(gain.anonymity_gain) for gain in gains]),
        mean([100 * gain.suppressed for gain in gains]),
    )
    pg, kept, persons, suppressed = figures
    return f"{pg:.2f}", f"{kept:.2f}", f"{persons:.1f}", f"{suppressed:.2f}"


def mean(numbers: Sequence[float]) -> float:
    """Return the mean."""
    return sum(numbers) / len(numbers)


def _share(one: "ChosenDimension", dimension: int) -> str:
    return f"{100 * one.shares.get(dimension, 0.0):.0f}"


def _reason(found: "Dimensions", one: "ChosenDimension", dimension: int) -> str:
    return next(
        run.reason
        for run in found.runs
        if (run.size, run.k, run.dimension) == (one.size, one.k, dimension) and run.gain is None
    )
