"""Approvers of missed thresholds, and the exceptions that they sign."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from qidguard.evidence.keys import load_private_key, new_key_pair
from qidguard.ledger import open_ledger
from qidguard.releasing.deciding.approve import Consent, make_exception
from qidguard.releasing.deciding.exception import Approval
from releases import Place


class Officer:
    """A privacy officer with a key, whom a policy may name as its approver."""

    def __init__(self, root: Path, name: str = "officer") -> None:
        new_key_pair(root / name, name)
        self.file = root / name / f"{name}.key"
        self.key = load_private_key(self.file)

    @property
    def exceptions(self) -> dict[str, Any]:
        """The section of a policy that names this approver."""
        return {"approvers": [{"name": "A. Roe", "key": self.key.public.text}], "longest_days": 30}

    def let_through(
        self,
        place: Place,
        audit_id: str,
        now: datetime | None = None,
        *,
        url: str | None = None,
        origin: dict[str, str] | None = None,
        **changes: Any,
    ) -> Approval:
        """Sign an exception for what an audit missed: k-anonymity, for ten days, if nothing else is said."""
        now = now or datetime.now(UTC)
        fields = {"covers": ("k_anonymity",), "reason": "pilot", "expires": now.date() + timedelta(days=10)}
        with open_ledger(url or place.ledger) as ledger:
            consent = Consent(audit_id=audit_id, **fields | changes)
            return make_exception(ledger, consent, self.key, now, origin=origin)
