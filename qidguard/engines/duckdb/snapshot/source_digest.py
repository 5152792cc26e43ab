"""The digest of a source as it is now: of its bytes where it has some, else of its content."""

from typing import Any

from qidguard.engines.base import EngineSettings, ReadOptions
from qidguard.engines.duckdb import sources
from qidguard.engines.duckdb.connection import connect
from qidguard.engines.duckdb.snapshot.content_digest import content_digest
from qidguard.engines.duckdb.snapshot.fault import working
from qidguard.engines.duckdb.snapshot.private_copy import as_grouped
from qidguard.engines.duckdb.sources import remote
from qidguard.engines.duckdb.sources.file_bytes import path_digest
from qidguard.engines.duckdb.sources.kind import Kind, kind_of
from qidguard.engines.duckdb.sources.paths import to_path
from qidguard.engines.linked import digest_of

NO_DIGEST = "none"
"""What stands for the digest of a reader that can be read only once: its snapshot has one."""

_READER = "RecordBatchReader"


def source_digest(source: Any, options: ReadOptions, settings: EngineSettings) -> str:
    """Return the digest of a source, which is not changed and not consumed."""
    match kind_of(source):
        case Kind.PATH:
            return path_digest(to_path(source))
        case Kind.URL:
            with connect(settings) as connection:
                return path_digest(remote.fetch(source, connection.spill, "remote"))
        case Kind.ARROW if any(base.__name__ == _READER for base in type(source).__mro__):
            return NO_DIGEST
        case Kind.LINKED:
            digests = {one.name: source_digest(one.source, one.read, settings) for one in source.tables}
            return NO_DIGEST if NO_DIGEST in digests.values() else digest_of(digests)
        case _:
            return _of_content(source, options, settings)


def _of_content(source: Any, options: ReadOptions, settings: EngineSettings) -> str:
    with connect(settings) as connection:
        staged = sources.stage(connection, source, options)
        try:
            with working(connection, "hashing the table", source="the table"):
                database = connection.duckdb
                described = database.execute(f"DESCRIBE SELECT * FROM {staged.relation}").fetchall()
                columns = [str(row[0]) for row in described]
                grouped = ", ".join(as_grouped(str(name), str(kind)) for name, kind, *_ in described)
                relation = f"(SELECT {grouped} FROM {staged.relation})"
                digest = content_digest(database, relation, columns, staged.names)
        finally:
            staged.release()
    return f"content:{digest}"
