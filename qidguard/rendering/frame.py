"""Reports as pandas tables: one row a threshold, or one row a column."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from qidguard.core.report import AuditReport
from qidguard.rendering.document import document

if TYPE_CHECKING:
    import pandas as pd

THRESHOLD = ("metric", "combination", "qids", "sensitive", "value", "unit", "bound", "limit", "distance")
THRESHOLD_ENDS = ("is_met", "is_warning", "reason")
COLUMN = ("name", "role", "decided_by", "type", "distinct", "missing", "risk", "reason")
COLUMN_ENDS = ("kind", "tier", "category")


def thresholds_frame(report: AuditReport | None) -> "pd.DataFrame":
    """Return one row a threshold; none without a verdict."""
    import pandas as pd

    rows = [] if report is None else document(report)["thresholds"]
    return pd.DataFrame(rows, columns=[*THRESHOLD, *THRESHOLD_ENDS])


def columns_frame(report: AuditReport) -> "pd.DataFrame":
    """Return one row a column of the table."""
    import pandas as pd

    rows = [
        {
            **column,
            "kind": (column["kind"] or {}).get("kind"),
            "tier": (column["sensitivity"] or {}).get("tier"),
            "category": (column["sensitivity"] or {}).get("category"),
        }
        for column in document(report)["columns"]
    ]
    return pd.DataFrame(rows, columns=[*COLUMN, *COLUMN_ENDS])


def stages_frame(stages: Mapping[str, AuditReport | None]) -> "pd.DataFrame":
    """Return one row a threshold and stage, such as before and after; a stage without a report has none."""
    import pandas as pd

    found = []
    for stage, report in stages.items():
        frame = thresholds_frame(report)
        frame.insert(0, "stage", stage)
        if len(frame):
            found.append(frame)
    empty = pd.DataFrame(columns=["stage", *THRESHOLD, *THRESHOLD_ENDS])
    return pd.concat(found, ignore_index=True) if found else empty
