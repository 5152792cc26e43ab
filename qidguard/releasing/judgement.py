"""One verdict on a data set as the ledger tells it, and how the release that came of it ended."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from qidguard.core.errors import ExitCode
from qidguard.releasing.result import Outcome
from qidguard.releasing.tightest import Tightest, tightest

if TYPE_CHECKING:
    from qidguard.ledger import Entry


class Standing(StrEnum):
    """What came of one run."""

    PASSED = "passed"
    BLOCKED = "blocked"
    FAILED = "failed"
    PUBLISHED = "published"
    PUBLISHED_BY_EXCEPTION = "published by exception"
    NOT_PUBLISHED = "not published"
    CUT_OFF = "cut off"
    UNFINISHED = "unfinished"
    WITHDRAWN = "withdrawn"

    @property
    def is_good(self) -> bool:
        """Whether the policy held, or was excepted, and what was to be published is."""
        return self in {Standing.PASSED, Standing.PUBLISHED, Standing.PUBLISHED_BY_EXCEPTION}


_OPEN = {Standing.NOT_PUBLISHED, Standing.UNFINISHED, Standing.CUT_OFF}
"""What later entries of the same release may still change."""

_OUT = {Standing.PUBLISHED, Standing.PUBLISHED_BY_EXCEPTION}
"""What a withdrawal changes as well."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One verdict on a data set, or why there was none.

    Args:
        audit_id: The name of the audit.
        at: When it was recorded, UTC.
        standing: What came of it.
        sentence: Why, in one sentence.
        reasons: How many sentences there are in all.
        policy: The policy's name; None where there was none.
        release_id: The release that it was about; None for an audit alone.
        is_excepted: Whether an exception lets it pass.
        tightest: The figure with the least room to its limit; None where none is recorded.
        dag_id: The Airflow DAG that started it; None where another door did.
    """

    audit_id: str
    at: datetime
    standing: Standing
    sentence: str
    reasons: int
    policy: str | None
    release_id: str | None
    is_excepted: bool
    tightest: Tightest | None
    dag_id: str | None


def judgement_of(entry: "Entry") -> Judgement:
    """Return the verdict, or the failure, that an entry tells.

    Args:
        entry: An entry of kind ``audited``, ``checked`` or ``failed``.

    Returns:
        The judgement; one that let a release pass is ``not published`` until later entries say more.

    Units:
        Moments in UTC; figures in their metric's unit.

    Raises:
        KeyError: When the entry lacks what its kind always says.

    Example:
        >>> import inspect
        >>> list(inspect.signature(judgement_of).parameters)
        ['entry']
    """
    said: Any = entry.payload
    figures = said.get("figures") or ()
    standing, sentences = _failure(said) if entry.kind == "failed" else _verdict(entry, figures)
    by = said["by"]
    return Judgement(
        audit_id=str(said["audit_id"]),
        at=entry.at,
        standing=standing,
        sentence=sentences[0],
        reasons=len(sentences),
        policy=None if said["policy"] is None else str(said["policy"]["name"]),
        release_id=said["release_id"],
        is_excepted=said.get("outcome") == Outcome.PASSED_BY_EXCEPTION,
        tightest=tightest(figures),
        dag_id=by.get("dag_id") if by.get("door") == "airflow" else None,
    )


def settled(judgement: Judgement, entry: "Entry") -> Judgement:
    """Return a judgement as it stands after an entry on a release.

    What was seen complete stays published until somebody withdraws it, and what is withdrawn stays so.

    Args:
        judgement: The judgement.
        entry: An entry of kind ``releasing``, ``released``, ``abandoned`` or ``withdrawn``.

    Returns:
        The judgement, unchanged where the entry is about another audit, or nothing was to be published.

    Units:
        None.

    Raises:
        KeyError: When the entry lacks what its kind always says.

    Example:
        >>> import inspect
        >>> list(inspect.signature(settled).parameters)
        ['judgement', 'entry']
    """
    said: Any = entry.payload
    is_withdrawn = entry.kind == "withdrawn"
    changeable = {*_OPEN, *_OUT} if is_withdrawn else _OPEN
    if judgement.audit_id != said["audit_id"] or judgement.standing not in changeable:
        return judgement
    if is_withdrawn:
        sentence = f"It was withdrawn: {said['reason']}"
        return replace(judgement, standing=Standing.WITHDRAWN, sentence=sentence)
    if entry.kind == "released":
        is_excepted = judgement.is_excepted
        standing = Standing.PUBLISHED_BY_EXCEPTION if is_excepted else Standing.PUBLISHED
        return replace(judgement, standing=standing)
    if entry.kind == "abandoned":
        sentence = f"It was not published: {said['reason']}."
        return replace(judgement, standing=Standing.CUT_OFF, sentence=sentence)
    return replace(judgement, standing=Standing.UNFINISHED)


def _failure(said: Any) -> tuple[Standing, list[str]]:
    is_blocked = said["exit_code"] == int(ExitCode.BLOCKED)  # as one that ran out of its privacy budget
    return Standing.BLOCKED if is_blocked else Standing.FAILED, [str(said["error"])]


def _verdict(entry: "Entry", figures: Any) -> tuple[Standing, list[str]]:
    said: Any = entry.payload
    if said["outcome"] == Outcome.BLOCKED:
        # what only warns is no reason; entries of old carry no figures by which to tell
        missed = [f["sentence"] for f in figures if not f["is_met"] and not f["is_warning"]]
        reasons = [*said["blocks"], *(missed if figures else said["missed"])]
        return Standing.BLOCKED, reasons or ["No threshold was judged."]
    standing = Standing.PASSED if entry.kind == "checked" else Standing.NOT_PUBLISHED
    return standing, [_passed(figures, is_excepted=said["outcome"] == Outcome.PASSED_BY_EXCEPTION)]


def _passed(figures: Any, *, is_excepted: bool) -> str:
    held = sum(bool(figure["is_met"]) for figure in figures)
    if held < len(figures):
        why = "an exception covers" if is_excepted else "it is only warned of"
        return f"{held:,} of {len(figures):,} thresholds hold; {why} what is missed."
    if not held:
        return "It passed."
    return "1 threshold holds." if held == 1 else f"{held:,} thresholds hold."
