"""Operators of the gate; each says in one sentence why it failed, and passes on names and addresses only."""

from qidguard.interfaces.airflow.operators.anonymize import QidguardAnonymizeOperator
from qidguard.interfaces.airflow.operators.audit import QidguardAuditOperator
from qidguard.interfaces.airflow.operators.exception import QidguardExceptionOperator
from qidguard.interfaces.airflow.operators.reaudit import QidguardReauditOperator
from qidguard.interfaces.airflow.operators.release import QidguardReleaseOperator
from qidguard.interfaces.airflow.operators.verify import QidguardVerifyOperator

__all__ = [
    "QidguardAnonymizeOperator",
    "QidguardAuditOperator",
    "QidguardExceptionOperator",
    "QidguardReauditOperator",
    "QidguardReleaseOperator",
    "QidguardVerifyOperator",
]
