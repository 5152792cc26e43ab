"""Asks the privacy officer about a release that is blocked; an approval is a signed exception that expires.

release → (blocked) ask → sign → publish. Nobody is asked where the release passes. Where no exception could
let it pass (something else than a measured threshold blocks), or the approver, the connection or the officers
are missing, the run fails and names what is missing. A rejection fails it, and so does no answer within
ANSWER_WITHIN. The exception covers what this audit missed, for this policy and down to these figures; who
answered stands in its reason. It is signed by the key of the connection `qidguard_approver`, which must be
one of the policy's `exceptions.approvers`.

Started by hand or by REST, one run at a time. An answer holds for the audit that was shown, and once. Within
the first seconds it can come before Airflow has put the task to sleep, which then fails and asks again when
it is cleared; nothing is published meanwhile. Who may answer: the user ids in QIDGUARD_OFFICERS (with
commas); where it is not set, nobody is asked, and a blocked run fails.
"""

import os
from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, Asset, Param, task

from qidguard_provider.fault import refused
from qidguard_provider.operators import QidguardExceptionOperator, QidguardReleaseOperator
from qidguard_provider.operators.approval import QidguardApprovalOperator
from qidguard_provider.sign_off import obstacles

DATA_SET, POLICY_FILE = "demo", "demo.yaml"
ANSWER_WITHIN = timedelta(days=3)

POLICY = f"{os.environ.get('QIDGUARD_POLICIES', 'policies')}/{POLICY_FILE}"
PUBLISHED = Asset(name=f"{DATA_SET}/published", uri=f"qidguard://{DATA_SET}/published")
OFFICERS = [name.strip() for name in os.environ.get("QIDGUARD_OFFICERS", "").split(",") if name.strip()]
JUDGED = {"policy": POLICY, "data_set": DATA_SET, "source": "{{ params.source or '' }}"}
BODY = """{% set judged = ti.xcom_pull(task_ids="release") -%}
The policy does not hold:
{% for sentence in judged["sentences"] %}
- {{ sentence }}
{%- endfor %}

An approval lets it pass down to these figures, until it expires. The record: {{ judged["audit_id"] }}.
"""

with DAG(
    "human_sign_off",
    doc_md=__doc__,
    schedule=None,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=1)},
    params={
        "source": Param(
            None,
            type=["null", "string"],
            pattern=r"^(?!.*://(.*[?#]|[^@]*:[^@]*@)|.*https?://[^/]*@)(/|[a-z][a-z0-9+.-]*://)\S",
            maxLength=2000,
            title="Table",
            description="An absolute path, or a URL without a password; empty takes what the policy says.",
        )
    },
    tags=["privacy"],
):
    release = QidguardReleaseOperator(task_id="release", fail_on_block=False, **JUDGED)

    @task.branch
    def decide(judged: dict) -> str:
        """Return the task that comes next."""
        if judged["outcome"] != "blocked":
            return "publish"
        return "refuse" if obstacles(judged, officers=OFFICERS) else "ask"

    @task
    def refuse(judged: dict) -> None:
        """Fail, with the reasons, and with what is missing for a person to be asked."""
        raise refused(*judged["sentences"], *obstacles(judged, officers=OFFICERS))

    ask = QidguardApprovalOperator(
        task_id="ask",
        audit_id="{{ ti.xcom_pull(task_ids='release')['audit_id'] }}",
        subject=f"May {DATA_SET} be published although its policy does not hold?",
        body=BODY,
        params={
            "reason": Param(None, type=["null", "string"], minLength=10, maxLength=500, title="Why"),
            "days": Param(7, type="integer", minimum=1, maximum=366, title="Days until it expires"),
        },
        assigned_users=[{"id": name, "name": name} for name in OFFICERS],
        response_timeout=ANSWER_WITHIN,
        retries=0,
    )
    sign = QidguardExceptionOperator(task_id="sign", audit_id=ask.output["audit_id"], answer=ask.output)
    # the same name as the first try: what that published is found, and only told of
    publish = QidguardReleaseOperator(
        task_id="publish", outlets=[PUBLISHED], trigger_rule="none_failed_min_one_success", **JUDGED
    )

    decided = decide(release.output)
    decided >> [publish, ask, refuse(release.output)]
    ask >> sign >> publish
