"""What came of one decision, and of one release: as values, in a few lines, in a notebook, and as JSON."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from qidguard.anonymizing.receipt import Receipt
from qidguard.core.errors import ExitCode, UserError
from qidguard.core.progress import SILENT, Progress
from qidguard.core.report import AuditReport
from qidguard.releasing.deciding.exception import Approval
from qidguard.rendering import html
from qidguard.rendering.document import document
from qidguard.rendering.figure import counted
from qidguard.rendering.notebook import to_html_fragment
from qidguard.rendering.printable import visible
from qidguard.rendering.sentence import reasons
from qidguard.trials.receipt_document import receipt_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from qidguard.advising.advice import Advice
    from qidguard.advising.asking import TriedAdvice
    from qidguard.core.verdict import ThresholdResult


FORMAT = "qidguard-release/1"
"""Name and version of the document: the version grows when a field changes its meaning or goes away."""


class Outcome(StrEnum):
    """How a release ended."""

    PASSED = "passed"
    PASSED_BY_EXCEPTION = "passed_by_exception"
    BLOCKED = "blocked"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A decision on a table that stands in the ledger.

    Args:
        data_set: The name under which releases of this table are kept.
        audit_id: The entry of the ledger that holds the whole record.
        outcome: Passed, passed by exception, or blocked.
        report: The audit that decided; None where there was nothing left to be judged.
        before: The audit before the remedy; None where no remedy was used.
        receipt: What the remedy did; None where none was used.
        reasons: Why it is blocked beyond what the report says, one sentence each.
        notes: Sentences worth reading that do not block.
        approvals: The exceptions that let it through.
        release_id: The release that it is about; None for a table that is not published.
        address: Where it was written; None where nothing was.
        is_remediable: Whether it is blocked by thresholds alone, and the policy names a remedy.
        advised: What would make a blocked table pass, as it was recorded; None where nobody asked for it.
    """

    data_set: str
    audit_id: str
    outcome: Outcome
    report: AuditReport | None
    before: AuditReport | None = None
    receipt: Receipt | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    approvals: tuple[Approval, ...] = ()
    release_id: str | None = None
    address: str | None = None
    is_remediable: bool = False
    advised: "TriedAdvice | None" = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        """Return whether it passed, as ``is_passed``."""
        return self.is_passed

    @property
    def is_passed(self) -> bool:
        """Whether the policy holds, or an exception covers what it misses."""
        return self.outcome is not Outcome.BLOCKED

    @property
    def exit_code(self) -> ExitCode:
        """0 passed, 1 blocked, 3 blocked because a plugin or qidguard itself failed."""
        if self.is_passed:
            return ExitCode.PASSED
        is_fault = self.report is not None and self.report.exit_code is ExitCode.INTERNAL_ERROR
        return ExitCode.INTERNAL_ERROR if is_fault else ExitCode.BLOCKED

    @property
    def sentences(self) -> tuple[str, ...]:
        """Why it is blocked, one sentence each; none where it passed."""
        if self.is_passed:
            return ()
        return (*(reasons(self.report) if self.report is not None else ()), *self.reasons)

    @property
    def missed_metrics(self) -> tuple[str, ...]:
        """Names of the metrics whose thresholds block, sorted."""
        return tuple(sorted({missed.measurement.metric for missed in self._missed}))

    @property
    def advice_lines(self) -> tuple[str, ...]:
        """What would make it pass, as lines of plain text; none where nothing was recorded of it."""
        if self.advised is None:
            return ()
        from qidguard.advising.advice_lines import PLAIN_WIDTH, tried_lines

        return tuple(tried_lines(self.advised, PLAIN_WIDTH))

    @property
    def audit_document(self) -> "dict[str, Any] | None":
        """The audit that decided, as the document ``qidguard-audit/1``; None where there is none."""
        return None if self.report is None else document(self.report)

    @property
    def is_coverable(self) -> bool:
        """Whether thresholds alone block, all of them measured, so that an exception could let it pass."""
        verdict = None if self.report is None else self.report.verdict
        if verdict is None or verdict.blocks or self.reasons or self.is_passed:
            return False
        return bool(self._missed) and all(
            missed.measurement.value is not None and not missed.measurement.is_fault
            for missed in self._missed
        )

    @property
    def _missed(self) -> "tuple[ThresholdResult, ...]":
        verdict = None if self.report is None else self.report.verdict
        return () if verdict is None else tuple(one for one in verdict.thresholds if one.is_blocking)


@dataclass(frozen=True, kw_only=True)
class Release(Recorded):
    """The result of one release.

    Args:
        release_id: The release's own name.
        key_id: The key that signed it, or None.
        is_repeated: Whether the same release was there already, so that nothing was done.
        is_confirmed: Whether the ledger says how it ended; False only of a release that is published.
        is_published: Whether the destination holds it.
        advising: Computes what would make the table pass, where thresholds block it.
    """

    release_id: str
    key_id: str | None = None
    is_repeated: bool = False
    is_confirmed: bool = True
    advising: "Callable[..., Advice] | None" = field(default=None, repr=False, compare=False)

    @property
    def exit_code(self) -> ExitCode:
        """As of any decision, and 3 where it is published and the ledger could not be told."""
        return super().exit_code if self.is_confirmed else ExitCode.INTERNAL_ERROR

    @property
    def is_published(self) -> bool:
        """Whether the destination holds this release, complete."""
        return self.address is not None

    def advice(self, progress: Progress = SILENT) -> "Advice":
        """Return what would make the table pass: as it was recorded, else computed now from the source.

        What is computed now looks at no earlier releases, and nothing is recorded of it. It is on the table
        as it was before any remedy, and internal: it counts persons.

        Args:
            progress: Hears of finished steps.

        Returns:
            The advice, as ``qidguard.advise`` gives it.

        Units:
            Persons are entities or records, as ``Advice.person`` says; shares and losses 0..1.

        Raises:
            UserError: When no threshold blocks this release.
            QidguardError: As ``qidguard.advise`` raises it.

        Example:
            >>> from qidguard.releasing.example import small
            >>> small().advice()
            Traceback (most recent call last):
            ...
            qidguard.core.errors.UserError: No threshold blocks this release, so there is no advice on it.
        """
        if self.advised is not None and self.advised.advice is not None:
            return self.advised.advice
        if self.advising is None:
            raise UserError("No threshold blocks this release, so there is no advice on it.")
        return self.advising(progress=progress)

    def to_frame(self) -> "pd.DataFrame":
        """Return the judged thresholds as a table: before the remedy where one was used, and as published.

        Returns:
            One row a threshold and ``stage``, with its figure and limit in the metric's ``unit``.

        Example:
            >>> from qidguard.releasing.example import small
            >>> small().to_frame()[["stage", "metric", "value", "is_met"]].values.tolist()
            [['decided', 'k_anonymity', 2, True]]
        """
        from qidguard.rendering.frame import stages_frame

        return stages_frame({"before": self.before, "decided": self.report})

    def to_dict(self) -> "dict[str, Any]":
        """Return the release as plain values that JSON knows.

        Returns:
            How it ended, where it is, and the audits; no value of the table. What the remedy did holds its
            seed, which is not to be published.

        Example:
            >>> from qidguard.releasing.example import small
            >>> small().to_dict()["outcome"], small().to_dict()["address"]
            ('passed', 'published/people/r1')
        """
        return {
            "format": FORMAT,
            "data_set": self.data_set,
            "release_id": self.release_id,
            "audit_id": self.audit_id,
            "outcome": self.outcome.value,
            "exit_code": int(self.exit_code),
            "is_published": self.is_published,
            "is_repeated": self.is_repeated,
            "is_confirmed": self.is_confirmed,
            "address": self.address,
            "key_id": self.key_id,
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            "approvals": [approval.document() for approval in self.approvals],
            "before": None if self.before is None else document(self.before),
            "report": self.audit_document,
            "receipt": None if self.receipt is None else receipt_document(self.receipt),
            **({} if self.advised is None else {"advice": self.advised.to_dict()}),
        }

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text, with a line feed at its end.

        Example:
            >>> from qidguard.releasing.example import small
            >>> small().to_json().splitlines()[1]
            '  "format": "qidguard-release/1",'
        """
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def __str__(self) -> str:
        return "\n".join((*lines(self), *self.advice_lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        first, *others = lines(self, has_report=True)
        word, _, name = first.partition("  ")
        color = html.GOOD if self.is_published else html.BAD
        told = self.advice_lines
        parts = (
            html.badge(word, color, name),
            html.items("How it ended", (sentence.strip() for sentence in others)),
            html.items("What would make it pass", told[1:] or told),
            html.items("Notes", self.notes),
            "" if self.report is None else to_html_fragment(self.report),
        )
        return html.whole(parts)


def lines(made: Release, *, has_report: bool = False) -> "Iterator[str]":
    """Yield the lines that say how a release ended; the first one says whether anything was published.

    Args:
        made: The release.
        has_report: Whether the report stands above, so that its reasons need not be said again.

    Yields:
        Printable lines.

    Example:
        >>> blocked = Release(
        ...     data_set="people",
        ...     release_id="r1",
        ...     audit_id="audit-1",
        ...     outcome=Outcome.BLOCKED,
        ...     report=None,
        ...     reasons=("The policy demands a signature.",),
        ... )
        >>> list(lines(blocked))[0]
        'NOT PUBLISHED  people r1'
    """
    for line in _lines(made, has_report=has_report):
        yield visible(line)


def _lines(made: Release, *, has_report: bool) -> "Iterator[str]":
    if made.address is None:
        yield f"NOT PUBLISHED  {made.data_set} {made.release_id}"
        missed = () if has_report or made.report is None else reasons(made.report)
        for reason in (*missed, *made.reasons):
            yield f"  ✗ {reason}"
        yield f"  The record: qidguard show {made.audit_id}"
        return
    word = "PUBLISHED BY EXCEPTION" if made.approvals else "PUBLISHED"
    unconfirmed = "" if made.is_confirmed else ", NOT CONFIRMED"
    yield f"{word}{unconfirmed}  {made.data_set} {made.release_id}"
    yield f"  at {made.address}"
    if made.is_repeated:
        yield "  It was there already, complete; nothing was done."
    if made.report is not None and made.report.new_table is not None:
        told, records = made.report.new_table, counted(made.report.records, "records")
        yield f"  The remedy made a new table of {records} ({told.title}) in the place of the source's."
        yield f"  {told.sentence}"
        for found in () if made.receipt is None else made.receipt.reproduced[-1:]:
            alone = found.by_size[0]
            yield (
                f"  {found.equal:,} of {found.new_records:,} new records equal one of the source on"
                f" {found.over}; of {alone.records:,} that are alone there, {alone.reproduced:,} came back."
            )
    elif made.before is not None and made.report is not None:
        gone = made.before.records - made.report.records
        cells = 0 if made.receipt is None else sum(made.receipt.cells_changed.values())
        changed = f" and changed {counted(cells, 'cells')}" if cells else ""
        yield f"  The remedy suppressed {gone:,} of {made.before.records:,} records{changed}."
    if made.report is not None and not has_report:  # which tells it too
        yield from (f"  {one.sentence}" for one in made.report.noised)
    for approval in made.approvals:
        covered = "; ".join(waived.text for waived in approval.waived)
        yield f"  ! {approval.by} let through until {approval.expires}: {covered}. Reason: {approval.reason}"
    if made.key_id is None:
        yield "  Not signed: there is no signing key; make one with: qidguard keys new"
    else:
        yield f"  Signed by key {made.key_id[:12]}"
    yield f"  The record: qidguard show {made.audit_id}"
