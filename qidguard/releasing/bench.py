"""Where a table is audited and transformed: policy, plugins, engine and resources, without a ledger."""

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from qidguard.anonymize.records import SnapshotRecords
from qidguard.auditing.original import mark_of
from qidguard.auditing.result import Audit
from qidguard.auditing.roles import Recognition
from qidguard.auditing.run import AuditRequest, run_audit
from qidguard.core.changes import Changes
from qidguard.core.history import History
from qidguard.core.progress import Progress
from qidguard.engines.base import EngineSettings, ReadOptions

if TYPE_CHECKING:
    from qidguard.core.policy import Policy
    from qidguard.engines.base import Snapshot
    from qidguard.host import Host


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Where a table is audited and transformed.

    Args:
        policy: The policy.
        host: The plugins.
        engine: The engine, guarded.
        settings: The engine's resources.
        label: What reports call the table.
        today: The day against which dates are held.
        seed: Seeds whatever is random.
        progress: Hears of finished steps.
    """

    policy: "Policy"
    host: "Host"
    engine: Any
    settings: EngineSettings
    label: str
    today: date
    seed: int = field(repr=False)
    progress: Progress

    def records(self, snapshot: "Snapshot") -> SnapshotRecords:
        """Return the records of a snapshot as anonymisers see them."""
        return SnapshotRecords(snapshot, mark_of(self.policy))

    def audit(
        self,
        snapshot: "Snapshot",
        changes: Changes,
        *,
        history: History | None = None,
        recognition: Recognition | None = None,
        more_columns: tuple[str, ...] = (),
    ) -> Audit:
        """Return the audit of a snapshot, to be closed.

        Args:
            snapshot: The snapshot.
            changes: The snapshot beside what it was made from.
            history: The earlier releases, where they count.
            recognition: What recognisers said of the source; None asks them.
            more_columns: Columns that are kept beside those that thresholds name.
        """
        return run_audit(
            AuditRequest(
                source=snapshot,
                policy=self.policy,
                host=self.host,
                engine=self.engine,
                options=ReadOptions(),
                settings=self.settings,
                progress=self.progress,
                today=self.today,
                label=self.label,
                history=history,
                changes=changes,
                recognition=recognition,
                more_columns=more_columns,
            )
        )


def unchanged(records: SnapshotRecords, mark: str, seed: int) -> Changes:
    """Return a table beside itself: nothing is lost."""
    import numpy as np

    return Changes(
        before=records,
        after=records,
        kept=np.ones(records.records, dtype=np.bool_),
        suppression_mark=mark,
        seed=seed,
    )
