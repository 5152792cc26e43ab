"""Plots of an evaluation: originality, losses, distributions, minorities and time."""

from typing import TYPE_CHECKING

from qidguard.sdk import NotMeasurable, Plot
from qidguard_hybrid_dp.charts import Part, histogram, lines_by_k, number, panel, plot, spans, word

if TYPE_CHECKING:
    from qidguard_hybrid_dp.evaluation.evaluation import MeasuredTrial, TableEvaluation


def plots_of(found: "TableEvaluation") -> dict[str, Plot]:
    """Return the plots by name; NotMeasurable where nothing could be done."""
    if not found.measured:
        raise NotMeasurable("no method could be done, so there is nothing to plot")
    made = {"originality": originality_plot(found), "loss": loss_plot(found), "time": time_plot(found)}
    if found.measured[0].statistics:
        made["distributions"] = distributions_plot(found)
    if any(one.minorities for one in found.measured):
        made["minorities"] = minorities_plot(found)
    return made


def _who(one: "MeasuredTrial") -> Part:
    return {"method": one.trial.label, "k": one.trial.k}


def originality_plot(found: "TableEvaluation") -> Plot:
    """Return the share of cells that are as they were over k (Table III)."""
    rows = [{**_who(one), "share": one.originality.share} for one in found.measured]
    return plot(
        "Originality: quasi-identifier cells that are as they were",
        f"Share of cells that are as they were, by method and k: {spans(rows, 'share')}.",
        rows,
        **lines_by_k(rows, "share", "share of cells kept"),
    )


def loss_plot(found: "TableEvaluation") -> Plot:
    """Return DM a categorical cell over k in each part, and the distance of numbers (Fig. 11, 12)."""
    rows = [
        {**_who(one), "part": part.partition, "DM": part.categorical, "distance": part.distance}
        for one in found.measured
        for part in one.losses
        if part.records  # a part without records has no loss
    ]
    panels = []
    for part in dict.fromkeys(row["part"] for row in rows):
        here = [{"filter": {"field": "part", "equal": part}}]
        for field, title in (("DM", "DM a categorical cell"), ("distance", "distance of numbers")):
            some = [row for row in rows if row["part"] == part and row[field] is not None]
            if some:
                chart = lines_by_k(some, field, title, "~g")
                panels.append(panel(f"{part} records", chart, transform=here, width=270, height=170))
    categorical = [row for row in rows if row["DM"] is not None and row["part"] == "all"]
    return plot(
        "Information loss in each part",
        f"Losses by part, method and k. DM a cell over all records: {spans(categorical, 'DM')}.",
        rows,
        concat=panels,
        columns=2,
        spacing=22,
    )


def distributions_plot(found: "TableEvaluation") -> Plot:
    """Return histograms of each numeric column before and after, at the least k (Fig. 14, 15)."""
    least = min(one.trial.k for one in found.measured)
    shown = [one for one in found.measured if one.trial.k == least]
    methods = word("method", sort=[one.trial.label for one in shown], header={"labelLimit": 240})
    panels = []
    for at, column in enumerate(one.column for one in shown[0].statistics):
        rows = [{"method": one.trial.label, **row} for one in shown for row in one.statistics[at].bins]
        panels.append(
            {
                "data": {"values": rows},
                "facet": methods,
                "columns": 3,
                "spacing": 14,
                "spec": histogram(rows, size=(190, 120), title=column),
            }
        )
    moved = ", ".join(
        f"{one.trial.label} {number.column} {number.variation:.3f}"
        for one in shown
        for number in one.statistics
    )
    return plot(
        f"Numbers before and after, k = {least}",
        f"Histograms of numeric columns before and after. Total variation: {moved}.",
        vconcat=panels,
        spacing=24,
    )


def minorities_plot(found: "TableEvaluation") -> Plot:
    """Return the share of each category's records whose value can still be read, over k."""
    rows = [
        {**_who(one), "what": f"{rare.column}: {rare.category}", "readable": rare.readable}
        for one in found.measured
        for rare in one.minorities
    ]
    panels = []
    for what in dict.fromkeys(row["what"] for row in rows):
        some = [row for row in rows if row["what"] == what]
        chart = lines_by_k(some, "readable", "readable", scale={"domain": [0, 1]})
        panels.append(panel(str(what), chart, some, width=190, height=120))
    readable = [rare.readable for one in found.measured for rare in one.minorities]
    return plot(
        "Minorities that remain readable",
        "Share of records whose value can still be read, by column, category, method and k; "
        f"from {min(readable):.2f} to {max(readable):.2f}.",
        concat=panels,
        columns=3,
        spacing=20,
    )


def time_plot(found: "TableEvaluation") -> Plot:
    """Return the wall time of each step at each k (Fig. 18)."""
    rows = [
        {"method": one.trial.label, "k": f"k = {one.trial.k}", "step": step, "seconds": seconds}
        for one in found.measured
        for step, seconds in one.trial.seconds.items()
    ]
    totals = ", ".join(
        f"{one.trial.label} at k={one.trial.k} {one.trial.total:.2f} s" for one in found.measured
    )
    ks = word(
        "k",
        sort=list(dict.fromkeys(row["k"] for row in rows)),
        header={"labelAngle": 0, "labelAlign": "left"},
    )
    return plot(
        "Time of each step",
        f"Stacked bars of seconds by step: {totals}.",
        rows,
        facet={"row": ks},
        spacing=8,
        spec={
            "width": 380,
            "height": {"step": 16},
            "mark": {"type": "bar"},
            "encoding": {
                "y": word("method", sort=None, axis={"labelLimit": 240}),
                "x": number("seconds", "seconds"),
                "color": word("step", "step", sort=None),
                "tooltip": [{"field": "step", "type": "nominal"}, number("seconds", format=".3f")],
            },
        },
    )
