"""Which method is taken where nobody names one: of those that pass the one that loses least."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.core.errors import PluginError, UserError
from qidguard.rendering.figure import short_share
from qidguard.trials.measuring import BY_DEFAULT, LOSS, Losses
from qidguard.trials.stages import AuditedCopy, Tried, try_remedy

if TYPE_CHECKING:
    from qidguard.auditing.remedy import Remedy
    from qidguard.trials.context import TrialContext


def best_of(
    context: "TrialContext", remedies: "Sequence[Remedy]", source: AuditedCopy, *, losses: Losses = BY_DEFAULT
) -> "tuple[Remedy, Tried]":
    """Return the remedy that is taken of one or more, and what came of it.

    Of several those that meet the policy stand before the others, then what loses least by NCP. A note of
    the receipt says what else was tried; where nothing was made, each method's reason is one.

    Args:
        context: What was asked for.
        remedies: At least one.
        source: The audited source; it stays as it is.
        losses: Which losses are measured; NCP is among them where there are several remedies.

    Raises:
        QidguardError: As ``try_remedy`` raises it; of several, where each of them fails.
    """
    if len(remedies) == 1 or (source.report.verdict is not None and source.report.verdict.blocks):
        return remedies[0], try_remedy(context, remedies[0], source, losses=losses)
    of_each = replace(losses, names=(*losses.names, LOSS)) if losses.names is not None else losses
    best: tuple[Remedy, Tried] | None = None
    told: list[str] = []
    reasons: list[str] = []
    failed: PluginError | UserError | None = None
    try:
        for done, remedy in enumerate(remedies):
            context.progress.step("methods", done, len(remedies))
            name = remedy.anonymizer.name
            try:
                tried = try_remedy(context, remedy, source, losses=of_each)
            except (PluginError, UserError) as error:
                failed = error
                told.append(f"{name} (failed: {error})")
                continue
            told.append(f"{name} ({_told(tried)})")
            reasons += tried.reasons
            is_better = best is None or _rank(tried) < _rank(best[1])
            if not is_better:
                tried.close()
                continue
            if best is not None:
                best[1].close()
            best = (remedy, tried)
    except BaseException:
        if best is not None:
            best[1].close()
        raise
    context.progress.step("methods", len(remedies), len(remedies))
    if best is None:
        assert failed is not None  # noqa: S101 - there is at least one remedy
        raise failed
    remedy, tried = best
    made = tried.transformed
    if made is None:
        return remedy, replace(tried, reasons=tuple(dict.fromkeys(reasons)))
    note = (
        f"nobody named a method, so these were tried: {', '.join(told)};"
        f" {remedy.anonymizer.name} loses least of those that {'pass' if tried.is_passed else 'made a table'}"
    )
    receipt = replace(made.receipt, notes=(note, *made.receipt.notes))
    return remedy, replace(tried, transformed=replace(made, receipt=receipt))


def _rank(tried: Tried) -> tuple[bool, bool, float]:
    return not tried.is_passed, tried.transformed is None, _loss(tried)


def _loss(tried: Tried) -> float:
    losses = () if tried.transformed is None else tried.transformed.losses
    figure = next((one.value for one in losses if one.metric == LOSS), None)
    return float("inf") if figure is None else float(figure)


def _told(tried: Tried) -> str:
    if tried.transformed is None:
        return "cannot"
    lost = _loss(tried)
    words = "no loss measured" if lost == float("inf") else f"{short_share(lost)} lost"
    return words if tried.is_passed else f"blocked, {words}"
