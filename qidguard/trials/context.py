"""What a trial was asked for, and the private copy of the table that it works on."""

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.records import SnapshotRecords
from qidguard.auditing.context import AuditContext
from qidguard.auditing.original import mark_of
from qidguard.core.errors import UserError
from qidguard.core.versions import Changes

if TYPE_CHECKING:
    from qidguard.engines.base import Snapshot
    from qidguard.policy import Policy

LARGEST_SEED = 1 << 63


@dataclass(frozen=True, kw_only=True)
class TrialContext(AuditContext):
    """What a trial was asked for: an audit under a policy, on an engine that takes snapshots, and a seed.

    Where ``has_plots``, anonymizers are asked for plots of what they make.
    """

    policy: "Policy"
    engine: Any  # it takes snapshots, or says that it does not
    seed: int = field(repr=False)
    has_plots: bool = False

    @property
    def drawing_seed(self) -> int:
        """The seed of what is drawn, which a release mixes with a secret."""
        return self.seed

    def snapshot(self) -> "Snapshot":
        """Return a private copy of the source."""
        copy: Snapshot = self.engine.snapshot(self.source, self.read, self.settings)
        return copy

    def records(self, snapshot: "Snapshot") -> SnapshotRecords:
        """Return the records of a snapshot as anonymizers see them."""
        return SnapshotRecords(snapshot, mark_of(self.policy), self.policy.normalized)

    def unchanged(self, records: SnapshotRecords) -> Changes:
        """Return a table beside itself: nothing is lost."""
        import numpy as np

        return Changes(
            before=records,
            after=records,
            kept=np.ones(records.records, dtype=np.bool_),
            suppression_mark=mark_of(self.policy),
            seed=self.seed,
        )


def seed_of(seed: object) -> int:
    """Return a seed, where none is given one that nobody can guess; UserError for what is none."""
    if seed is None:
        return secrets.randbits(63)  # a seed gives the order of records away
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < LARGEST_SEED:
        raise UserError("The seed must be a whole number from 0 to 2^63 - 1; choose another one.")
    return seed
