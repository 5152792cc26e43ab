"""When Airflow runs a DAG next, as its own tables say."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, kw_only=True)
class NextRun:
    """When a DAG runs next.

    Args:
        dag_id: The DAG.
        at: The moment, UTC; None where no clock starts it.
        words: What starts it where no clock does: ``on data``, ``on demand`` or ``paused``.
    """

    dag_id: str
    at: datetime | None
    words: str


def next_runs(session: Any, dag_ids: Collection[str]) -> dict[str, NextRun]:
    """Return when DAGs run next."""
    if not dag_ids:
        return {}
    from airflow.models.dag import DagModel

    rows = session.query(
        DagModel.dag_id,
        DagModel.is_paused,
        DagModel.next_dagrun_create_after,
        DagModel.asset_expression,
    ).filter(DagModel.dag_id.in_(sorted(dag_ids)), DagModel.is_stale.is_(False))
    return {row.dag_id: _next_run(row) for row in rows}


def _next_run(row: Any) -> NextRun:
    at = None if row.is_paused else row.next_dagrun_create_after
    words = "paused" if row.is_paused else "on data" if row.asset_expression else "on demand"
    return NextRun(dag_id=row.dag_id, at=at, words="" if at is not None else words)


def soonest(dag_ids: Iterable[str], runs: Mapping[str, NextRun]) -> NextRun | None:
    """Return which of several DAGs runs first: by the clock, else on data, else on demand, else paused."""
    known = [runs[dag_id] for dag_id in dag_ids if dag_id in runs]
    timed = [(run.at, place) for place, run in enumerate(known) if run.at is not None]
    if timed:
        return known[min(timed)[1]]
    return min(known, key=lambda run: ("on data", "on demand", "paused").index(run.words), default=None)
