"""Audit: recognize, measure and judge."""

from qidguard.auditing.result import Audit
from qidguard.auditing.run import audit

__all__ = ["Audit", "audit"]
