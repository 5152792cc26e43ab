"""What is read of a published release, its tables linked again, and what today's policy says of them."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.auditing.linked.source import linked_source
from qidguard.auditing.linked.thresholds import sensitive_blocks
from qidguard.auditing.reading import read_options
from qidguard.engines.base import ReadOptions
from qidguard.engines.linked import LinkedTable, digest_of, linked_copy

if TYPE_CHECKING:
    from qidguard.core.report import AuditReport
    from qidguard.engines.base import Snapshot
    from qidguard.evidence.manifest import Manifest
    from qidguard.policy import Policy
    from qidguard.releasing.context import ReleaseContext


def unread(policy: "Policy") -> Any:
    """Return what stands for the source of a re-audit until the release is found."""
    return dict.fromkeys(policy.tables, "published") if policy.tables else "published"


def files_of(manifest: "Manifest", policy: "Policy") -> dict[str, str]:
    """Return table → file of a release, as far as the policy names tables."""
    files = {file.name.rpartition(".")[0]: file.name for file in manifest.files}
    return {name: files[name] for name in policy.tables if name in files}


def table_faults(manifest: "Manifest", policy: "Policy", record: Any) -> tuple[str, ...]:
    """Return where the tables of a release are not those of today's policy, one sentence each."""
    if not policy.tables and not record["policy"]["document"].get("tables"):
        return ()
    files = files_of(manifest, policy)
    lacking = [name for name in policy.tables if name not in files]
    known = {*files.values(), "datapackage.json"}
    more = [file.name for file in manifest.files if file.name not in known]
    if not policy.tables:
        more = more[1:]  # the first is the table itself
    return (
        *(f"Today's policy names a table {name!r}, and the release has no file of it." for name in lacking),
        *(f"The file {name} is published, and today's policy names no table of it." for name in more),
    )


def as_published(context: "ReleaseContext", manifest: "Manifest") -> tuple[Any, ReadOptions, str]:
    """Return what is read of a release, how, and the digest that it has to have.

    Args:
        context: The re-audit; its source is the release's address.
        manifest: What the release consists of.
    """
    address, policy = str(context.source).rstrip("/"), context.policy
    if not policy.tables:
        file = f"{address}/{manifest.files[0].name}"
        return file, options_of(read_options(policy.source, policy.order), file), manifest.files[0].sha256
    files = {name: f"{address}/{file}" for name, file in files_of(manifest, policy).items()}
    made = linked_source(files, policy)
    tables = tuple(_of_release(context, table) for table in made.tables)
    digests = {file.name: file.sha256 for file in manifest.files}
    digest = digest_of({name: digests[file] for name, file in files_of(manifest, policy).items()})
    return replace(made, tables=tables), ReadOptions(), digest


def _of_release(context: "ReleaseContext", table: LinkedTable) -> LinkedTable:
    """Return a table of which every column counts; what is made of one that is not published is left out."""
    read = options_of(table.read, table.source)
    names = context.engine.column_names(table.source, read, context.settings)
    return replace(
        table,
        read=read,
        decided=None,
        dates=tuple(name for name in table.dates if name in names),
        order=table.order if table.order in names else None,
        drops_orphans=False,
        made=tuple(one for one in table.made if one.column is None or one.column in names),
    )


def options_of(source: ReadOptions, file: str) -> ReadOptions:
    """Return how a published file is read: as it was written, with what values mean by today's policy."""
    written = ReadOptions(format="parquet")
    if file.endswith(".csv"):
        written = ReadOptions(format="csv", delimiter=",", quote='"', has_header=True)
    # numbers and dates were published plainly, and 1.234 is no longer a thousand
    return replace(written.meaning_as(source), numbers=None, dates=())


def linked_faults(
    context: "ReleaseContext", policy: "Policy", copy: "Snapshot", report: "AuditReport"
) -> tuple[str, ...]:
    """Return what speaks against published tables today: keys, columns that are held back, and joins."""
    linked = linked_copy(copy)
    if linked is None:
        return ()
    said = list(linked.doubts)
    for child in linked.children:
        written = policy.tables[child.table.name]
        for name in child.records.names:
            if name in written.held_back:
                said.append(
                    f"Column {child.table.name}.{name} is published, and today's policy keeps it back."
                )
            elif name not in written.decided:
                said.append(
                    f"Column {child.table.name}.{name} is published, and today's policy does not name it."
                )
    qids = next((s.qids for s in report.summaries if s.combination == "default"), ())
    names = set(copy.names)
    if set(qids) <= names:
        said += [block.sentence for block in sensitive_blocks(context, policy, linked, copy, qids)]
    return tuple(said)
