"""Advice on a blocked table: a private copy is opened for it, and whatever fails is one line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qidguard.advising.advice import MOST_LEFT_OUT, Advice
from qidguard.core.errors import QidguardError
from qidguard.core.progress import SILENT, Progress
from qidguard.host import load_host
from qidguard.policy import load_policy
from qidguard.trials.context import TrialContext, seed_of
from qidguard.trials.stages import AuditedCopy, audit_copy

if TYPE_CHECKING:
    from os import PathLike

    from qidguard.core.report import AuditReport
    from qidguard.engines.base import EngineSettings, ReadOptions
    from qidguard.host import Host
    from qidguard.policy import Policy
    from qidguard.rendering.audit_document import AdviceDocument, NoAdviceDocument


def advise(  # noqa: PLR0913 - one argument for each thing that a caller may say
    source: Any,
    policy: "Policy | str | PathLike[str] | dict[str, Any]",
    *,
    report: "AuditReport | None" = None,
    most_left_out: float = MOST_LEFT_OUT,
    seed: int = 0,
    read: "ReadOptions | None" = None,
    settings: "EngineSettings | None" = None,
    host: "Host | None" = None,
    progress: Progress = SILENT,
) -> Advice:
    """Return what would make a table pass its policy: whom its columns expose, and changes that pass.

    Nothing is written and nothing is recorded. Every change was confirmed by an audit of the recoded table
    against the whole policy, and comes as lines of policy, a remedy of fixed levels. The figures count
    persons, so they are internal as a report is.

    Args:
        source: What ``qidguard.audit`` takes; None takes the policy's ``source.path``.
        policy: A policy, its path, or a mapping with the same fields.
        report: The audit of this table under this policy, such as ``qidguard.audit(…).report``, which is not
            made again then; None makes one.
        most_left_out: The largest share that a change may leave out, 0 ≤ share < 1: of persons where there
            is an entity column, else of records.
        seed: Seeds what is drawn to count large tables; the same seed gives the same advice.
        read: How the source is read; None takes what the policy says.
        settings: Memory limit, threads and spill directory; None takes what the policy says.
        host: The plugins to use; None takes the installed ones.
        progress: Hears of finished steps.

    Returns:
        The advice. Where the policy holds, or something blocks that no level removes, it holds no change, and
        its hindrances say so.

    Units:
        Persons are entities or records, as ``Advice.person`` says; shares and losses 0..1; seconds.

    Raises:
        DataError: When the source cannot be read without guessing.
        PolicyError: When the policy is not valid or does not fit the table.
        PluginError: When a plugin that is needed is broken or missing.
        UserError: When the share is none.

    NULL in a quasi-identifier is a group of its own. A source without a record is a DataError. Of a table of
    a single class that is too small only leaving records out helps, and too many would be.

    Example:
        >>> import pandas as pd, qidguard
        >>> table = pd.DataFrame({"sex": ["f", "f", "m", "m"], "room": [1, 2, 3, 4]})
        >>> policy = {
        ...     "qidguard": 1,
        ...     "name": "example",
        ...     "roles": {"quasi_identifiers": ["sex", "room"]},
        ...     "thresholds": [{"metric": "k_anonymity", "at_least": 2}],
        ... }
        >>> told = qidguard.advise(table, policy)
        >>> told.below, [(one.columns, one.below) for one in told.without]
        (4, [(('room',), 0), (('sex',), 4)])
    """
    from qidguard.advising.run import advise as advise_on_copy

    context = TrialContext.of(
        source,
        load_policy(policy),
        host or load_host(),
        read=read,
        settings=settings,
        progress=progress,
        seed=seed_of(seed),
    )
    with context.snapshot() as snapshot:
        if report is None:
            audited = audit_copy(context, snapshot)
        else:
            audited = AuditedCopy(records=context.records(snapshot), report=report)
        return advise_on_copy(context, audited, most_left_out=most_left_out)


@dataclass(frozen=True, kw_only=True)
class TriedAdvice:
    """Advice, or why there is none; a failure of it never changes what was decided.

    Args:
        advice: The advice; None where it failed, or was not asked for.
        fault: Why it failed, one line without a value of the table; empty where it did not.
    """

    advice: Advice | None = None
    fault: str = ""

    def document(self) -> "AdviceDocument | NoAdviceDocument | None":
        """Return the advice, or why there is none, as documents hold it; None where none was asked for."""
        from qidguard.rendering.audit_document import AdviceDocument, NoAdviceDocument

        if self.advice is not None:
            return AdviceDocument.of(self.advice)
        return NoAdviceDocument(fault=self.fault) if self.fault else None

    def to_dict(self) -> dict[str, Any] | None:
        """Return the document as plain values that JSON knows.

        Example:
            >>> TriedAdvice(fault="There is no advice: it was stopped.").to_dict()
            {'fault': 'There is no advice: it was stopped.'}
        """
        told = self.document()
        return None if told is None else told.model_dump(mode="json")


def tried_advice(make: Callable[[], Advice]) -> TriedAdvice:
    """Return advice that is made now, or one line that says why there is none."""
    try:
        return TriedAdvice(advice=make())
    except QidguardError as error:
        why = str(error).splitlines()
        return TriedAdvice(fault=f"There is no advice: {why[0] if why else type(error).__name__}")
    except KeyboardInterrupt:
        return TriedAdvice(fault="There is no advice: it was stopped.")
    except Exception as error:  # noqa: BLE001 - what was decided stands, whatever happens to the advice
        return TriedAdvice(fault=f"There is no advice: internal error ({type(error).__name__}).")
