"""A ledger with something of everything for the pages to show, most of it left by real runs."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from example_report import column, passed
from officers import Officer
from qidguard import DataError
from qidguard.core.column import ValueType
from qidguard.core.report import AuditReport
from qidguard.core.role import Role
from qidguard.ledger import open_ledger
from qidguard.releasing.deciding.check import check
from qidguard.releasing.deciding.checked_entry import record_report
from releases import Place, people, policy

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SEED = 8_070_605_040_302_010
VALUE = "zebra-fever"
"""Stands in the tables and must stand nowhere else."""

HOSTILE = "<img src=x onerror=alert(1)>"
POLICY_HOSTILE = "</style><script>alert(2)</script>"
NIGHTLY = {"door": "airflow", "dag_id": "nightly", "task_id": "audit", "run_id": "scheduled"}
ON_DATA = NIGHTLY | {"dag_id": "on_arrival"}


def table(size: int, first: int = 0) -> pd.DataFrame:
    """Return people from one on in classes of a size, one illness of whom is VALUE."""
    return people(size=size, first=first).replace({"illness": {"flu": VALUE}})


def rules(data_set: str, **changes: Any) -> dict[str, Any]:
    """Return the policy of a data set."""
    return policy(release={"data_set": data_set}, **changes)


def fill(root: Path) -> Place:
    """Return a place with five data sets: published, blocked, excepted, failed, and one of hostile names."""
    place = Place(root)
    place.release(table(5), rules("ward"), now=NOW, seed=SEED, origin=NIGHTLY, release_id="2026-11")
    place.release(table(4, 500), rules("school"), now=NOW, origin=ON_DATA, release_id="first")
    _excepted(place)
    options: Any = {"home": str(place.home), "origin": NIGHTLY}
    with suppress(DataError):
        check(str(root / "gone.csv"), policy=rules("claims"), **options, now=NOW)
    _hostile(place)
    return place


def _excepted(place: Place) -> None:
    officer = Officer(place.root)
    own = rules("pilot", exceptions=officer.exceptions)
    blocked = place.release(table(4, 900), own, now=NOW, release_id="first")
    officer.let_through(place, blocked.audit_id, NOW, reason="one hospital", expires=date(2026, 12, 1))
    place.release(table(4, 900), own, now=NOW + timedelta(minutes=5), release_id="second")


def _hostile(place: Place) -> None:
    """Record an audit every name of which is markup."""
    whole = passed()
    assert whole.verdict is not None
    report: AuditReport = replace(
        whole,
        policy=POLICY_HOSTILE,
        source=HOSTILE,
        columns=(column(HOSTILE, Role.QUASI_IDENTIFIER, ValueType.TEXT, 2),),
        summaries=tuple(replace(s, combination=HOSTILE, qids=(HOSTILE,)) for s in whole.summaries),
        verdict=replace(
            whole.verdict,
            thresholds=tuple(
                replace(t, measurement=replace(t.measurement, title=HOSTILE, qids=(HOSTILE,)))
                for t in whole.verdict.thresholds
            ),
        ),
    )
    with open_ledger(place.ledger) as ledger:
        record_report(
            ledger, report, data_set=HOSTILE, at=NOW, audit_id="audit-hostile", origin={"door": HOSTILE}
        )
