"""Private snapshots: a copy of a source's records, from which audits and published files are made."""

from qidguard.engines.duckdb.snapshot.snapshot import DuckdbSnapshot, take_snapshot
from qidguard.engines.duckdb.snapshot.source_digest import source_digest

__all__ = ["DuckdbSnapshot", "source_digest", "take_snapshot"]
