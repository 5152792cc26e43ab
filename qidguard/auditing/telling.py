"""What tells only some persons, held against a policy's k by candidates, and what was not examined."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qidguard.auditing.demands import Demand
from qidguard.core.report import AuditReport
from qidguard.core.verdict import Block, Bound, Verdict
from qidguard.rendering.printable import listed
from qidguard.rendering.undone import K, remedy_sentence, together

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from qidguard.core.versions import Changes
    from qidguard.undoing import Undoing, Undoings

RULE = "undoing"
"""The rule by which columns that undo a generalization block."""

_MOST_NAMES = 4


def with_more(report: AuditReport, *, blocks: Sequence[Block] = (), notes: Sequence[str] = ()) -> AuditReport:
    """Return the report with more blocks and notes."""
    verdict = report.verdict
    if verdict is not None and blocks:
        verdict = Verdict(thresholds=verdict.thresholds, blocks=(*verdict.blocks, *blocks))
    return replace(report, verdict=verdict, notes=(*report.notes, *notes))


def unexamined(found: "Undoings") -> list[str]:
    """Return a sentence for each reason why something was not measured or not tried."""
    said = []
    for reason in dict.fromkeys(one.reason for one in found.not_measured):
        names = [one.qid for one in found.not_measured if one.reason == reason]
        said.append(
            f"Whether a published column tells the original {listed(names)} was not measured: {reason}."
        )
    for way in ("values", "relation"):
        some = [one for one in found.left_out if one.way == way]
        if not some:
            continue
        columns = tuple(dict.fromkeys(name for one in some for name in one.columns))
        what = "together with another column" if way == "values" else "as sums or differences of two columns"
        qids = listed([one.qid for one in some])
        said.append(
            f"Whether {listed(columns, most=_MOST_NAMES)} tell the original {qids} {what} was not tried:"
            f" only pairs of {some[0].tried} columns are."
        )
    return said


def candidate_blocks(
    changes: "Changes",
    asked: Sequence[Demand],
    told: "Sequence[Undoing]",
    persons: "NDArray[np.integer] | None",
) -> list[Block]:
    """Return what blocks where candidates are counted: nothing where no column tells only some."""
    from qidguard.undoing import candidates

    some = [undoing for undoing in told if not undoing.is_undone]
    if not some:
        return []
    columns = tuple(dict.fromkeys(name for undoing in some for name in undoing.columns))
    tell = f"{together(columns)} {'tells' if len(columns) == 1 else 'tell'}"
    what = f"{tell} {together(tuple(dict.fromkeys(undoing.qid for undoing in some)))} of some persons"
    limits = {
        (demand.question.qids, demand.limit.value)
        for demand in asked
        if demand.question.metric.name == K
        and demand.limit.bound is Bound.AT_LEAST
        and demand.limit.is_blocking
    }
    if not limits:
        sentence = (
            f"{what}, and undoing.some is block, but no k_anonymity limit says how many candidates everybody"
            f" must have; write one. {remedy_sentence(columns)}"
        )
        return [Block(rule=RULE, sentence=sentence)]
    blocks = []
    for qids, least in sorted(limits):
        left = candidates(changes, told, qids=qids, least=least, persons=persons)
        if left.below:
            have = "1 person has" if left.below == 1 else f"{left.below:,} persons have"
            sentence = (
                f"{what}: {have} fewer than {least:g} candidates, the fewest {left.fewest:,}."
                f" {remedy_sentence(columns)}"
            )
            blocks.append(Block(rule=RULE, sentence=sentence))
    return blocks
