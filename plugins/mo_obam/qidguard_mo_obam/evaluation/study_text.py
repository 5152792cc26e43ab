"""A study as lines and tables."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qidguard.sdk import ResultTable, shown_name

if TYPE_CHECKING:
    from qidguard_mo_obam.evaluation.study import Study, WeighedSetting

Cell = str | int | float | bool | None
FREE = "free"


def headline(found: "Study") -> Iterator[str]:
    """Yield what was weighed, the front's size, and its knee."""
    yield f"{found.title.upper()}  {len(found.weighed):,} settings of MO-OBAM weighed in memory"
    yield f"  quasi-identifiers     {', '.join(map(shown_name, found.qids))}"
    yield f"  sensitive attributes  {', '.join(map(shown_name, found.sensitive))}"
    if found.design is not None and found.target is not None:
        words = ", ".join(model.replace("_", " ").replace("bayes", "Bayes") for model in found.models)
        yield f"  F1                    {words}, predicting {shown_name(found.target)}; {found.design}"
    if found.is_interrupted:
        yield f"  stopped               after {len(found.weighed):,} of {found.asked:,} settings"
    failed = [one for one in found.weighed if one.costs is None]
    if failed:
        yield f"  no figures            {len(failed)} settings, such as {failed[0].trial.label}:"
        yield f"                        {failed[0].trial.reason}"
    yield f"  front                 {len(found.front)} settings that no other beats"
    if found.knee is not None:
        yield f"  knee                  {found.knee.trial.label}: {_said(found.knee)}"


def _said(one: "WeighedSetting") -> str:
    figures = one.trial.figures
    if figures is None:
        return one.trial.reason
    f1 = "" if one.f1 is None else f", F1 {one.f1:.4f}"
    return (
        f"IL {figures.information_loss:.4g}, {figures.at_risk[0]:,} at risk at"
        f" τ={figures.thresholds[0]:g}, {figures.homogeneous:,} homogeneous{f1}"
    )


def front_table(found: "Study") -> ResultTable:
    """Return the front, the least loss first."""
    return ResultTable(
        name="front",
        title="Front: settings that no other beats in every objective",
        columns=(*_columns(found), "knee"),
        rows=tuple((*_row(found, one), "knee" if one is found.knee else "") for one in found.front),
        note="The knee lies farthest from the plane through the best of each objective (Das 1999).",
    )


def settings_table(found: "Study") -> ResultTable:
    """Return every setting in the order in which it was tried."""
    return ResultTable(
        name="settings",
        title="Every setting",
        columns=(*_columns(found), "reason"),
        rows=tuple((*_row(found, one), one.trial.reason) for one in found.weighed),
        is_detail=True,
    )


def _columns(found: "Study") -> tuple[str, ...]:
    figures = (one.trial.figures for one in found.weighed)
    thresholds = next((one.thresholds for one in figures if one is not None), ())
    at_risk = tuple(f"τ={f'{one:g}'.removeprefix('0')}" for one in thresholds)
    scores = () if found.design is None else ("F1",)
    return ("k", "n_c", "lambda", "clusters", "smallest", "IL", "IL std", *at_risk, "HA", "entropy", *scores)


def _row(found: "Study", one: "WeighedSetting") -> tuple[Cell, ...]:
    setting, figures = one.setting, one.trial.figures
    told = setting.k, FREE if setting.n_c is None else setting.n_c, setting.weight
    scores = () if found.design is None else (one.f1,)
    if figures is None:
        return *told, *(None,) * (len(_columns(found)) - 3)
    return (
        *told,
        *(figures.clusters, figures.smallest, figures.information_loss, figures.standardized_loss),
        *figures.at_risk,
        *(figures.homogeneous, figures.entropy),
        *scores,
    )
