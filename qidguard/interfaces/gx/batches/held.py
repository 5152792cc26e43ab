"""The beginning of every batch: the execution engine that holds it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qidguard.interfaces.gx.batches.reader import label_of


@dataclass(frozen=True, kw_only=True)
class HeldBatch:
    """A batch that an execution engine holds.

    Args:
        execution_engine: The execution engine.
        domain: Which batch it is, as metrics are told.
    """

    execution_engine: Any
    domain: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Data source and asset."""
        return label_of(self.execution_engine, self.domain.get("batch_id"))
