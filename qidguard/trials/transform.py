"""Run a remedy on audited records: the transformed copy, the receipt, and what was lost."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.choosing import Chooser
from qidguard.anonymizing.coverage.reading import read_coverage
from qidguard.anonymizing.declared import DeclaredHierarchies
from qidguard.anonymizing.protocol import Anonymized
from qidguard.anonymizing.rehearsal import Rehearsal, rehearse
from qidguard.anonymizing.run import AnonymizerRun, run_on
from qidguard.core.errors import (
    InternalError,
    NotMeasurable,
    PluginError,
    UnreachableError,
    UserError,
    refused,
)
from qidguard.core.privacy import PrivacyCost
from qidguard.core.versions import Technique, Treatment
from qidguard.trials.task import main_combination, task_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from qidguard.anonymizing.coverage.coverage import Coverage
    from qidguard.anonymizing.protocol import AnonymizationTask, EarlierPersons
    from qidguard.anonymizing.records import SnapshotRecords
    from qidguard.auditing.remedy import Remedy
    from qidguard.core.column import ColumnValues
    from qidguard.core.hierarchy import Hierarchy
    from qidguard.core.privacy import PrivacyGuarantee
    from qidguard.core.report import AuditReport
    from qidguard.core.versions import Changes
    from qidguard.engines.base import Snapshot
    from qidguard.plot.plot import Plot
    from qidguard.trials.context import TrialContext

    Spend = Callable[[PrivacyGuarantee], None]


def transform(
    context: "TrialContext",
    remedy: "Remedy",
    records: "SnapshotRecords",
    report: "AuditReport",
    *,
    spend: "Spend | None" = None,
    earlier: "EarlierPersons | None" = None,
) -> AnonymizerRun:
    """Return what a remedy makes of audited records; the source stays as it is.

    Args:
        context: The policy, the seed and who hears of progress.
        remedy: The remedy; its attacks are rehearsed after it.
        records: The source's records.
        report: The audit of the source.
        spend: Charges what noise costs, before it is drawn; ``rehearsed`` has it drawn by the seed.
        earlier: What earlier releases showed of the records' persons, where a ledger tells.

    Raises:
        UnreachableError: When the remedy says that the task cannot be met, or nothing would be left.
        PluginError: When the remedy, a plot of it or an attack fails.
        UserError: When a declared hierarchy does not fit the table.
    """
    declared = DeclaredHierarchies.read(context.policy)
    task = task_of(context, report, declared.bound_to(records), earlier)
    is_rehearsal = remedy.draws_noise and spend is rehearsed
    task = replace(task, is_rehearsal=is_rehearsal)
    chooser = _chooser(context, remedy, main_combination(report))
    privacy = _charged(remedy, records, task, spend)
    context.progress.step("remedy", 0, 1)
    run = run_on(records, remedy, task, chooser=chooser)
    context.progress.step("remedy", 1, 1)
    try:
        if privacy is not None:
            _check_covered(remedy, run, privacy)
        plots = (*run.plots, *run.drawn(context.host)) if context.has_plots else ()
        if run.receipt.new_table is None:
            rehearsal = _rehearsed(declared, remedy, records.snapshot, task, chooser)
        else:
            rehearsal = Rehearsal(notes=(_NO_ATTACK,) if remedy.attacks else ())
    except BaseException:
        run.after.close()
        raise
    receipt = replace(
        run.receipt,
        hierarchies_sha256=declared.digests,
        attacks=rehearsal.attacks,
        notes=(
            *(_unaffordable(context, privacy) if is_rehearsal and privacy is not None else ()),
            *run.receipt.notes,
            *rehearsal.notes,
        ),
        # with its seed whoever reads the receipt could take noise away again, but that of a rehearsal
        seed=None if remedy.draws_noise and not is_rehearsal else context.seed,
        privacy=privacy,
        is_rehearsal=is_rehearsal,
        is_always=remedy.is_always,
        columns_dropped=remedy.dropped,
    )
    receipt = replace(receipt, treatments=treatments(run.changes, receipt.columns_changed))
    class_sizes = _class_sizes(records, run, task) if context.has_plots else None
    return replace(run, receipt=receipt, plots=plots, class_sizes=class_sizes)


_NO_ATTACK = (
    "No attack was rehearsed: attacks look for the record that is a person's, and no record of a new table is"
    " anybody's."
)


def _unaffordable(context: "TrialContext", privacy: "PrivacyGuarantee") -> tuple[str, ...]:
    """Return why a real run is blocked before it draws, where the policy alone tells."""
    limit = context.policy.privacy_budget
    if limit is None:
        return ("A real run is blocked before it draws: the policy sets no privacy_budget; add one.",)
    whole = PrivacyCost(epsilon=limit.epsilon, delta=limit.delta)
    if privacy.cost.epsilon <= whole.epsilon and privacy.cost.delta <= whole.delta:
        return ()
    sentence = (
        f"A real run is blocked before it draws: it costs {privacy.cost.text}, and the policy's whole"
        f" privacy_budget is {whole.text}; have it spend less, or have the budget reviewed."
    )
    return (sentence,)


def _check_covered(remedy: "Remedy", run: AnonymizerRun, privacy: "PrivacyGuarantee") -> None:
    """Raise PluginError where what is published and the guarantee are not of the same columns.

    A new table must not hold a column that its guarantee says nothing of. Records of the source must not
    keep a column as it was that Laplace or Gaussian noise is guaranteed for.
    """
    receipt = run.receipt
    if isinstance(run.done, Anonymized):
        promised = (name for part in privacy.parts if part.is_checked for name in part.columns)
        as_it_was = [name for name in promised if name not in run.done.columns]
        if as_it_was:
            raise PluginError(
                f"{remedy.whose} publishes the column {as_it_was[0]!r}"
                " as it was, and its privacy_guarantee() promises noise for it; mend the plugin"
            )
        return
    counts = None if receipt.new_table is None else receipt.new_table.counts
    left = [name for name in receipt.columns_made if name != counts and name not in privacy.columns]
    if left:
        raise PluginError(
            f"{remedy.whose} publishes the column {left[0]!r} in a new"
            " table, and its privacy_guarantee() does not cover it; mend the plugin"
        )


def _chooser(context: "TrialContext", remedy: "Remedy", qids: tuple[str, ...]) -> Chooser | None:
    if remedy.choosing is None:
        return None
    if remedy.draws_noise:
        raise UserError(
            f"The remedy {remedy.name} draws noise, and to choose among several draws by the data"
            " would tell more than it guarantees; leave choose out."
        )
    return Chooser(choosing=remedy.choosing, metrics=context.host, qids=qids)


def _class_sizes(records: "SnapshotRecords", run: AnonymizerRun, task: "AnonymizationTask") -> "Plot | None":
    """Return the class sizes before and after, drawn; None for a new table, in which nobody has a record."""
    from qidguard.anonymizing.class_numbers import class_numbers
    from qidguard.measuring.grouped import GroupedRecords
    from qidguard.trials.before_after_plot import before_after_plot

    if run.receipt.new_table is not None:
        return None

    def sizes(table: "SnapshotRecords") -> Any:
        entity = None if task.entity is None else table.codes((task.entity,))[:, 0]
        return GroupedRecords(class_numbers(table.codes(task.quasi_identifiers)), entity=entity).class_sizes

    limits = [int(one.limit.value) for one in task.targets if one.metric.name == _SMALLEST_CLASS]
    person = "records" if task.entity is None else "entities"
    return before_after_plot(sizes(records), sizes(run.records), max(limits, default=2), person)


_SMALLEST_CLASS = "k_anonymity"


def _charged(
    remedy: "Remedy", records: "SnapshotRecords", task: "AnonymizationTask", spend: "Spend | None"
) -> "PrivacyGuarantee | None":
    """Return what the remedy guarantees, charged; None for what draws no noise."""
    remedy.check_columns(records.names)
    try:
        privacy = remedy.privacy(records, task)
    except NotMeasurable as reason:
        raise refused(remedy.name, reason) from None
    if privacy is None:
        return None
    if spend is None:
        raise InternalError("noise was to be drawn that nobody charges")
    if remedy.choosing is not None:
        raise UnreachableError(
            f"The remedy {remedy.name} draws noise, and to choose by figures of the table is not"
            " covered by what it guarantees; leave choose out."
        )
    spend(privacy)
    return privacy


def rehearsed(_: "PrivacyGuarantee") -> None:
    """Charge nothing: noise is drawn by the seed then, and nothing of it may be published."""


def _rehearsed(
    declared: DeclaredHierarchies,
    remedy: "Remedy",
    snapshot: "Snapshot",
    task: "AnonymizationTask",
    chooser: Chooser | None,
) -> Rehearsal:
    if not remedy.attacks:
        return Rehearsal()
    if remedy.draws_noise and not task.is_rehearsal:
        note = "No attack was rehearsed: what draws noise would spend the privacy budget a second time."
        return Rehearsal(notes=(note,))
    return rehearse(remedy.attacks, snapshot, remedy, task, hierarchies=declared.bound_to, chooser=chooser)


_MOST_PAIRS = 1 << 24
"""Pairs of an original and a published value up to which they are counted in a table of all."""


def treatments(changes: "Changes", columns: Iterable[str]) -> dict[str, Treatment]:
    """Return column → what became of its cells, for columns in which something was changed.

    A new table has no cell of the source, so that nothing is found in it.
    """
    if changes.kept is None:
        return {}
    return {name: _treatment(changes, name) for name in columns}


def _treatment(changes: "Changes", name: str) -> Treatment:
    before, after = changes.before.column(name), changes.after.column(name)
    hierarchy = changes.hierarchies.get(name)
    coverage = read_coverage(before, after, hierarchy, changes.suppression_mark)
    assert changes.kept is not None  # noqa: S101 - asked by who calls this
    original, published = _pairs(before, after, changes.kept)
    is_same = coverage.same[published] == original
    is_suppressed = coverage.is_mark[published] & ~is_same
    is_covered = coverage.covers(published, original)
    is_wide = coverage.counts[published] > 1
    is_generalized = ~is_suppressed & is_covered & is_wide
    found = {
        Technique.GENERALIZATION: bool(is_generalized.any()),
        Technique.PERTURBATION: bool((~is_suppressed & ~is_covered & ~is_same).any()),
        Technique.SUPPRESSION: bool(is_suppressed.any()),
    }
    techniques = tuple(technique for technique, is_found in found.items() if is_found)
    levels = _levels(hierarchy, after, coverage, published) if is_generalized.any() else ()
    origin = None if hierarchy is None or not levels else hierarchy.origin
    return Treatment(techniques=techniques, hierarchy=origin, levels=levels)


def _pairs(
    before: "ColumnValues", after: "ColumnValues", kept: "NDArray[np.bool_]"
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return the codes of each original value with each published one that stands in its place."""
    import numpy as np

    width = len(after.texts)
    joined = before.codes[kept].astype(np.int64) * width + after.codes
    size = len(before.texts) * width
    pairs = np.flatnonzero(np.bincount(joined, minlength=1)) if size <= _MOST_PAIRS else np.unique(joined)
    return pairs // width, pairs % width


def _levels(
    hierarchy: "Hierarchy | None",
    after: "ColumnValues",
    coverage: "Coverage",
    published: "NDArray[np.int64]",
) -> tuple[int, ...]:
    """Return the lowest level of each published value's label; nothing where one is no label of any level."""
    if hierarchy is None:
        return ()
    lowest: dict[tuple[str | None, bool], int] = {}
    for level, labels in enumerate(hierarchy.labels):
        for label in labels:
            # a family of codes may be called as one of them is
            lowest.setdefault((label, level > 0), level)
    used = {
        (after.texts[code], bool(coverage.counts[code] > 1))
        for code in set(published.tolist())
        if not coverage.is_mark[code]
    }
    found = {lowest.get((text, is_wide), lowest.get((text, not is_wide))) for text, is_wide in used}
    return () if None in found else tuple(sorted(level for level in found if level is not None))
