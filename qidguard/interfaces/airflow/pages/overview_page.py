"""What the list of data sets shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from fastapi.encoders import jsonable_encoder
from pydantic import BaseModel, ConfigDict, Field

from qidguard.interfaces.airflow.pages.drawing import Trend, look, tightest_words, trend
from qidguard.interfaces.airflow.pages.next_run import NextRun, soonest
from qidguard.releasing.history.judgment import RunStatus
from qidguard.releasing.history.overview import LONGEST_TREND

if TYPE_CHECKING:
    from qidguard.releasing.history.overview import DataSetOverview

ON_A_PAGE: Final = 50


class Wanted(BaseModel):
    """Which part of the list was asked for.

    Args:
        q: A part of the data set's name; upper and lower case are the same.
        show: All, or those whose last verdict is not good.
        page: Which page, 1 is the first.
    """

    model_config = ConfigDict(extra="ignore")

    q: str = Field(default="", max_length=200)
    show: Literal["all", "attention"] = "all"
    page: int = Field(default=1, ge=1, le=1_000_000)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One data set of the list."""

    line: "DataSetOverview"
    look: str
    trend: Trend
    tightest: str
    next_run: NextRun | None


def overview_page(
    lines: "Sequence[DataSetOverview]", runs: Mapping[str, NextRun], wanted: Wanted, now: datetime
) -> dict[str, Any]:
    """Return what the template of the list is given: those that need attention first, then by name.

    Example:
        >>> overview_page([], {}, Wanted(), datetime.now())["total"]
        0
    """
    matching = [line for line in lines if wanted.q.strip().casefold() in line.data_set.casefold()]
    bad = [line for line in matching if not line.last.status.is_good]
    shown = bad if wanted.show == "attention" else [*bad, *(f for f in matching if f.last.status.is_good)]
    pages = max(1, -(-len(shown) // ON_A_PAGE))
    number = min(wanted.page, pages)
    return {
        "rows": [_row(line, runs) for line in shown[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]],
        "is_empty": not lines,
        "total": len(matching),
        "attention": len(bad),
        "shown": len(shown),
        "counts": _counts(matching),
        "wanted": wanted,
        "number": number,
        "pages": pages,
        "now": now,
    }


def overview_document(line: "DataSetOverview", runs: Mapping[str, NextRun]) -> dict[str, Any]:
    """Return one data set as plain values that JSON knows."""
    fields: dict[str, Any] = jsonable_encoder(line)
    for judgment in fields["trend"]:
        if judgment["dag_id"] not in runs:
            judgment["dag_id"] = None
    fields["next_runs"] = [jsonable_encoder(runs[dag_id]) for dag_id in line.dag_ids if dag_id in runs]
    return fields


def _row(line: "DataSetOverview", runs: Mapping[str, NextRun]) -> Row:
    return Row(
        line=line,
        look=look(line.last.status),
        trend=trend(line.trend, LONGEST_TREND),
        tightest=tightest_words(line.last),
        next_run=soonest(line.dag_ids, runs),
    )


def _counts(lines: "Sequence[DataSetOverview]") -> list[tuple[RunStatus, int, str]]:
    statuses = [line.last.status for line in lines]
    return [(s, number, look(s)) for s in RunStatus if (number := statuses.count(s))]
