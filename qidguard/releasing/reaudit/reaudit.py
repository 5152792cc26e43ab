"""Judge what is already published by today's policy, today's exceptions and today's history."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from qidguard.auditing.context import needs
from qidguard.auditing.linked.judging import sensitive_blocks
from qidguard.auditing.linked.source import linked_source
from qidguard.auditing.reading import read_options
from qidguard.core.errors import ChangedError, UserError
from qidguard.engines.base import ReadOptions
from qidguard.engines.linked import OpenedTable, digest_of, linked_copy
from qidguard.evidence.home import Home
from qidguard.evidence.key_roles import trusted_keys
from qidguard.evidence.keys import load_private_key, parse_public_key
from qidguard.evidence.verify import verify_release
from qidguard.ledger import TypedEntry, read
from qidguard.ledger.payloads import Audited, Checked, Releasing
from qidguard.policy import load_policy
from qidguard.releasing.context import ReleaseContext, RunOptions, policy_used, responsible
from qidguard.releasing.deciding.approve import persons_of
from qidguard.releasing.deciding.check import failures_recorded
from qidguard.releasing.deciding.checked_entry import record_check, record_report
from qidguard.releasing.deciding.concerned import Concerned, nobody_known, persons_concerned
from qidguard.releasing.deciding.exception import Covering, approvals_for, threshold_key, told_key
from qidguard.releasing.deciding.watch import unwatched
from qidguard.releasing.history.counted_releases import counted_beside
from qidguard.releasing.history.past import read_past
from qidguard.releasing.history.published import promise_of
from qidguard.releasing.opening import population_kept, release_context
from qidguard.releasing.reaudit.retrospect import judged_today, other_releases, strangers, untreated
from qidguard.releasing.result import Outcome, Recorded

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.report import AuditReport
    from qidguard.core.verdict import ThresholdResult
    from qidguard.engines.base import Snapshot
    from qidguard.evidence.ed25519 import PublicKey
    from qidguard.evidence.manifest import Manifest
    from qidguard.evidence.verify import Verification
    from qidguard.policy import Policy


def reaudit(
    data_set: str,
    release_id: str,
    *,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    **options: Unpack[RunOptions],
) -> Recorded:
    """Judge a published release by today's policy, and record the verdict in the ledger.

    The files are verified first: against the manifest, the signature and what the ledger promised. Then each
    threshold of today's policy is held against a figure: measured on what is published where that says the
    same as the source did, on the keyed classes of all releases for metrics over time, and else the one that
    was measured when this was released. A figure that nobody can know any more blocks. Exceptions count only
    while they hold.

    Args:
        data_set: The data set.
        release_id: The release's own name.
        policy: Today's policy, its path, or a mapping with the same fields.
        options: As ``qidguard.release`` takes them.

    Returns:
        The verdict with its name in the ledger. It has no report where the files are not what was published.

    Units:
        Figures in the report carry their own unit.

    Raises:
        UserError: When the ledger knows no such release, or the policy is of another data set.
        QidguardError: As ``qidguard.audit`` raises it; that it failed is recorded too.
        LedgerError: When the ledger cannot be read or written.

    Example:
        >>> import pandas as pd, qidguard, tempfile
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ...     "release": {"data_set": "people"},
        ... }
        >>> with tempfile.TemporaryDirectory() as home:
        ...     table = pd.DataFrame({"sex": ["f", "f"]})
        ...     made = qidguard.release(table, policy, to=f"{home}/out", home=f"{home}/home")
        ...     reaudit("people", made.release_id, policy=policy, home=f"{home}/home").is_passed
        True
    """
    rules = load_policy(policy)
    with release_context(
        unread(rules),
        rules,
        None,
        is_published=False,
        data_set=data_set,
        release_id=release_id,
        **options,
    ) as context:
        promise = promise_of(read_past(context.ledger, data_set), data_set, release_id)
        if context.ledger.entry(f"withdrawn-{promise.payload.audit_id}") is not None:
            raise UserError(
                f"Release {release_id!r} of {data_set!r} was withdrawn; there is nothing to judge."
            )
        address = promise.payload.address
        found = replace(context, source=address, label=address, data_set=promise.data_set)
        return _reaudited(found, promise, options)


def _reaudited(context: ReleaseContext, promise: TypedEntry[Releasing], options: RunOptions) -> Recorded:
    with failures_recorded(context, release_id=context.release_id):
        faults, verification = _verified(context, promise, options)
        if faults:
            return _not_what_was_published(context, faults)
        with population_kept(context) as keeping:
            return _judged(keeping, promise, verification)


def _verified(
    context: ReleaseContext, promise: TypedEntry[Releasing], options: RunOptions
) -> "tuple[tuple[str, ...], Verification | None]":
    promised = promise.payload
    keys = _trusted(context, options)
    try:
        verification = verify_release(
            context.source,
            keys=keys,
            is_unsigned_allowed=promised.key_id is None,
            data_set=context.data_set,
            release_id=context.release_id,
        )
    except UserError as error:
        why = f"Release {context.release_id} cannot be looked at: {error}"
        return (f"{why}; if it was withdrawn, say so with: qidguard withdraw",), None
    changed = tuple(
        f"{name}.json is not the one that the ledger promised."
        for name in ("manifest", "attestation")
        if getattr(verification, f"{name}_sha256") != getattr(promised, f"{name}_sha256")
    )
    faults = (*verification.faults, *changed)
    return tuple(
        f"Release {context.release_id} is not what was published: {fault}" for fault in faults
    ), verification


def _trusted(context: ReleaseContext, options: RunOptions) -> "tuple[PublicKey, ...]":
    """Return whose signature counts: of the list of keys, of the policy's signers, and one's own."""
    home = Home.at(options.get("home"))
    own = options.get("key") or home.default_signing_key()
    mine = () if own is None else (load_private_key(Path(own), options.get("passphrase")).public,)
    signers = (parse_public_key(text) for text in context.policy.release.signers)
    return (*trusted_keys(home.keys_folder), *signers, *mine)


def _not_what_was_published(context: ReleaseContext, reasons: tuple[str, ...]) -> Recorded:
    checked = Checked(
        audit_id=context.audit_id,
        release_id=context.release_id,
        outcome="blocked",
        exit_code=1,
        source=context.label,
        records=None,
        entities=None,
        policy=policy_used(context.policy),
        figures=(),
        missed=(),
        blocks=reasons,
        exceptions=(),
        versions=dict(context.host.versions),
        by=responsible(context.origin),
        record=None,
    )
    record_check(context.ledger, checked, data_set=context.data_set, at=context.clock())
    return Recorded(
        data_set=context.data_set,
        audit_id=context.audit_id,
        outcome=Outcome.BLOCKED,
        report=None,
        reasons=reasons,
        release_id=context.release_id,
    )


def _judged(
    context: ReleaseContext, promise: TypedEntry[Releasing], verification: "Verification | None"
) -> Recorded:
    assert verification is not None  # noqa: S101 - without faults there is a release
    assert verification.manifest is not None  # noqa: S101 - as above
    record = _record(context, promise)
    manifest, policy = verification.manifest, context.policy
    differing = table_faults(manifest, policy, record)
    if differing:
        return _not_what_was_published(context, differing)
    source, options, digest = as_published(context, manifest)
    engine, settings = context.engine, context.settings
    with engine.snapshot(source, options, settings) as copy:
        if copy.source_digest != digest:
            raise ChangedError(f"Release {context.release_id} changed while it was read; run it again.")
        counted = counted_beside(context, promise, copy)
        past = counted.past
        history = other_releases(context, past, promise)
        asks = replace(needs(policy, None), entity=None, history=history)
        if policy.roles.weight not in copy.names:
            asks = replace(asks, weight=None)
        if asks.population is not None:
            asks = replace(asks, population=context.population, population_options=ReadOptions())
        with engine.open(copy, ReadOptions(), asks, settings) as table:
            report = judged_today(context, table, record, strangers(context, past, promise, record))
        is_new = report.new_table is not None
        reasons = (
            *(() if is_new else (*counted.reasons, *unwatched(context, report, history, past))),
            *untreated(context, record),
            *linked_faults(context, policy, copy, report),
        )
        concerned = nobody_known(report) if is_new else _concerned(context, copy, report, record)
    covered = Covering()
    if not reasons:
        promised = promise.payload
        covered = approvals_for(context, report, concerned, promised.source_sha256, signed_by=promised.key_id)
    approvals = covered.approvals
    outcome = Outcome.PASSED if report.is_passed else Outcome.BLOCKED
    outcome = Outcome.BLOCKED if reasons else Outcome.PASSED_BY_EXCEPTION if approvals else outcome
    record_report(
        context.ledger,
        report,
        data_set=context.data_set,
        at=context.clock(),
        audit_id=context.audit_id,
        origin=context.origin,
        reasons=reasons,
        approvals=approvals,
        release_id=context.release_id,
    )
    return Recorded(
        data_set=context.data_set,
        audit_id=context.audit_id,
        outcome=outcome,
        report=report,
        reasons=reasons,
        notes=(*(() if is_new else counted.notes), *covered.doubts),
        release_id=context.release_id,
        approvals=approvals,
    )


def _concerned(
    context: ReleaseContext, copy: "Snapshot", report: "AuditReport", record: Any
) -> tuple[Concerned | None, ...]:
    """Return whom each threshold concerns: as recorded of the same bytes, or counted in them; else None.

    They are counted where records are persons and the columns are published. Releases since then change
    whom a metric over time concerns, so of that one only a number of persons is known, which is the figure.
    """
    verdict, policy = report.verdict, context.policy
    if verdict is None or not policy.exceptions.approvers:
        return () if verdict is None else (None,) * len(verdict.thresholds)
    then: dict[tuple[Any, ...], Concerned | None] = {}
    if record.get("persons_concerned") is not None:
        recorded = zip(record["risk_after"]["thresholds"], persons_of(record, ""), strict=True)
        then = {told_key(figure): found for figure, found in recorded}
    counted = persons_concerned(context, copy, report, entity=None)
    names = set(copy.names)

    def known(result: "ThresholdResult", now: Concerned | None) -> Concerned | None:
        figure = result.measurement
        if context.host.metric(figure.metric).needs_history:
            return now
        recorded = then.get(threshold_key(result))
        columns = {*figure.qids, *(() if figure.sensitive is None else (figure.sensitive,))}
        is_countable = policy.roles.entity is None and columns <= names
        return recorded or (now if is_countable else None)

    return tuple(map(known, verdict.thresholds, counted))


def _record(context: ReleaseContext, promise: TypedEntry[Releasing]) -> Any:
    entry = context.ledger.entry(promise.payload.audit_id)
    if entry is None:
        raise UserError(
            f"The ledger holds no audit of release {context.release_id!r}; check: qidguard history"
        )
    return json.loads(context.ledger.attachment(read(entry, Audited).payload.record))


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


def _of_release(context: "ReleaseContext", table: OpenedTable) -> OpenedTable:
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
