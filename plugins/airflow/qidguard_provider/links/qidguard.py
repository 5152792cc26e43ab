"""The link from a task to the report of its audit."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from airflow.sdk import BaseOperatorLink, BaseXCom, conf

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator

PAGE = "/qidguard/audits/"
"""Where the plugin shows reports, below the address of Airflow's own pages."""


class QidguardReportLink(BaseOperatorLink):
    """The button "Privacy report" of a task: of the gate's own, or of one that returns what they return."""

    name = "Privacy report"

    def get_link(self, operator: "BaseOperator", *, ti_key: Any) -> str:
        """Return the address of the report that a task instance left; empty where it left none.

        Example:
            >>> QidguardReportLink().name
            'Privacy report'
        """
        if hasattr(operator, "judged"):  # Airflow asks in the task's own process, right after its end
            return report_address(None if operator.judged is None else operator.judged.audit_id)
        value = BaseXCom.get_value(ti_key=ti_key, key=BaseXCom.XCOM_RETURN_KEY)
        return report_address(value.get("audit_id") if isinstance(value, dict) else None)


def report_address(audit_id: str | None) -> str:
    """Return the address of the page that shows an audit."""
    if not audit_id:
        return ""
    base = conf.get("api", "base_url", fallback="") or ""
    return f"{base.rstrip('/')}{PAGE}{quote(audit_id, safe='')}"
