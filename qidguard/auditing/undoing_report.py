"""What a report says of columns that undo a generalization, and candidates held against a policy's k."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from qidguard.auditing.demands import Demand
from qidguard.auditing.leaks import RULE, with_more
from qidguard.auditing.read_back import candidates
from qidguard.core.leaks import Leak, Leaks, LeakTask
from qidguard.core.report import AcceptanceReport, AuditReport, ReadBack, Undone
from qidguard.core.verdict import Block, Bound
from qidguard.rendering.outside import unneeded_sentence
from qidguard.rendering.printable import listed
from qidguard.rendering.undone import (
    MOST_LINES,
    K,
    accepted_sentence,
    read_back_sentence,
    read_words,
    remedy_sentence,
    together,
    undone_sentence,
)

_MOST_NAMES = 4


def unexamined(found: Leaks) -> list[str]:
    """Return a sentence for each reason why something was not measured or not tried."""
    said, left = [], dict[tuple[str, tuple[str, ...]], list[str]]()
    for one in found.unexamined:
        left.setdefault((one.reason, one.columns), []).append(one.qid)
    for (reason, columns), qids in left.items():
        if columns:
            names = listed(columns, most=_MOST_NAMES)
            said.append(f"Whether {names} tell the original {listed(qids)} {reason}.")
        else:
            what = "Whether a published column tells the original"
            said.append(f"{what} {listed(qids)} was not measured: {reason}.")
    return said


def limits_k(demand: Demand) -> bool:
    """Return whether a threshold says how large classes must be."""
    return demand.question.metric.name == K and demand.limit.bound is Bound.AT_LEAST


@dataclass(frozen=True, kw_only=True)
class CountedPersons:
    """How many persons somebody may be, where whatever is known and told is used.

    Args:
        task: What would be published.
        asked: The thresholds.
        left: What nobody accepted.
        weight: The column of sampling weights; None where there is none.
    """

    task: LeakTask
    asked: Sequence[Demand]
    left: Sequence[Leak]
    weight: str | None

    def blocks(self, *, is_some_told_blocking: bool) -> list[Block]:
        """Return what blocks where candidates decide: columns that are known, or tell, of some persons only.

        What is known of some always counts, but for a weight, whose scheme would have to be known; what is
        told of some where the policy says so.
        """
        some = [
            u
            for u in self.left
            if not u.is_undone and (is_some_told_blocking or (u.is_known and self.weight not in u.columns))
        ]
        if not some:
            return []
        columns = tuple(dict.fromkeys(name for leak in some for name in leak.columns))
        qids = together(tuple(dict.fromkeys(leak.qid for leak in some)))
        many = len(columns) > 1
        what = f"{together(columns)} {'tell' if many else 'tells'} {qids} of some persons"
        if all(leak.is_known for leak in some):
            be = "are" if many else "is"
            what = f"{together(columns)} {be} known of some persons to whoever knows the original {qids}"
        limits = self._limits()
        if not limits and not is_some_told_blocking:
            return []
        if not limits:
            sentence = (
                f"{what}, and undoing.some is block, but no k_anonymity limit says how many candidates"
                f" everybody must have; write one. {remedy_sentence(columns)}"
            )
            return [Block(rule=RULE, sentence=sentence)]
        used = [leak for leak in self.left if leak.is_undone or leak in some]
        said = (self._fewer(used, qids, least) for qids, least in limits)
        ends = [f"{fewer}. {remedy_sentence(columns)}" for fewer in said if fewer]
        return [Block(rule=RULE, sentence=f"{what}: {end}") for end in ends]

    def beside(self, qid: str) -> str:
        """Return in words how few candidates anybody has with what undoes one QID; empty where k holds."""
        own = [leak for leak in self.left if leak.qid == qid]
        said = (self._fewer(own, qids, least) for qids, least in self._limits() if qid in qids)
        return next((f" With it {fewer}." for fewer in said if fewer), "")

    def _limits(self) -> "list[tuple[tuple[str, ...], float]]":
        asked = (demand for demand in self.asked if limits_k(demand) and demand.limit.is_blocking)
        return sorted({(demand.question.qids, demand.limit.value) for demand in asked})

    def _fewer(self, leaks: Sequence[Leak], qids: tuple[str, ...], least: float) -> str:
        left = candidates(self.task.changes, leaks, qids=qids, least=least, persons=self.task.persons)
        if not left.below:
            return ""
        have = "1 person has" if left.below == 1 else f"{left.below:,} persons have"
        return f"{have} fewer than {least:g} candidates, the fewest {left.fewest:,}"


def with_told(
    report: AuditReport,
    found: Leaks,
    told: Sequence[Undone],
    reads: tuple[ReadBack, ...],
    counted: CountedPersons,
    *,
    is_some_blocking: bool,
) -> AuditReport:
    """Return the report with what undoes: what misses the policy blocks, everything else is a note.

    Args:
        report: The report.
        found: What was found.
        told: The same, and what is accepted of it.
        reads: The thresholds with it read back.
        counted: Candidates, of which each line says how few they are.
        is_some_blocking: Whether candidates decide where columns tell only some persons.
    """
    counted_blocks = counted.blocks(is_some_told_blocking=is_some_blocking)
    published = report.verdict.thresholds if report.verdict is not None else ()
    standing = [undone for undone in told if undone.is_undone and undone.accepted is None]
    deciding = next((read for read in reads if not read.is_accepted), None)
    with_accepted = next((read for read in reads if read.is_accepted), None)
    notes = [accepted_sentence(undone) for undone in told if undone.accepted is not None]
    if with_accepted is not None:
        notes.append(read_back_sentence(with_accepted, published))
    blocks = []
    if deciding is not None:
        *others, (_, last) = _lines(standing)
        said = [f"{line}{counted.beside(qid)}" for qid, line in others]
        figures = read_back_sentence(deciding, published)
        if deciding.is_met:
            notes += [*said, last, figures]
        else:
            said.append(f"{last} {figures} {remedy_sentence(deciding.columns)}")
            blocks = [Block(rule=RULE, sentence=sentence) for sentence in said]
    open_ones = [undone for undone in told if not undone.is_undone and undone.accepted is None]
    if counted_blocks:  # these say as much
        open_ones = [] if is_some_blocking else [one for one in open_ones if one.kind == "told"]
    if open_ones:
        some = _lines(open_ones)
        notes += [f"{line}{counted.beside(qid)}" for qid, line in some]
    ordered = tuple(sorted(told, key=lambda undone: not undone.is_undone))
    open_qids = {one.qid for one in found.unexamined}
    accepted = tuple(
        one if one.tells is None or one.tells in open_qids else _needed(one, told) for one in report.accepted
    )
    notes += [unneeded_sentence(one) for one in accepted if one.tells is not None and one.is_needed is False]
    return replace(
        with_more(report, blocks=[*blocks, *counted_blocks], notes=notes),
        undone=ordered,
        read_backs=reads,
        accepted=accepted,
    )


def _needed(one: AcceptanceReport, told: Sequence[Undone]) -> AcceptanceReport:
    """Return what is accepted with whether it is told in this table."""
    pair = (frozenset(one.columns), one.tells)
    is_needed = any((frozenset(u.columns), u.qid) == pair for u in told if u.accepted is not None)
    return replace(one, is_needed=is_needed)


def _lines(told: Iterable[Undone]) -> list[tuple[str, str]]:
    """Return one line a QID, of what undoes it for most persons, and what is left out."""
    of_qid: dict[str, list[Undone]] = {}
    for undone in sorted(told, key=lambda undone: -undone.persons):
        of_qid.setdefault(undone.qid, []).append(undone)
    lines = []
    for qid, (first, *more) in list(of_qid.items())[:MOST_LINES]:
        others = list({one.columns: one for one in more if one.columns != first.columns}.values())
        also = ""
        if others:
            names = listed([read_words(one.columns, one.part) for one in others], most=_MOST_NAMES)
            does = {"told": "does", "known": "is", "finer": "does"}[first.kind]
            does = does if len(others) == 1 else {"does": "do", "is": "are"}[does]
            also = f" So {does} {names}."
        lines.append((qid, undone_sentence(first) + also))
    left = len(of_qid) - MOST_LINES
    if left > 0:
        lines[-1] = (lines[-1][0], f"{lines[-1][1]} Of {left:,} more QIDs the original is told, too.")
    return lines
