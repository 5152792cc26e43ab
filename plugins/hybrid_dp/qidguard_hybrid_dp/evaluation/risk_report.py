"""What is given away, as lines, tables and plots."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from qidguard.sdk import NotMeasurable, Plot, ResultTable, shown_name
from qidguard_hybrid_dp.charts import (
    METHOD,
    METHOD_COLOR,
    Part,
    lines_by_k,
    number,
    over_k,
    panel,
    plot,
    spans,
)
from qidguard_hybrid_dp.evaluation.risk import Mean
from qidguard_hybrid_dp.evaluation.risk_study import RiskRow
from qidguard_hybrid_dp.evaluation.trial import CaseTrial

_FIGURES = {"identity": "identity", "sensitive": "sensitive value"}
_AXES: dict[str, Part] = {
    "identity": {"scale": {"type": "log"}, "axis": {"format": "~g", "tickCount": 4, "grid": False}},
    "sensitive": {"scale": {"zero": False}},
}


@dataclass(frozen=True, kw_only=True)
class RiskStudy:
    """What methods give away of the same persons; it holds names and figures, no value of the table.

    Args:
        records: Records of the release.
        targets: Persons of the release who were looked for.
        outsiders: Persons who are not in it.
        qids: The quasi-identifiers.
        sensitive: What the attacker wants to know.
        rows: The figures.
        failed: Methods that could not be done.
        asked: Rows that were asked for; more than there are where it was stopped early.
    """

    records: int
    targets: int
    outsiders: int
    qids: tuple[str, ...]
    sensitive: str
    rows: tuple[RiskRow, ...] = field(repr=False)
    failed: tuple[CaseTrial, ...] = ()
    asked: int = 0

    @property
    def is_interrupted(self) -> bool:
        """Whether it was stopped before the end."""
        return len(self.rows) < self.asked

    @property
    def headline(self) -> str:
        """Who was looked for, and where a method is safer than plain k-anonymity."""
        return "\n".join(_headline(self))

    def tables(self) -> tuple[ResultTable, ...]:
        """Return the posteriors, and the paired differences to plain k-anonymity."""
        return _posteriors(self), _differences(self)

    def plots(self) -> dict[str, Plot]:
        """Return the posteriors over k, and the differences with their intervals."""
        if not self.rows:
            raise NotMeasurable("no method could be attacked, so there is nothing to plot")
        made = {"risk": _over_k(self)}
        if any(row.identity is not None for row in self.rows):
            made["difference"] = _difference_plot(self)
        return made


def _headline(found: RiskStudy) -> Iterator[str]:
    yield (
        f"ATTACKED  {found.targets:,} persons of {found.records:,}, and {found.outsiders:,} who are not in"
        " the release"
    )
    yield f"  the attacker knows  scale and partition rule, and of {', '.join(map(shown_name, found.qids))}"
    yield "                      some, drawn for each person (random), or all (full)"
    yield f"  and wants to know   {shown_name(found.sensitive)}"
    if found.is_interrupted:
        yield f"  stopped             after {len(found.rows):,} of {found.asked:,} rows"
    for one in found.failed:
        yield f"  no figures          k={one.k}, {one.label}: {one.reason}"
    for what, words in _FIGURES.items():
        means = [(row.label, mean) for row in found.rows if (mean := _mean(row, what)) is not None]
        for label in dict.fromkeys(label for label, _ in means):
            signs = [mean.sign for own, mean in means if own == label]
            yield (
                f"  {words:<18}  {label}: below plain k-anonymity in {signs.count(-1)}, above it in"
                f" {signs.count(1)} of {len(signs)} rows"
            )


def _mean(row: RiskRow, what: str) -> Mean | None:
    return row.identity if what == "identity" else row.sensitive


def _posteriors(found: RiskStudy) -> ResultTable:
    return ResultTable(
        name="risk",
        title="Mean posterior of the own record (identity) and of the true sensitive value",
        columns=(
            *("k", "ν", "method", "identity", "sensitive", "not in it", "excess"),
            *("excess from", "excess to", "above 1/k", "eq. (2)"),
        ),
        rows=tuple(
            (
                row.k,
                row.knowledge,
                row.label,
                _digits(row.figures.identity),
                _digits(row.figures.sensitive),
                _digits(row.figures.outsiders),
                *map(_digits, _ends(row.figures.excess)),
                _digits(row.figures.above),
                _digits(row.figures.largest),
            )
            for row in found.rows
        ),
        note="not in it: the same posterior for persons who are not in the release; excess: what being in it"
        " adds, with its 95 % interval; above 1/k: share of targets whose own record is likelier than 1/k."
        " Equation (2) is the largest posterior of any value for any target: it is about 1 nearly everywhere"
        " and decides nothing.",
    )


def _differences(found: RiskStudy) -> ResultTable:
    rows = []
    for row in found.rows:
        if row.identity is None or row.sensitive is None:
            continue
        told = []
        for mean in (row.identity, row.sensitive):
            told += [*map(_digits, _ends(mean)), ("below", "", "above")[mean.sign + 1]]
        rows.append((row.k, row.knowledge, row.label, *told))
    return ResultTable(
        name="beside_plain",
        title="Less plain k-anonymity at the same k, same targets, same ν: paired 95 % intervals",
        columns=(
            *("k", "ν", "method", "identity", "identity from", "identity to", "identity is"),
            *("sensitive", "sensitive from", "sensitive to", "sensitive is"),
        ),
        rows=tuple(rows),
        note="below: the whole interval lies below 0, so less is given away than by plain k-anonymity.",
    )


def _ends(mean: Mean) -> tuple[float, float, float]:
    return mean.value, mean.low, mean.high


def _digits(number: float) -> float:
    return round(number, 6)


def _over_k(found: RiskStudy) -> Plot:
    panels = []
    rows = []
    for what, words in _FIGURES.items():
        for knowledge in dict.fromkeys(row.knowledge for row in found.rows):
            some: list[Part] = [
                {"method": row.label, "k": row.k, "posterior": getattr(row.figures, what)}
                for row in found.rows
                if row.knowledge == knowledge
            ]
            chart = lines_by_k(some, "posterior", "mean posterior", "~g", **_AXES[what])
            panels.append(panel(f"{words}, {knowledge} ν", chart, some, width=270, height=180))
            rows += [{**row, "method": f"{words}, {knowledge} ν, {row['method']}"} for row in some]
    return plot(
        "What an attacker believes of the true record and value",
        f"Mean posteriors by method and k: {spans(rows, 'posterior')}.",
        concat=panels,
        columns=2,
        spacing=24,
    )


def _difference_plot(found: RiskStudy) -> Plot:
    rows: list[Part] = []
    for row in found.rows:
        for what, words in _FIGURES.items():
            mean = _mean(row, what)
            if mean is not None:
                told = {"method": row.label, "k": row.k, "panel": f"{words}, {row.knowledge} ν"}
                rows.append({**told, "difference": mean.value, "low": mean.low, "high": mean.high})
    panels = [_intervals(panel) for panel in dict.fromkeys(row["panel"] for row in rows)]
    below = sum(float(row["high"]) < 0 for row in rows)
    return plot(
        "Less plain k-anonymity: paired 95 % intervals",
        "Differences of mean posteriors to plain k-anonymity at the same k, with intervals:"
        f" {below} of {len(rows)} lie below 0.",
        rows,
        concat=panels,
        columns=2,
        spacing=24,
    )


def _intervals(name: str) -> Part:
    by = {"x": over_k(), "xOffset": METHOD, "color": METHOD_COLOR}
    low, middle = (number(field, "difference", "~g") for field in ("low", "difference"))
    zero = {"mark": {"type": "rule", "strokeDash": [3, 3]}, "encoding": {"y": {"datum": 0}}}
    spread = {
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {**by, "y": low, "y2": {"field": "high"}},
    }
    point = {"mark": {"type": "point", "filled": True, "size": 45}, "encoding": {**by, "y": middle}}
    here = [{"filter": {"field": "panel", "equal": name}}]
    return panel(name, {"layer": [zero, spread, point]}, transform=here, width=270, height=180)
