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

        Args:
            operator: The operator.
            ti_key: The task instance, mapped or not.

        Returns:
            The address of the page.

        Example:
            >>> QidguardReportLink().name
            'Privacy report'
        """
        if hasattr(operator, "judged"):  # Airflow asks in the task's own process, right after its end
            return report_address(None if operator.judged is None else operator.judged.audit_id)
        said = BaseXCom.get_value(ti_key=ti_key, key=BaseXCom.XCOM_RETURN_KEY)
        return report_address(said.get("audit_id") if isinstance(said, dict) else None)


def report_address(audit_id: str | None) -> str:
    """Return the address of the page that shows an audit.

    Args:
        audit_id: The audit; None where there is none.

    Returns:
        A path, behind the address of Airflow's pages where its configuration says that; else empty.

    Example:
        >>> report_address("audit-1").endswith("/qidguard/audits/audit-1"), report_address(None)
        (True, '')
    """
    if not audit_id:
        return ""
    base = conf.get("api", "base_url", fallback="") or ""
    return f"{base.rstrip('/')}{PAGE}{quote(audit_id, safe='')}"
