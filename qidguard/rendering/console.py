"""The report on a console: verdict first, then thresholds, classes and columns."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from qidguard.core.report import AuditReport, ClassSummary
from qidguard.core.verdict import ThresholdResult
from qidguard.rendering.columns import MOST_COLUMNS, column_lines, selected
from qidguard.rendering.figure import counted, short_share
from qidguard.rendering.outside import (
    has_outside,
    identifying_line,
    outside_sentences,
    told_apart_sentences,
)
from qidguard.rendering.printable import ASCII, UNICODE, Marks, listed, plain_text, shown_name, visible
from qidguard.rendering.sentence import (
    common_place,
    headline,
    outcome,
    reasons,
    summary_sentence,
    table_sentence,
)
from qidguard.rendering.threshold import demand, distance, measured, place, subject, threshold_sentence
from qidguard.rendering.undone import read_back_aside

WIDEST = 120
"""Reports are not drawn wider than this, in characters: longer lines are hard to follow."""
PLAIN_WIDTH = 100
"""Width of a report that is written to a file, in characters."""

_SUBJECT_SHORTEST = 20  # characters of what was measured; with less the row becomes a sentence
_FIGURE = 2  # the column of a threshold's row that holds the measured figure
_STYLES = {"PASSED": "green", "BLOCKED": "red", "DESCRIBED": "blue"}


@dataclass(frozen=True, kw_only=True)
class ConsoleReport:
    """A report that rich can draw.

    Args:
        report: What to draw.
        width: Characters a line at most; None takes what the console has.
        has_all_columns: Whether every column is shown, not only the riskiest.
        is_brief: Whether it ends after the classes.
        has_next: Whether it ends with what a person does next.
    """

    report: AuditReport
    width: int | None = None
    has_all_columns: bool = False
    is_brief: bool = False
    has_next: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the parts from the verdict down."""
        width = min(self.width or WIDEST, options.max_width, WIDEST)
        marks = ASCII if options.ascii_only else UNICODE
        for part in self._parts(marks, width):
            yield from console.render(part, options.update_width(width))

    def _parts(self, marks: Marks, width: int) -> Iterator[RenderableType]:
        report = self.report
        yield _verdict_panel(report, marks, width)
        if report.verdict is not None:
            yield from _reasons(report, marks)
            yield from _thresholds(report.verdict.thresholds, marks, width)
            for read in report.read_backs:
                aside = read_back_aside(read)
                yield from _thresholds(read.thresholds, marks, width, title=("Read back", aside))
        yield from _noise(report, marks)
        yield from _classes(report, marks)
        yield from _outside(report, marks)
        if self.is_brief:
            return
        yield from self._columns(marks, width)
        said = {*outside_sentences(report), *(one.sentence for one in report.noised)}
        notes = [note for note in report.notes if note not in said]
        if notes:
            yield heading("Notes")
            for note in notes:
                yield item(marks.bullet, Text(visible(note)), "dim")
        if self.has_next:
            yield from next_step_lines(report, width)

    def _columns(self, marks: Marks, width: int) -> Iterator[RenderableType]:
        selection = selected(self.report.columns, None if self.has_all_columns else MOST_COLUMNS)
        yield heading("Columns", "risk = mean of 1/class size if an attacker knew this column alone")
        for line in column_lines(self.report, selection, marks, width):
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line
        if selection.unseen:
            words = (
                f"{selection.unseen:,} more columns are left out, insensitive and low-risk ones first; "
                "--all-columns shows all."
            )
            yield remark(words)


def _noise(report: AuditReport, marks: Marks) -> Iterator[RenderableType]:
    if report.noised:
        yield heading("Noise")
        for one in report.noised:
            yield item(marks.bullet, Text(visible(one.sentence)))


def _verdict_panel(report: AuditReport, marks: Marks, width: int) -> RenderableType:
    word = outcome(report)
    style = _STYLES[word]
    sign = {"PASSED": f"{marks.met} ", "BLOCKED": f"{marks.missed} "}.get(word, "")
    text = Text.assemble((f" {sign}{word} ", f"bold reverse {style}"), "  ", (headline(report), "bold"))
    text.append(f"\n{visible(report.source)}: {table_sentence(report)}")
    facts = [f"{visible(report.engine)}, {report.seconds:.1f} s"]
    if report.policy is not None:
        facts.insert(0, f"policy {shown_name(report.policy)}")
    if report.preset is not None:
        facts.insert(1, f"preset {shown_name(report.preset)}")
    if report.is_auto and report.verdict is not None:
        facts.insert(1, "QIDs chosen by recognizers")
    text.append("\n" + f" {marks.dot} ".join(facts), "dim")
    return Panel(text, box=box.HEAVY, border_style=style, width=width, padding=(0, 1))


def heading(words: str, aside: str = "") -> RenderableType:
    """Return the heading of a section, with what it needs to be understood."""
    return Padding(
        Text.assemble((words, "bold underline"), (f"  {aside}" if aside else "", "dim")), (1, 0, 0, 0)
    )


def item(sign: str, text: Text, style: str = "") -> RenderableType:
    """Return a sign, and a text that goes on beside it."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(f"  {sign}", style), text)
    return grid


def remark(words: str) -> RenderableType:
    """Return what is said of what stands above it."""
    return Padding(Text(words, "italic"), (0, 0, 0, 2))


def _reasons(report: AuditReport, marks: Marks) -> Iterator[RenderableType]:
    if report.verdict is None or report.is_passed:
        return
    shared = common_place(report)
    yield heading("Why it is blocked")
    if shared:
        yield Padding(Text(shared, "dim"), (0, 0, 0, 2))
    for sentence in reasons(report, has_place=not shared):
        yield item(marks.missed, Text(sentence), "bold red")


def _thresholds(
    results: tuple[ThresholdResult, ...],
    marks: Marks,
    width: int,
    *,
    title: tuple[str, str] = ("Thresholds", ""),
) -> Iterator[RenderableType]:
    if not results:
        return
    yield heading(*title)
    rows = [_threshold_row(result, marks) for result in results]
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    widths[1] = max(_SUBJECT_SHORTEST, min(widths[1], width - 8 - sum(widths) + widths[1]))
    has_room = sum(widths) + 8 <= width
    groups: dict[str, list[tuple[ThresholdResult, list[Text]]]] = {}
    for result, row in zip(results, rows, strict=True):
        where = place(result.measurement, result.limit.combination)
        groups.setdefault(where, []).append((result, row))
    for where, group in groups.items():
        yield Padding(Text(where, "dim"), (0, 0, 0, 2))
        if not has_room:  # cells of a few letters a line cannot be read, and lose the sign
            for result, row in group:
                sign, sentence = row[0], threshold_sentence(result, has_place=False)
                yield item(sign.plain.strip(), Text(sentence), str(sign.style))
            continue
        grid = Table.grid(padding=(0, 2, 0, 0))
        for index, cells in enumerate(widths):
            grid.add_column(width=cells, overflow="fold", justify="right" if index == _FIGURE else "left")
        for _, row in group:
            grid.add_row(*row)
        yield grid


def _threshold_row(result: ThresholdResult, marks: Marks) -> list[Text]:
    sign, style = (marks.met, "green") if result.is_met else (marks.warned, "yellow")
    if result.is_blocking:
        sign, style = marks.missed, "red"
    return [
        Text(f"  {sign}", f"bold {style}"),
        Text(subject(result.measurement)),
        Text(measured(result), "bold"),
        Text(demand(result.limit, result.measurement.unit)),
        Text(distance(result, "points"), style),
    ]


def _classes(report: AuditReport, marks: Marks) -> Iterator[RenderableType]:
    if not report.summaries:
        return
    yield heading("Equivalence classes")
    for summary in report.summaries:
        yield _class_lines(summary, report, marks)


def _class_lines(summary: ClassSummary, report: AuditReport, marks: Marks) -> RenderableType:
    alone = summary.share_alone
    text = Text.assemble(
        ("" if summary.combination == "default" else f"{shown_name(summary.combination)}: ", "bold"),
        (f"over {listed(summary.qids)}", "dim"),
        "\n" + summary_sentence(summary, report.person),
        "\n",
        (marks.bar(alone, 30), "red" if alone else "green"),
        (f" {short_share(alone)} alone", "dim"),
    )
    return item(marks.bullet, text, "dim")


def _outside(report: AuditReport, marks: Marks) -> Iterator[RenderableType]:
    if not has_outside(report) or report.outside is None:
        return
    yield heading("Outside the QIDs", "what is published and was not called a quasi-identifier")
    for told in report.outside.told_apart:
        share = told.found.share
        bar = ((marks.bar(share, 30), "red" if share else "green"), (f" {short_share(share)} alone", "dim"))
        words = [*told_apart_sentences(told)]
        text = Text.assemble(visible(" ".join(words)), "\n", *bar)
        yield item(marks.bullet, text, "dim")
    for one in report.outside.identifying:
        sign, style = (marks.missed, "bold red") if one.accepted is None else (marks.bullet, "dim")
        yield item(sign, Text(visible(identifying_line(one, report))), style)


def next_step_lines(report: AuditReport, width: int) -> Iterator[RenderableType]:
    """Yield what a person does next; nothing where the table passed, or a sentence says it already."""
    steps = report.next_steps
    if steps is None or report.is_passed:
        return
    if report.verdict is None:
        if steps.source is not None:
            yield heading("Next")
            yield Text("  Write a policy from this, review every role in it, then audit against it:")
            yield _command(["qidguard", "policy", "init", *steps.source], "> policy.yaml", width)
            yield _command(["qidguard", "audit", *steps.source], "--policy policy.yaml", width)
        return
    can_pass = steps.method is not None
    if not steps.undecided and not can_pass:
        return
    # what to decide takes away the blocks of columns without a role; a method takes away no block at all
    others = sum(block.rule != "unnamed_columns" for block in report.verdict.blocks)
    yield heading("Next")
    if steps.undecided:
        where = "the policy" if steps.policy is None else visible(steps.policy)
        columns = counted(steps.undecided, "columns")
        yield Text(f"  Decide on {columns}; add to the roles of {where} what is so:")
        for line in steps.to_decide:
            yield Padding(Text(visible(line), "bold", no_wrap=True, overflow="ellipsis"), (0, 0, 0, 2))
    if others:
        reasons = (
            "reason to block, as it says" if others == 1 else f"{others:,} reasons to block, as they say"
        )
        yield Text(f"  Remove the other {reasons} above: no method does.", overflow="fold")
    then = "Then have" if steps.undecided or others else "Have"
    yield Text(f"  {then} a method make it pass:" if can_pass else "  Then judge it again:")
    if steps.source is None or steps.policy is None:
        method = f", anonymizer={steps.method!r}" if steps.method else ""
        call = f"anonymize(table, policy{method})" if can_pass else "audit(table, policy)"
        yield Text(f"    qidguard.{call}", "bold", overflow="fold")
        return
    method = f" -a {steps.method}" if can_pass and steps.method else ""
    words = ["qidguard", "anonymize" if can_pass else "audit", *steps.source]
    yield _command(words, f"--policy {shlex.quote(visible(steps.policy))}{method}", width)


def _command(words: Sequence[str], rest: str, width: int) -> RenderableType:
    """Return a command on as many lines as it needs, which a shell takes as one when they are copied."""
    lines = ["   "]
    for word in [*(shlex.quote(visible(word)) for word in words), rest]:
        if cell_len(lines[-1]) + cell_len(word) + 3 > width and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {word}"
    return Text("\n".join(lines), "bold", overflow="fold")


def render(report: AuditReport, width: int | None = None, *, has_all_columns: bool = False) -> RenderableType:
    """Return what rich draws for a report."""
    return ConsoleReport(report=report, width=width, has_all_columns=has_all_columns)


def console_text(report: AuditReport, width: int = PLAIN_WIDTH, *, has_all_columns: bool = False) -> str:
    """Return the report as plain text without colors."""
    return plain_text([render(report, width, has_all_columns=has_all_columns)], width)
