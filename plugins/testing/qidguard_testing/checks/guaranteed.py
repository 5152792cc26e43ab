"""What an anonymizer guarantees of the noise that it draws: said before, the same each time, and true."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from qidguard.sdk import NotMeasurable, PrivacyGuarantee
from qidguard_testing.trial import KitTrial

ENOUGH_RECORDS = 20
"""Among fewer records noise may leave all as they are by chance."""


def guaranteed(trial: KitTrial) -> Iterator[str]:
    """Yield what is wrong with what it guarantees; nothing of one that draws no noise."""
    if not trial.subject.is_rehearsed:
        return
    found: list[PrivacyGuarantee] = []
    with _drawing() as drawn:
        for _ in range(2):
            try:
                found.append(ask(trial))
            except NotMeasurable as reason:
                if trial.is_published:
                    yield f"privacy_guarantee says that it cannot be done ({reason}), and anonymize does it"
                return
            except Exception as error:  # noqa: BLE001 - whatever is raised is what is tested
                yield f"privacy_guarantee raised {type(error).__name__}: {error}"
                return
    first, again = found
    if fault := trial.table.guarantee_fault(first, trial.task):
        yield f"privacy_guarantee {fault}"
        return
    if first != again:
        yield "privacy_guarantee tells something else when it is asked again; let its arguments alone decide"
    if drawn:
        yield f"privacy_guarantee draws ({drawn[0]}); what it says is charged before anything is drawn"
    yield from _unchanged(trial, first)


def ask(trial: KitTrial) -> PrivacyGuarantee:
    """Return what the anonymizer guarantees of a trial's table."""
    anonymizer: Any = trial.subject.anonymizer
    given: PrivacyGuarantee = anonymizer.privacy_guarantee(trial.before, trial.subject.arguments, trial.task)
    return given


def _unchanged(trial: KitTrial, guarantee: PrivacyGuarantee) -> Iterator[str]:
    """Yield the columns that have noise by the guarantee, and no cell of which was changed."""
    receipt = trial.receipt
    if receipt is None or receipt.new_table is not None or receipt.records_after < ENOUGH_RECORDS:
        return
    for name in guarantee.columns:
        parts = [part for part in guarantee.parts if name in part.columns]
        is_everywhere = any(not part.partition for part in parts) or (
            {part.partition for part in parts} == set(guarantee.partitions)
        )
        # a scale of less than a unit may round to nothing
        is_seen = is_everywhere and min(part.scale for part in parts) >= 1
        if is_seen and not receipt.cells_changed.get(name, 0):
            yield f"its guarantee names {name!r}, and no cell of that was changed; name what has noise"


@contextmanager
def _drawing() -> Iterator[list[str]]:
    """Give what is drawn meanwhile: by OpenDP, or by the generators that a whole process shares."""
    import numpy as np

    drawn: list[str] = []
    kept: Any = getattr(sys.modules.get("opendp.mod"), "Measurement", None)
    original = None if kept is None else kept.__call__

    def noted(*arguments: Any, **more: Any) -> Any:
        drawn.append("by OpenDP")
        assert original is not None  # noqa: S101 - it is in its place only then
        return original(*arguments, **more)

    def states() -> tuple[object, bytes]:
        return random.getstate(), repr(np.random.get_state()).encode()  # noqa: NPY002 - it is only looked at

    before = states()
    if kept is not None:
        kept.__call__ = noted
    try:
        yield drawn
    finally:
        if kept is not None:
            kept.__call__ = original
        if states() != before:
            drawn.append("from the generator of the process")
