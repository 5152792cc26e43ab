"""Operators of the gate; each says in one sentence why it failed, and passes on names and addresses only."""

from qidguard_provider.operators.anonymize import QidguardAnonymizeOperator
from qidguard_provider.operators.audit import QidguardAuditOperator
from qidguard_provider.operators.exception import QidguardExceptionOperator
from qidguard_provider.operators.reaudit import QidguardReauditOperator
from qidguard_provider.operators.release import QidguardReleaseOperator
from qidguard_provider.operators.verify import QidguardVerifyOperator

__all__ = [
    "QidguardAnonymizeOperator",
    "QidguardAuditOperator",
    "QidguardExceptionOperator",
    "QidguardReauditOperator",
    "QidguardReleaseOperator",
    "QidguardVerifyOperator",
]
